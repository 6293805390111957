/* Define one clashd's blades at another, by the C client: blade_carrier FROM TO, both addresses. Prints "carried" when
 * all are defined; they stay until standard input ends. */
#include <clash/client.h>

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static clash_client *to;
static size_t missing = 1;

static void take_hello(void *context, const clash_client_hello *hello)
{
    (void)context;
    missing = hello->blade_count;
    for (size_t i = 0; i < hello->blade_count; i++)
        if (clash_client_define_blade(to, "blade", &hello->blades[i], NULL) != 0)
            fprintf(stderr, "%s\n", clash_client_problem(to));
}

static void take_ok(void *context, const clash_client_reply *reply)
{
    (void)context;
    (void)reply;
    if (--missing == 0)
        puts("carried");
    fflush(stdout);
}

static void take_error(void *context, const clash_client_reply *reply)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", reply->code, reply->message);
}

int main(int argc, char **argv)
{
    clash_client *from = clash_client_create(&(clash_client_listener){.hello = take_hello, .error = take_error});

    to = clash_client_create(&(clash_client_listener){.ok = take_ok, .error = take_error});
    if (argc != 3 || !from || !to || clash_client_connect(to, argv[2]) != 0 || clash_client_connect(from, argv[1]) != 0)
        return 2;
    for (;;) {
        struct pollfd ready[3] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                  {.fd = clash_client_fd(from), .events = POLLIN},
                                  {.fd = clash_client_fd(to), .events = POLLIN}};

        poll(ready, 3, -1);
        if (ready[0].revents != 0 || clash_client_dispatch(from) != 0 || clash_client_dispatch(to) != 0)
            break;
    }
    clash_client_destroy(from);
    clash_client_destroy(to);
    return 0;
}

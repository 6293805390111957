/* A spark for every clash: connects to clashd, prints where and how hard, and comes back when clashd does.
 *
 *     cc sparks.c $(pkg-config --cflags --libs clash-client) -o sparks && ./sparks [SOCKET | tcp:HOST:PORT | ws://HOST:PORT] */
#include <clash/client.h>
#include <poll.h>
#include <stdio.h>

static void on_hello(void *context, const clash_client_hello *hello)
{
    clash_client *client = *(clash_client **)context;

    printf("clashd %s, %zu blades\n", hello->version, hello->blade_count);
    if (clash_client_subscribe(client, NULL, NULL) != 0)
        fprintf(stderr, "sparks: %s\n", clash_client_problem(client));
}

static void on_clash(void *context, const clash_event *event)
{
    const clash_event_clash *clash = &event->as.clash;

    (void)context;
    printf("spark at %.3f %.3f %.3f, %.1f m/s, %s against %s\n", (double)clash->contact.midpoint.x,
           (double)clash->contact.midpoint.y, (double)clash->contact.midpoint.z, (double)clash->closing_speed,
           event->blades[0], event->blades[1]);
    fflush(stdout);
}

static void on_error(void *context, const clash_client_reply *reply)
{
    (void)context;
    fprintf(stderr, "sparks: %s: %s\n", reply->code, reply->message);
}

static void on_disconnect(void *context, const char *reason)
{
    (void)context;
    fprintf(stderr, "sparks: %s\n", reason);
}

/** One connection, from beginning to end. */
static void follow(clash_client *client, const char *address)
{
    if (clash_client_connect(client, address) != 0)
        return;
    do {
        unsigned wants = clash_client_wants(client);
        struct pollfd ready = {
            .fd = clash_client_fd(client),
            .events = (short)((wants & CLASH_CLIENT_READ ? POLLIN : 0) | (wants & CLASH_CLIENT_WRITE ? POLLOUT : 0))};

        poll(&ready, 1, -1);
    } while (clash_client_dispatch(client) == 0);
}

int main(int argc, char **argv)
{
    clash_client *client = NULL;
    const clash_client_listener listener = {
        .context = &client, .hello = on_hello, .clash = on_clash, .error = on_error, .disconnect = on_disconnect};

    client = clash_client_create(&listener);
    if (!client)
        return 1;
    for (;;) {
        follow(client, argc > 1 ? argv[1] : NULL);
        poll(NULL, 0, 1000); /* clashd is not there, or no longer: try again */
    }
}

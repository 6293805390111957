/* A spark for every clash: connects to clashd, prints where and how hard, and comes back when clashd does.
 *
 *     cc sparks.c $(pkg-config --cflags --libs clash-client) -o sparks && ./sparks [SOCKET | tcp:HOST:PORT | ws://HOST:PORT] */
#include <clash/client.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define RETRY_MIN_MS 250
#define RETRY_MAX_MS 5000

typedef struct sparks {
    clash_client *client;
    const char *address; /* NULL: clashd's own socket */
    bool is_there;       /* clashd has said hello */
    bool has_told;       /* that it is not there */
    int wait_ms;         /* until the next try */
} sparks;

/** The command that makes clashd listen at that address. */
static void name_command(const char *address, char *out, size_t size)
{
    bool is_web = address && strncmp(address, "ws://", 5) == 0;
    const char *port = address ? strrchr(address, ':') : NULL;

    if (port && (is_web || strncmp(address, "tcp:", 4) == 0))
        snprintf(out, size, "clashd --%s %.*s", is_web ? "websocket" : "tcp", (int)strspn(port + 1, "0123456789"),
                 port + 1);
    else if (address)
        snprintf(out, size, "clashd --socket %s", address);
    else
        snprintf(out, size, "clashd");
}

/** Once, however often it is tried again. */
static void tell_missing(sparks *s, const char *why)
{
    char command[512];

    if (s->has_told)
        return;
    s->has_told = true;
    name_command(s->address, command, sizeof command);
    fprintf(stderr, "sparks: %s: %s. Start \"%s\"; it is tried again until it is there\n",
            s->address ? s->address : "clashd's socket", why, command);
}

static void on_hello(void *context, const clash_client_hello *hello)
{
    sparks *s = (sparks *)context;

    s->is_there = true;
    s->has_told = false;
    s->wait_ms = RETRY_MIN_MS;
    printf("clashd %s, %zu blades\n", hello->version, hello->blade_count);
    fflush(stdout);
    if (clash_client_subscribe(s->client, NULL, NULL) != 0)
        fprintf(stderr, "sparks: %s\n", clash_client_problem(s->client));
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
    sparks *s = (sparks *)context;

    if (!s->is_there) /* it refuses to let us in, and would say so at each try */
        tell_missing(s, reply->message);
    else
        fprintf(stderr, "sparks: %s: %s\n", reply->code, reply->message);
}

static void on_disconnect(void *context, const char *reason)
{
    sparks *s = (sparks *)context;

    if (s->is_there)
        fprintf(stderr, "sparks: %s\n", reason);
    else
        tell_missing(s, reason);
    s->is_there = false;
}

/** One connection, from beginning to end. */
static void follow(sparks *s)
{
    clash_client *client = s->client;

    if (clash_client_connect(client, s->address) != 0) {
        tell_missing(s, clash_client_problem(client));
        return;
    }
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
    sparks s = {.address = argc > 1 ? argv[1] : NULL, .wait_ms = RETRY_MIN_MS};
    const clash_client_listener listener = {
        .context = &s, .hello = on_hello, .clash = on_clash, .error = on_error, .disconnect = on_disconnect};

    s.client = clash_client_create(&listener);
    if (!s.client)
        return 1;
    for (;;) {
        follow(&s);
        poll(NULL, 0, s.wait_ms); /* clashd is not there, or no longer: try again */
        s.wait_ms = 2 * s.wait_ms < RETRY_MAX_MS ? 2 * s.wait_ms : RETRY_MAX_MS;
    }
}

/* Things of a program's own: a target, the post, and a blade that strikes it about twice a second, 72 poses a second with the
 * time at which they are valid. Prints what clashd says of it, and comes back when clashd does.
 *
 *     cc pell.c $(pkg-config --cflags --libs clash-client) -lm -o pell && ./pell [SOCKET | tcp:HOST:PORT | ws://HOST:PORT] */
#include <clash/client.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

#define FRAME_MS 14

typedef struct pell {
    clash_client *client;
    bool is_ready; /* clashd has both */
} pell;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** clashd forgets them with the connection: they are defined at each hello. The post stands 0.6 m in front. */
static void on_hello(void *context, const clash_client_hello *hello)
{
    const clash_client_target post = {.name = "pell post",
                                      .pose = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, -0.6f}},
                                      .kind = CLASH_SHAPE_CAPSULE,
                                      .capsule = {{0.0f, 0.0f, 0.0f}, {0.0f, 1.8f, 0.0f}, 0.06f}};
    const clash_blade sword = {.name = "pell sword",
                               .device = "pell/sword",
                               .properties = {.shape = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -1.0f}, 0.015f}}};
    clash_client *client = ((pell *)context)->client;

    printf("clashd %s\n", hello->version);
    if (clash_client_subscribe(client, NULL, NULL) != 0 ||
        clash_client_define_target(client, "post", &post, NULL) != 0 ||
        clash_client_define_blade(client, "ready", &sword, NULL) != 0)
        fprintf(stderr, "pell: %s\n", clash_client_problem(client));
}

static void on_ok(void *context, const clash_client_reply *reply)
{
    ((pell *)context)->is_ready |= reply->id[0] == 'r';
}

static void on_clash(void *context, const clash_event *event)
{
    const clash_event_clash *clash = &event->as.clash;

    (void)context;
    printf("clash at %.3f %.3f %.3f, %.1f m/s, %s against %s\n", (double)clash->contact.midpoint.x,
           (double)clash->contact.midpoint.y, (double)clash->contact.midpoint.z, (double)clash->closing_speed,
           event->blades[0], event->blades[1]);
    fflush(stdout);
}

static void on_error(void *context, const clash_client_reply *reply)
{
    (void)context;
    fprintf(stderr, "pell: %s: %s: %s\n", reply->id, reply->code, reply->message);
}

static void on_disconnect(void *context, const char *reason)
{
    ((pell *)context)->is_ready = false;
    fprintf(stderr, "pell: %s\n", reason);
}

/** The sword, at 1.2 m, swings from side to side about its hilt. */
static void push(pell *p)
{
    int64_t time_ns = now_ns();
    float half = 0.4f * sinf((float)(time_ns % 2000000000) * 1e-9f * 3.14159265f);
    const clash_client_pose pose = {.device = "pell/sword",
                                    .pose = {{0.0f, sinf(half), 0.0f, cosf(half)}, {0.0f, 1.2f, 0.0f}},
                                    .tracked = true,
                                    .valid = true};
    const clash_client_push frame = {.poses = &pose, .count = 1, .has_time = true, .time_ns = time_ns};

    if (clash_client_push_poses(p->client, "poses", &frame) != 0)
        fprintf(stderr, "pell: %s\n", clash_client_problem(p->client));
}

/** One connection, from beginning to end: once a frame, like a game. */
static void follow(pell *p, const char *address)
{
    if (clash_client_connect(p->client, address) != 0)
        return;
    while (clash_client_dispatch(p->client) == 0) {
        if (p->is_ready)
            push(p);
        poll(NULL, 0, FRAME_MS);
    }
}

int main(int argc, char **argv)
{
    pell p = {.client = NULL};
    const clash_client_listener listener = {.context = &p,
                                            .hello = on_hello,
                                            .clash = on_clash,
                                            .ok = on_ok,
                                            .error = on_error,
                                            .disconnect = on_disconnect};

    p.client = clash_client_create(&listener);
    if (!p.client)
        return 1;
    for (;;) {
        follow(&p, argc > 1 ? argv[1] : NULL);
        poll(NULL, 0, 1000); /* clashd is not there, or no longer: try again */
    }
}

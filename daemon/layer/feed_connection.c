#include "feed_connection.h"

#include <clash/client.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEED_ID "feed"
#define RETRY_MIN_NS 250000000
#define RETRY_MAX_NS 8000000000
/** clashd reports the end of a feed, but not what else made it refuse one; older ones report nothing. */
#define REFUSED_RETRY_MAX_NS 1000000000

static const char *const devices[FEED_HANDS] = {"/user/hand/left", "/user/hand/right"};

struct feed_connection {
    feed_on_pulse *on_pulse;
    void *context;
    char address[108]; /* "": the default */
    clash_client *client;
    bool is_greeted, is_fed; /* clashd has said hello; has taken the feed */
    bool is_asked;           /* the feed was asked for, or was refused recently */
    int64_t retry_at, retry_after;
    feed_frame told; /* the space and stage that clashd was told last */
    bool cut_owed;   /* a frame that clashd did not get was a cut: mark the next one */
};

/** Try again later, waiting twice as long each time. */
static void back_off(feed_connection *c)
{
    c->retry_at = feed_now_ns() + c->retry_after;
    c->retry_after = 2 * c->retry_after < RETRY_MAX_NS ? 2 * c->retry_after : RETRY_MAX_NS;
}

static void on_hello(void *context, const clash_client_hello *hello)
{
    feed_connection *c = context;

    (void)hello;
    c->is_greeted = true;
}

/** Return whether it answers the feed, and that is still wanted. */
static bool is_answer(const feed_connection *c, const clash_client_reply *reply)
{
    return c->is_asked && strcmp(reply->id, FEED_ID) == 0;
}

static void on_ok(void *context, const clash_client_reply *reply)
{
    feed_connection *c = context;

    if (!is_answer(c, reply))
        return;
    c->is_fed = true;
    c->retry_after = RETRY_MIN_NS;
}

/** Another client feeds these hands, or this clashd has no feeds. Ignore what clashd says about single poses. */
static void on_error(void *context, const clash_client_reply *reply)
{
    feed_connection *c = context;

    if (!is_answer(c, reply))
        return;
    c->is_fed = false;
    if (c->retry_after > REFUSED_RETRY_MAX_NS)
        c->retry_after = REFUSED_RETRY_MAX_NS;
    back_off(c);
}

/** Ask again with the next frame. */
static void on_feed_free(void *context)
{
    feed_connection *c = context;

    if (!c->is_fed)
        c->is_asked = false;
    c->retry_after = RETRY_MIN_NS;
}

/** libclash_client has refused values out of bounds. */
static void on_haptic(void *context, const clash_client_haptic *haptic)
{
    feed_connection *c = context;

    for (int hand = 0; hand < FEED_HANDS && c->is_fed; hand++)
        if (strcmp(haptic->device, devices[hand]) == 0)
            c->on_pulse(c->context, &(feed_pulse){hand, haptic->amplitude, haptic->duration_ns, feed_now_ns()});
}

static void on_disconnect(void *context, const char *reason)
{
    feed_connection *c = context;

    (void)reason;
    c->is_greeted = c->is_fed = c->is_asked = false;
    back_off(c);
}

/** Ask for the feed, or tell clashd the new frame of reference. */
static void ask(feed_connection *c, const feed_frame *frame)
{
    clash_client_feeding feeding = {.devices = devices,
                                    .device_count = FEED_HANDS,
                                    .space = frame->space,
                                    .source = "layer",
                                    .haptics = true,
                                    .overlay = frame->is_overlay,
                                    .stage = frame->has_stage ? &frame->stage : NULL};

    if (clash_client_feed(c->client, FEED_ID, &feeding) != 0)
        return;
    c->is_asked = true;
    c->told = *frame;
    c->retry_at = INT64_MAX;
}

/** Leave the hands to another program. */
static void end(feed_connection *c)
{
    const clash_client_feeding nothing = {.source = "layer"};

    if (c->is_asked && c->is_greeted)
        clash_client_feed(c->client, NULL, &nothing);
    c->is_asked = c->is_fed = false;
    c->retry_after = RETRY_MIN_NS;
}

static bool is_same(const clash_pose *a, const clash_pose *b)
{
    const clash_vec3 *p = &a->position, *q = &b->position;
    const clash_quat *r = &a->orientation, *s = &b->orientation;

    return p->x == q->x && p->y == q->y && p->z == q->z && r->x == s->x && r->y == s->y && r->z == s->z && r->w == s->w;
}

static bool is_told(const feed_connection *c, const feed_frame *frame)
{
    const feed_frame *told = &c->told;

    return c->is_asked && strcmp(told->space, frame->space) == 0 && told->has_stage == frame->has_stage &&
           is_same(&told->stage, &frame->stage);
}

static bool push(feed_connection *c, const feed_frame *frame, bool is_cut)
{
    clash_client_pose poses[FEED_HANDS];
    clash_client_push all = {.poses = poses, .count = FEED_HANDS, .has_time = true, .time_ns = frame->time_ns};

    for (int hand = 0; hand < FEED_HANDS; hand++)
        poses[hand] = (clash_client_pose){.device = devices[hand],
                                          .pose = frame->hands[hand].pose,
                                          .tracked = frame->hands[hand].is_tracked,
                                          .valid = frame->hands[hand].is_valid,
                                          .teleport = is_cut && frame->hands[hand].is_valid};
    return clash_client_push_poses(c->client, NULL, &all) == 0;
}

/** Return whether frames are dropped: clashd is not there, or has refused the feed recently. */
static bool is_deaf(const feed_connection *c)
{
    return !c->is_greeted || (!c->is_fed && c->is_asked && feed_now_ns() < c->retry_at);
}

void feed_connection_forward(feed_connection *c, const feed_frame *frame)
{
    c->cut_owed = c->cut_owed || frame->is_cut;
    if (frame->is_end)
        end(c);
    if (frame->is_end || is_deaf(c))
        return;
    if (!is_told(c, frame) || !c->is_fed)
        ask(c, frame);
    if (c->is_fed && push(c, frame, c->cut_owed))
        c->cut_owed = false;
}

feed_attempt feed_connection_try(feed_connection *c, const feed_frame *frame)
{
    if (frame->is_end)
        return FEED_NEEDS_THREAD;
    if (!is_deaf(c)) {
        if (!c->is_fed || !is_told(c, frame))
            return FEED_NEEDS_THREAD;
        if (feed_connection_is_behind(c))
            return FEED_WAITS;
    }
    feed_connection_forward(c, frame);
    return FEED_DONE;
}

bool feed_connection_is_behind(const feed_connection *c)
{
    return clash_client_wants(c->client) & CLASH_CLIENT_WRITE;
}

int64_t feed_connection_keep(feed_connection *c)
{
    if (clash_client_fd(c->client) >= 0)
        return INT64_MAX;
    if (feed_now_ns() < c->retry_at)
        return c->retry_at;
    c->is_greeted = c->is_fed = c->is_asked = false;
    if (clash_client_connect(c->client, c->address[0] ? c->address : NULL) == 0)
        return INT64_MAX;
    back_off(c);
    return c->retry_at;
}

struct pollfd feed_connection_waits(const feed_connection *c)
{
    unsigned wants = clash_client_wants(c->client);

    return (struct pollfd){
        .fd = clash_client_fd(c->client),
        .events = (short)((wants & CLASH_CLIENT_READ ? POLLIN : 0) | (wants & CLASH_CLIENT_WRITE ? POLLOUT : 0))};
}

void feed_connection_dispatch(feed_connection *c)
{
    clash_client_dispatch(c->client);
}

/* Read the environment here and not in the thread: the game may change it meanwhile. */
static void find_address(feed_connection *c)
{
    const char *named = getenv("CLASHD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    int length = 0;

    if (named && named[0])
        length = snprintf(c->address, sizeof c->address, "%s", named);
    else if (runtime && runtime[0] == '/')
        length = snprintf(c->address, sizeof c->address, "%s/clashd/clashd.sock", runtime);
    if (length < 0 || (size_t)length >= sizeof c->address)
        c->address[0] = '\0';
}

feed_connection *feed_connection_create(feed_on_pulse *on_pulse, void *context)
{
    feed_connection *c = calloc(1, sizeof *c);
    const clash_client_listener listener = {.context = c,
                                            .hello = on_hello,
                                            .ok = on_ok,
                                            .error = on_error,
                                            .disconnect = on_disconnect,
                                            .haptic = on_haptic,
                                            .feed_free = on_feed_free};

    if (!c)
        return NULL;
    c->on_pulse = on_pulse;
    c->context = context;
    c->retry_after = RETRY_MIN_NS;
    find_address(c);
    c->client = clash_client_create(&listener);
    if (c->client)
        return c;
    free(c);
    return NULL;
}

void feed_connection_destroy(feed_connection *c)
{
    if (!c)
        return;
    clash_client_destroy(c->client);
    free(c);
}

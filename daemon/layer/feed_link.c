#include "feed_link.h"

#include <clash/client.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/** A power of two: more than a second of the fastest display there is. */
#define RING_FRAMES 256u
/** clashd takes poses of 50 ms ahead; one that is further ahead waits here. */
#define AHEAD_NS 45000000
#define RETRY_MIN_NS 250000000
#define RETRY_MAX_NS 8000000000
/** libclash_client has lines of 64 KiB on its stack, cJSON goes down as deep as a line nests. */
#define STACK_BYTES ((size_t)1024 * 1024)
/** While frames come the thread looks for the next so often by itself: to wake it takes the frame longer than all else here. */
#define LOOK_NS 2000000
/** After so long without a frame it sleeps until one wakes it. */
#define IDLE_NS 250000000
#define FEED_ID "feed"
/** A power of two: where the game draws nothing for so many, it feels nothing of those that follow. */
#define RING_PULSES 16u
/** A pulse that is older is not felt any more: a game that stood still is not to shake of what was long ago. */
#define PULSE_STALE_NS 100000000

static const char *const devices[FEED_HANDS] = {"/user/hand/left", "/user/hand/right"};

struct feed_link {
    /* The ring: the frame writes at `end`, the thread reads from `start`; both only ever grow. */
    feed_frame frames[RING_FRAMES];
    atomic_uint start, end;
    atomic_bool is_over, is_asleep;
    bool owes_cut; /* the frame's: one that was dropped was a cut */
    int wakes;     /* eventfd */
    pid_t process; /* which has the thread */
    pthread_t thread;
    /* The other way round: the thread writes pulses at `pulse_end`, the frame reads from `pulse_start`. */
    feed_pulse pulses[RING_PULSES];
    atomic_uint pulse_start, pulse_end;

    /* The thread's from here on. */
    char address[108]; /* "": the default */
    clash_client *client;
    bool is_greeted, is_fed; /* clashd has said hello; has taken the feed */
    bool is_asked;           /* the feed was asked for, or refused not long ago */
    int64_t retry_at, retry_after;
    feed_frame told; /* what the feed said of space and stage */
    bool cut_owed;   /* one that clashd did not get was a cut */
    int64_t came_at; /* the last frame from the ring */
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void feed_link_put(feed_link *link, const feed_frame *frame)
{
    unsigned end = atomic_load_explicit(&link->end, memory_order_relaxed);
    feed_frame *slot = &link->frames[end % RING_FRAMES];
    const uint64_t one = 1;

    link->owes_cut = link->owes_cut || frame->is_cut;
    if (end - atomic_load_explicit(&link->start, memory_order_acquire) == RING_FRAMES)
        return;
    *slot = *frame;
    slot->is_cut = link->owes_cut;
    link->owes_cut = false;
    atomic_store(&link->end, end + 1);
    if (atomic_load(&link->is_asleep) && atomic_exchange(&link->is_asleep, false) &&
        write(link->wakes, &one, sizeof one) != sizeof one)
        return; /* there is a word for it already */
}

bool feed_link_take_pulse(feed_link *link, feed_pulse *out_pulse)
{
    unsigned start = atomic_load_explicit(&link->pulse_start, memory_order_relaxed);

    while (start != atomic_load_explicit(&link->pulse_end, memory_order_acquire)) {
        *out_pulse = link->pulses[start % RING_PULSES];
        atomic_store_explicit(&link->pulse_start, ++start, memory_order_release);
        if (now_ns() - out_pulse->came_ns < PULSE_STALE_NS)
            return true;
    }
    return false;
}

/* ---- the thread */

/** Tries again later, each time after twice as long. */
static void back_off(feed_link *link)
{
    link->retry_at = now_ns() + link->retry_after;
    link->retry_after = 2 * link->retry_after < RETRY_MAX_NS ? 2 * link->retry_after : RETRY_MAX_NS;
}

static void on_hello(void *context, const clash_client_hello *hello)
{
    feed_link *link = context;

    (void)hello;
    link->is_greeted = true;
}

static void on_ok(void *context, const clash_client_reply *reply)
{
    feed_link *link = context;

    if (strcmp(reply->id, FEED_ID) != 0)
        return;
    link->is_fed = true;
    link->retry_after = RETRY_MIN_NS;
}

/** Another feeds these hands, or this clashd knows no feeds. What it says of poses is of no use here. */
static void on_error(void *context, const clash_client_reply *reply)
{
    feed_link *link = context;

    if (strcmp(reply->id, FEED_ID) != 0)
        return;
    link->is_fed = false;
    back_off(link);
}

/** What is out of bounds libclash_client has refused. */
static void on_haptic(void *context, const clash_client_haptic *haptic)
{
    feed_link *link = context;
    unsigned end = atomic_load_explicit(&link->pulse_end, memory_order_relaxed);

    for (int hand = 0; hand < FEED_HANDS && link->is_fed; hand++) {
        if (strcmp(haptic->device, devices[hand]) != 0 ||
            end - atomic_load_explicit(&link->pulse_start, memory_order_acquire) == RING_PULSES)
            continue;
        link->pulses[end % RING_PULSES] = (feed_pulse){hand, haptic->amplitude, haptic->duration_ns, now_ns()};
        atomic_store_explicit(&link->pulse_end, ++end, memory_order_release);
    }
}

static void disconnected(void *context, const char *reason)
{
    feed_link *link = context;

    (void)reason;
    link->is_greeted = link->is_fed = link->is_asked = false;
    back_off(link);
}

static void connect_again(feed_link *link)
{
    link->is_greeted = link->is_fed = link->is_asked = false;
    if (clash_client_connect(link->client, link->address[0] ? link->address : NULL) != 0)
        back_off(link);
}

/** Asks for the feed, or tells it anew where the frame of reference is another. */
static void ask(feed_link *link, const feed_frame *frame)
{
    clash_client_feeding feeding = {.devices = devices,
                                    .device_count = FEED_HANDS,
                                    .space = frame->space,
                                    .source = "layer",
                                    .haptics = true,
                                    .stage = frame->has_stage ? &frame->stage : NULL};

    if (clash_client_feed(link->client, FEED_ID, &feeding) != 0)
        return;
    link->is_asked = true;
    link->told = *frame;
    link->retry_at = INT64_MAX;
}

static bool is_same(const clash_pose *a, const clash_pose *b)
{
    const clash_vec3 *p = &a->position, *q = &b->position;
    const clash_quat *r = &a->orientation, *s = &b->orientation;

    return p->x == q->x && p->y == q->y && p->z == q->z && r->x == s->x && r->y == s->y && r->z == s->z && r->w == s->w;
}

static bool is_told(const feed_link *link, const feed_frame *frame)
{
    const feed_frame *told = &link->told;

    return link->is_asked && strcmp(told->space, frame->space) == 0 && told->has_stage == frame->has_stage &&
           is_same(&told->stage, &frame->stage);
}

static bool push(feed_link *link, const feed_frame *frame, bool is_cut)
{
    clash_client_pose poses[FEED_HANDS];
    clash_client_push all = {.poses = poses, .count = FEED_HANDS, .has_time = true, .time_ns = frame->time_ns};

    for (int hand = 0; hand < FEED_HANDS; hand++)
        poses[hand] = (clash_client_pose){.device = devices[hand],
                                          .pose = frame->hands[hand].pose,
                                          .tracked = frame->hands[hand].is_tracked,
                                          .valid = frame->hands[hand].is_valid,
                                          .teleport = is_cut && frame->hands[hand].is_valid};
    return clash_client_push_poses(link->client, NULL, &all) == 0;
}

/** One frame to clashd, or nowhere. */
static void forward(feed_link *link, const feed_frame *frame)
{
    link->cut_owed = link->cut_owed || frame->is_cut;
    if (!link->is_greeted)
        return;
    if (!link->is_fed && link->is_asked && now_ns() < link->retry_at)
        return;
    if (!is_told(link, frame) || !link->is_fed)
        ask(link, frame);
    if (link->is_fed && push(link, frame, link->cut_owed))
        link->cut_owed = false;
}

/** Forwards what is in the ring and is not too far ahead. When the next is due, CLOCK_MONOTONIC; INT64_MAX: none is there. */
static int64_t empty_ring(feed_link *link)
{
    unsigned start = atomic_load_explicit(&link->start, memory_order_relaxed);

    while (start != atomic_load_explicit(&link->end, memory_order_acquire)) {
        const feed_frame *frame = &link->frames[start % RING_FRAMES];

        if (frame->time_ns > now_ns() + AHEAD_NS && frame->time_ns < now_ns() + RETRY_MAX_NS)
            return frame->time_ns - AHEAD_NS;
        forward(link, frame);
        link->came_at = now_ns();
        atomic_store_explicit(&link->start, ++start, memory_order_release);
    }
    return INT64_MAX;
}

static bool is_empty(const feed_link *link)
{
    return atomic_load(&link->end) == atomic_load_explicit(&link->start, memory_order_relaxed);
}

/** Until then, or what there is to do comes: INT64_MAX is for ever, or until a frame. */
static void wait_for_work(feed_link *link, int64_t until)
{
    unsigned wants = clash_client_wants(link->client);
    struct pollfd waits[] = {
        {.fd = link->wakes, .events = POLLIN},
        {.fd = clash_client_fd(link->client),
         .events = (short)((wants & CLASH_CLIENT_READ ? POLLIN : 0) | (wants & CLASH_CLIENT_WRITE ? POLLOUT : 0))}};
    int64_t left = until - now_ns();
    struct timespec timeout = {.tv_sec = left > 0 ? left / 1000000000 : 0, .tv_nsec = left > 0 ? left % 1000000000 : 0};
    uint64_t count;
    ssize_t length = 0;

    /* A frame is put into the ring before is_asleep is looked at, and here it is the other way round. */
    atomic_store(&link->is_asleep, until == INT64_MAX);
    if (until == INT64_MAX && !is_empty(link))
        return;
    if (ppoll(waits, 2, until == INT64_MAX ? NULL : &timeout, NULL) > 0 && waits[0].revents != 0)
        length = read(link->wakes, &count, sizeof count);
    (void)length; /* what it was about is in the ring */
}

static void *run(void *context)
{
    feed_link *link = context;
    const struct sched_param no_priority = {.sched_priority = 0};

    /* Woken in the middle of a frame, it waits for a processor that is free, and does not take the one that draws. */
    sched_setscheduler(0, SCHED_BATCH, &no_priority);
    while (!atomic_load_explicit(&link->is_over, memory_order_acquire)) {
        int64_t due = empty_ring(link), now = now_ns();
        bool is_away = clash_client_fd(link->client) < 0;

        if (is_away && now >= link->retry_at) {
            connect_again(link);
            is_away = clash_client_fd(link->client) < 0;
        }
        if (is_away && link->retry_at < due)
            due = link->retry_at;
        if (!is_away && now < link->came_at + IDLE_NS && due > now + LOOK_NS)
            due = now + LOOK_NS;
        wait_for_work(link, due);
        clash_client_dispatch(link->client);
    }
    return NULL;
}

/** None of the game's signals is to be handled in this thread. */
static int start_thread(feed_link *link)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return -1;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&link->thread, &attributes, run, link);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed == 0)
        pthread_setname_np(link->thread, "clashd-layer");
    return failed;
}

/* Here and not in the thread: the game may be changing its environment by then. */
static void find_address(feed_link *link)
{
    const char *named = getenv("CLASHD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    int length = 0;

    if (named && named[0])
        length = snprintf(link->address, sizeof link->address, "%s", named);
    else if (runtime && runtime[0] == '/')
        length = snprintf(link->address, sizeof link->address, "%s/clashd/clashd.sock", runtime);
    if (length < 0 || (size_t)length >= sizeof link->address)
        link->address[0] = '\0';
}

feed_link *feed_link_create(void)
{
    feed_link *link = calloc(1, sizeof *link);
    const clash_client_listener listener = {.context = link,
                                            .hello = on_hello,
                                            .ok = on_ok,
                                            .error = on_error,
                                            .disconnect = disconnected,
                                            .haptic = on_haptic};

    if (!link)
        return NULL;
    find_address(link);
    link->process = getpid();
    link->retry_after = RETRY_MIN_NS;
    link->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    link->client = clash_client_create(&listener);
    if (link->wakes >= 0 && link->client && start_thread(link) == 0)
        return link;
    clash_client_destroy(link->client);
    if (link->wakes >= 0)
        close(link->wakes);
    free(link);
    return NULL;
}

void feed_link_destroy(feed_link *link)
{
    const uint64_t one = 1;
    ssize_t written;

    if (!link ||
        link->process != getpid()) /* after a fork the thread is the parent's, and so is what it may be changing */
        return;
    atomic_store_explicit(&link->is_over, true, memory_order_release);
    written = write(link->wakes, &one, sizeof one);
    (void)written; /* if there is no room it is awake */
    pthread_join(link->thread, NULL);
    clash_client_destroy(link->client);
    close(link->wakes);
    free(link);
}

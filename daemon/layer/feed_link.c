#include "feed_connection.h"
#include "frame_forecast.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** A power of two: more than a second of the fastest display there is. */
#define RING_FRAMES 256u
/** clashd takes poses of 50 ms ahead of the same clock; one that is further ahead waits here. */
#define AHEAD_NS 50000000
/** A display time further ahead than this is wrong. */
#define NEVER_NS 1000000000
/** libclash_client has lines of 64 KiB on its stack, cJSON goes down as deep as a line nests. */
#define STACK_BYTES ((size_t)1024 * 1024)
/** If the thread has come to a frame only so long after it was located, it is late: games ask for what a frame has struck from 0.3 ms
 *  on. It is no later if its send takes long: clashd, which that wakes, then takes the processor, and has the frame. */
#define LATE_NS 500000
/** A late frame counts so much, one in time takes 1 off: so more than one late frame in 25 leads to the limit. */
#define LATE_COST 24
#define LATE_LIMIT 48
#define LATE_MAX 96
/** Relative to the game's thread: low enough for the scheduler to leave the processor to that one; yet the thread needs little, and
 *  with short slices it waits no longer for them than others do for theirs. */
#define LOWER_NICE 10
#define SLICE_NS 200000
/** A power of two. If the game draws no frame for so many pulses, further ones are dropped. */
#define RING_PULSES 16u
/** Drop a pulse that is older: a game that stood still must not shake the hands for something long past. */
#define PULSE_STALE_NS 100000000

struct feed_link {
    /* The ring: the frame writes at `end`; who has the lock, which is the frame or the thread, reads from `start`; both only ever
     * grow. */
    feed_frame frames[RING_FRAMES];
    int64_t put_at[RING_FRAMES]; /* CLOCK_MONOTONIC */
    atomic_uint start, end;
    atomic_int lateness; /* of the thread lately, by LATE_COST; who has the lock writes it */
    atomic_bool is_over, is_asleep;
    frame_forecast forecast; /* the thread's own */
    bool owes_cut;           /* the frame's own: a dropped frame was a cut, so mark the next one */
    int wakes;               /* eventfd */
    pid_t process;           /* which has the thread */
    pthread_t thread;
    /* Pulses go the other way: the thread writes at `pulse_end`, the frame reads from `pulse_start`. */
    feed_pulse pulses[RING_PULSES];
    atomic_uint pulse_start, pulse_end;

    pthread_mutex_t
        lock; /* over the connection; the thread lets go of it only to wait, the frame takes it only if it is free */
    feed_connection *connection;
};

/** Return whether the frame is still too far ahead for clashd. */
static bool is_early(const feed_frame *frame)
{
    int64_t now = feed_now_ns();

    return frame->time_ns > now + AHEAD_NS && frame->time_ns < now + NEVER_NS;
}

static void wake(feed_link *link)
{
    const uint64_t one = 1;

    if (atomic_load(&link->is_asleep) && atomic_exchange(&link->is_asleep, false) &&
        write(link->wakes, &one, sizeof one) != sizeof one)
        return; /* its wake-up is under way already */
}

/** From the game's own thread, with the lock: send what is in the ring. Return whether nothing is left for the link's thread. */
static bool send_now(feed_link *link)
{
    unsigned start = atomic_load_explicit(&link->start, memory_order_relaxed);

    while (start != atomic_load_explicit(&link->end, memory_order_relaxed)) {
        const feed_frame *frame = &link->frames[start % RING_FRAMES];
        feed_attempt attempt = is_early(frame) ? FEED_NEEDS_THREAD : feed_connection_try(link->connection, frame);

        if (attempt != FEED_DONE)
            return attempt == FEED_WAITS;
        atomic_store_explicit(&link->start, ++start, memory_order_release);
        if (feed_connection_is_behind(link->connection))
            return false;
    }
    return true;
}

static void count_frame(feed_link *link, bool is_late)
{
    int lateness = atomic_load_explicit(&link->lateness, memory_order_relaxed) + (is_late ? LATE_COST : -1);

    atomic_store_explicit(&link->lateness,
                          lateness < 0          ? 0
                          : lateness > LATE_MAX ? LATE_MAX
                                                : lateness,
                          memory_order_relaxed);
}

/** Send from the game's own thread, unless the link's thread has the lock. Return whether nothing is left for that one. */
static bool try_now(feed_link *link)
{
    bool is_done;

    if (link->process != getpid() || pthread_mutex_trylock(&link->lock) != 0)
        return false; /* the thread that has it looks into the ring again */
    is_done = send_now(link);
    count_frame(link, false);
    pthread_mutex_unlock(&link->lock);
    return is_done;
}

/* Copying the frame takes the game next to nothing, and waking the thread, if that has not foreseen the frame, 10 to 40 us;
 * encoding and sending it here takes 40, and clashd, which the bytes wake, may then take the game's processor for 100 more. So the
 * thread does it, while a processor is free for it. On a machine without
 * one it would have many a frame at clashd after the game has asked for its events: then, and as long as that lasts, it is done
 * here. */
bool feed_link_put(feed_link *link, const feed_frame *frame)
{
    unsigned end = atomic_load_explicit(&link->end, memory_order_relaxed);
    feed_frame *slot = &link->frames[end % RING_FRAMES];

    link->owes_cut = link->owes_cut || frame->is_cut;
    if (end - atomic_load_explicit(&link->start, memory_order_acquire) == RING_FRAMES)
        return false;
    *slot = *frame;
    slot->is_cut = link->owes_cut;
    link->owes_cut = false;
    link->put_at[end % RING_FRAMES] = feed_now_ns();
    atomic_store(&link->end, end + 1);
    if (atomic_load_explicit(&link->lateness, memory_order_relaxed) < LATE_LIMIT || !try_now(link))
        wake(link);
    return true;
}

bool feed_link_take_pulse(feed_link *link, feed_pulse *out_pulse)
{
    unsigned start = atomic_load_explicit(&link->pulse_start, memory_order_relaxed);

    while (start != atomic_load_explicit(&link->pulse_end, memory_order_acquire)) {
        *out_pulse = link->pulses[start % RING_PULSES];
        atomic_store_explicit(&link->pulse_start, ++start, memory_order_release);
        if (feed_now_ns() - out_pulse->came_ns < PULSE_STALE_NS)
            return true;
    }
    return false;
}

/* ---- the thread, which has the lock but while it waits */

static void take_pulse(void *context, const feed_pulse *pulse)
{
    feed_link *link = context;
    unsigned end = atomic_load_explicit(&link->pulse_end, memory_order_relaxed);

    if (end - atomic_load_explicit(&link->pulse_start, memory_order_acquire) == RING_PULSES)
        return;
    link->pulses[end % RING_PULSES] = *pulse;
    atomic_store_explicit(&link->pulse_end, end + 1, memory_order_release);
}

/** Send the frames of the ring that are not too far ahead. Return when the next is due, CLOCK_MONOTONIC; INT64_MAX: the ring is empty. */
static int64_t empty_ring(feed_link *link)
{
    unsigned start = atomic_load_explicit(&link->start, memory_order_relaxed);

    while (start != atomic_load_explicit(&link->end, memory_order_acquire)) {
        const feed_frame *frame = &link->frames[start % RING_FRAMES];
        int64_t put_at = link->put_at[start % RING_FRAMES];

        if (is_early(frame))
            return frame->time_ns - AHEAD_NS;
        if (!frame->is_end) {
            count_frame(link, frame->time_ns <= put_at + AHEAD_NS && feed_now_ns() - put_at > LATE_NS);
            frame_forecast_note(&link->forecast, put_at, frame->time_ns);
        }
        feed_connection_forward(link->connection, frame);
        atomic_store_explicit(&link->start, ++start, memory_order_release);
    }
    return INT64_MAX;
}

static bool is_empty(const feed_link *link)
{
    return atomic_load(&link->end) == atomic_load_explicit(&link->start, memory_order_relaxed);
}

/** What to wait for if nothing else is due than the next frame. */
static frame_outlook look_out(const feed_link *link, int64_t now)
{
    frame_outlook outlook = frame_forecast_next(&link->forecast, now);

    /* At a lower priority the kernel rounds a wait up by as much as a 200th. */
    if (outlook.until_ns != INT64_MAX && !outlook.is_close)
        outlook.until_ns -= (outlook.until_ns - now) / 200;
    return outlook;
}

/** Wait until that time, for the connection, or for a frame; INT64_MAX: without a limit. */
static void wait_for_work(feed_link *link, int64_t until)
{
    struct pollfd waits[] = {{.fd = link->wakes, .events = POLLIN}, feed_connection_waits(link->connection)};
    int64_t now = feed_now_ns(), left;
    frame_outlook outlook = until == INT64_MAX ? look_out(link, now) : (frame_outlook){until, .is_close = true};
    struct timespec timeout;
    uint64_t count;
    ssize_t length = 0;

    /* The game writes a frame before it reads is_asleep, and here is_asleep is set before the ring is read: one sees the other. */
    atomic_store(&link->is_asleep, !outlook.is_close);
    if (!outlook.is_close && !is_empty(link))
        return;
    left = outlook.until_ns > now ? outlook.until_ns - now : 0;
    timeout = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    pthread_mutex_unlock(&link->lock);
    if (ppoll(waits, 2, outlook.until_ns == INT64_MAX ? NULL : &timeout, NULL) > 0 && waits[0].revents != 0)
        length = read(link->wakes, &count, sizeof count);
    (void)length; /* the wake-up's reason is in the ring */
    /* The game has closed what it did not open: nobody can wake this thread any more. */
    if (waits[0].revents & POLLNVAL)
        atomic_store_explicit(&link->is_over, true, memory_order_relaxed);
    atomic_store(&link->is_asleep, false);
    pthread_mutex_lock(&link->lock);
}

/** sched_attr of sched_setattr(2), which not all C libraries have. */
typedef struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline, period;
} scheduling;

/** If the thread is woken in mid-frame, let it wait for a free processor instead of taking the one that draws: SCHED_BATCH alone
 *  does not see to that if both are of the same weight. Linux before 6.12 takes no slice into account. */
static void yield_to_game(void)
{
    int nice = getpriority(PRIO_PROCESS, 0) + LOWER_NICE;
    scheduling wanted = {
        .size = sizeof wanted, .policy = SCHED_BATCH, .nice = nice < 19 ? nice : 19, .slice_ns = SLICE_NS};

    syscall(SYS_sched_setattr, 0, &wanted, 0); /* refused: it runs like any other */
}

static void *run(void *context)
{
    feed_link *link = context;

    yield_to_game();
    prctl(PR_SET_TIMERSLACK, 1000UL);
    pthread_mutex_lock(&link->lock);
    while (!atomic_load_explicit(&link->is_over, memory_order_acquire)) {
        int64_t due = empty_ring(link), again = feed_connection_keep(link->connection);

        wait_for_work(link, again < due ? again : due);
        feed_connection_dispatch(link->connection);
    }
    pthread_mutex_unlock(&link->lock);
    return NULL;
}

/** Block all signals: none of the game's is to be handled in this thread. */
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

feed_link *feed_link_create(void)
{
    feed_link *link = calloc(1, sizeof *link);

    if (!link)
        return NULL;
    link->process = getpid();
    pthread_mutex_init(&link->lock, NULL);
    link->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    link->connection = feed_connection_create(take_pulse, link);
    if (link->wakes >= 0 && link->connection && start_thread(link) == 0)
        return link;
    feed_connection_destroy(link->connection);
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
        link->process != getpid()) /* after a fork only the parent has the thread, which may be changing this memory */
        return;
    atomic_store_explicit(&link->is_over, true, memory_order_release);
    written = write(link->wakes, &one, sizeof one);
    (void)written; /* if the counter is full, the thread is awake */
    pthread_join(link->thread, NULL);
    pthread_mutex_destroy(&link->lock);
    feed_connection_destroy(link->connection);
    close(link->wakes);
    free(link);
}

/* What the two threads of the OpenXR source share, and nothing else: the way poses go (ring), the way pulses come back, and
 * how they wake, watch and end each other. A runtime may hang for ever inside a call, so the loop's side can let go of a
 * link: the thread then touches neither loop nor logger any more and frees the link should it ever return. */
#ifndef CLASHD_SOURCES_OPENXR_LINK_H
#define CLASHD_SOURCES_OPENXR_LINK_H

#include "sources/openxr.h"
#include "sources/ring.h"

#include <pthread.h>
#include <stdatomic.h>

#define XR_HANDS 2
/** A call that takes longer than this counts as a runtime that does not answer. */
#define XR_STALL_NS 500000000
/** Poses that took longer than this to get are of no certain time: not every runtime knows where a hand was so long ago, and
 *  some say where it is now. As long as the default of contact.max_gap_ms: what is left out for it costs no motion that would
 *  have been joined. */
#define XR_LATE_NS 100000000
/** Pulses that wait for the thread; it takes them every cycle. A power of two. */
#define XR_PULSES_MAX 32

typedef struct xr_pulse {
    uint32_t hand;
    float amplitude; /* 0..1 */
    int64_t duration_ns;
} xr_pulse;

typedef struct xr_link {
    /* set once, before the thread starts */
    openxr_settings settings;
    uint32_t devices[XR_HANDS]; /* left, right */
    ring *ring;
    /* one side writes, the other reads */
    xr_pulse pulses[XR_PULSES_MAX];
    atomic_uint pulses_written, pulses_read;
    atomic_int_fast64_t busy_since_ns; /* when the thread last began to work; 0 while it sleeps */
    atomic_int thread_id;              /* the kernel's; 0: it has not begun yet */
    /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    bool stopping, finished, abandoned;
    uv_async_t *async;
    logger log;
} xr_link;

/** CLOCK_MONOTONIC. */
int64_t xr_now_ns(void);

/** NULL when out of memory. */
xr_link *xr_link_create(const openxr_settings *settings, const uint32_t devices[XR_HANDS], uv_async_t *async,
                        logger log);
void xr_link_destroy(xr_link *link);

/* ---- the loop's side ---- */

/** Asks the thread to end and waits `patience_ns`. True: it is about to return and may be joined, then the link destroyed.
 *  False: it hangs; the link belongs to the thread now. */
bool xr_link_stop(xr_link *link, int64_t patience_ns);
/** False: no room, the pulse is dropped. */
bool xr_link_push_pulse(xr_link *link, const xr_pulse *pulse);
/** For how long the thread has been at work without a pause, ns; 0 while it sleeps. */
int64_t xr_link_busy_ns(const xr_link *link);
/** False where the thread has ended, in whatever way. */
bool xr_link_thread_lives(const xr_link *link);

/* ---- the thread's side ---- */

/** The first thing the thread does. */
void xr_link_begin(xr_link *link);
/** Sleeps; false when the thread is to end, at once if need be. A time that has passed only asks. */
bool xr_link_sleep_until(xr_link *link, int64_t deadline_ns);
/** Has the loop look into the ring. */
void xr_link_wake(xr_link *link);
bool xr_link_pop_pulse(xr_link *link, xr_pulse *out_pulse);
/** Says nothing once the loop's side has let go. */
__attribute__((format(printf, 3, 4))) void xr_link_log(xr_link *link, log_level level, const char *format, ...);
/** The last thing the thread does. */
void xr_link_finish(xr_link *link);

#endif

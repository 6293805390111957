/* What the two threads of the process with the runtime share (clashd_openxr.c): the way poses go, the way pulses come, and how
 * the one that lives in the runtime is woken, watched and told to end. Neither lock nor loop of clashd's is in here: a
 * runtime may hang, crash or end in any call, and takes nothing but its process with it. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_CLASHD_LINK_H
#define CLASHD_SOURCES_OPENXR_HELPER_CLASHD_LINK_H

#include "sources/openxr/helper_wire.h"

#include <pthread.h>
#include <stdatomic.h>

/** A call that takes longer than this counts as a runtime that does not answer. */
#define XR_STALL_NS 500000000
/** Poses that took longer than this to get are of no certain time: not every runtime knows where a hand was so long ago, and
 *  some say where it is now. As long as any motion that is joined
 *  unless contact.max_gap_ms is set: what is left out for it costs none. */
#define XR_LATE_NS 100000000
/** Pulses that wait for the thread; it takes them every cycle. A power of two. */
#define XR_PULSES_MAX 32

typedef struct xr_link {
    /* set once, before the thread starts */
    openxr_settings settings;
    int fd;     /* to clashd */
    ring *ring; /* the thread's, but for what it has dropped */
    /* one side writes, the other reads */
    xr_pulse pulses[XR_PULSES_MAX];
    atomic_uint pulses_written, pulses_read;
    atomic_int_fast64_t lookahead_ns;   /* of the settings, until another one comes */
    atomic_int_fast64_t rest_until_ns;  /* nothing can happen before that */
    atomic_int_fast64_t busy_since_ns;  /* when the thread last began to work; 0 while it sleeps */
    atomic_bool is_closing;             /* it is having the runtime end its instance */
    atomic_int_fast64_t clock_error_ns; /* of the times that it tells */
    atomic_int thread_id;               /* the kernel's; 0: it has not begun yet */
    /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    bool stopping, finished;
} xr_link;

/** CLOCK_MONOTONIC. */
int64_t xr_now_ns(void);

/** NULL when out of memory. `fd` stays the caller's. It lives as long as the process. */
xr_link *xr_link_create(const openxr_settings *settings, int fd);

/* ---- the watching side ---- */

/** Asks the thread to end and waits `timeout_ns`. False: it hangs. */
bool xr_link_stop(xr_link *link, int64_t timeout_ns);
/** False: no room, the pulse is dropped. */
bool xr_link_push_pulse(xr_link *link, const xr_pulse *pulse);
/** For how long the thread has been at work without a pause, ns; 0 while it sleeps. */
int64_t xr_link_busy_ns(const xr_link *link);
/** False if the thread has ended, in whatever way. */
bool xr_link_thread_lives(const xr_link *link);

/* ---- the thread's side ---- */

/** The first thing the thread does. */
void xr_link_begin(xr_link *link);
/** Sleeps; false when the thread is to end, at once if need be. A time that has passed only asks. */
bool xr_link_sleep_until(xr_link *link, int64_t deadline_ns);
/** Before and after the runtime is to end its instance, for which it has less time than for anything else. */
void xr_link_set_closing(xr_link *link, bool is_closing);
/** Sends what is in the ring, as far as clashd takes it. */
void xr_link_flush(xr_link *link);
bool xr_link_pop_pulse(xr_link *link, xr_pulse *out_pulse);
__attribute__((format(printf, 3, 4))) void xr_link_log(xr_link *link, log_level level, const char *format, ...);
/** The last thing the thread does. */
void xr_link_finish(xr_link *link);

#endif

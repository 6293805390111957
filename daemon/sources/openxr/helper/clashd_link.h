/* What the two threads of the process with the runtime share (clashd_openxr.c): how poses leave, how pulses arrive, and
 * how the thread inside the runtime is woken, watched and told to end. No lock and no loop of clashd's is in here: a
 * runtime may hang, crash or end in any call, and takes only its own process with it. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_CLASHD_LINK_H
#define CLASHD_SOURCES_OPENXR_HELPER_CLASHD_LINK_H

#include "sources/openxr/helper_wire.h"
#include "sources/openxr/rest_word.h"

#include <pthread.h>
#include <stdatomic.h>

/** A call longer than this counts as a runtime that does not answer. */
#define XR_STALL_NS 500000000
/** Poses that took longer than this to get are dropped, because their time is not certain: some runtimes do not keep so
 *  long a history and return the present pose. It equals the default of contact.max_gap_ms, so by default no motion
 *  would have been joined across it. */
#define XR_LATE_NS 100000000
/** Pulses that wait for the thread, which takes them every cycle. A power of two. */
#define XR_PULSES_MAX 32

typedef struct xr_link {
    /* set once, before the thread starts */
    openxr_settings settings;
    int fd;                /* socket to clashd */
    const rest_word *rest; /* NULL: there is always something that can meet */
    ring *ring;            /* the thread's own, except for its count of drops */
    /* one side writes, the other reads */
    xr_pulse pulses[XR_PULSES_MAX];
    atomic_uint pulses_written, pulses_read;
    atomic_int_fast64_t lookahead_ns;   /* from the settings until another is set */
    atomic_int_fast64_t busy_since_ns;  /* when the thread last began to work; 0 while it sleeps */
    atomic_bool is_closing;             /* the runtime is destroying its instance */
    atomic_int_fast64_t clock_error_ns; /* of the times it reports */
    atomic_int thread_id;               /* the kernel's; 0 before the thread begins */
    /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    bool stopping, finished;
} xr_link;

/** Return the time on CLOCK_MONOTONIC. */
int64_t xr_now_ns(void);

/** Create the link; it lives as long as the process. `fd` and `rest` (NULL is allowed) stay the caller's. Return NULL when out of
 *  memory. */
xr_link *xr_link_create(const openxr_settings *settings, int fd, const rest_word *rest);

/* ---- the watching side ---- */

/** Ask the thread to end and wait `timeout_ns` for it. Return false if it hangs. */
bool xr_link_stop(xr_link *link, int64_t timeout_ns);
/** Queue a pulse. Return false if there is no room: the pulse is dropped. */
bool xr_link_push_pulse(xr_link *link, const xr_pulse *pulse);
/** Return for how long the thread has worked without a pause, ns; 0 while it sleeps. */
int64_t xr_link_busy_ns(const xr_link *link);
/** Return false if the thread has ended, in whatever way. */
bool xr_link_thread_lives(const xr_link *link);

/* ---- the thread's side ---- */

/** Call this first in the thread. */
void xr_link_begin(xr_link *link);
/** Sleep until the deadline, or only check if it has passed. Return false as soon as the thread is to end. */
bool xr_link_sleep_until(xr_link *link, int64_t deadline_ns);
/** Call this before and after the runtime destroys its instance, for which it has less time than for anything else. */
void xr_link_set_closing(xr_link *link, bool is_closing);
/** Send what is in the ring, as far as clashd takes it. */
void xr_link_flush(xr_link *link);
bool xr_link_pop_pulse(xr_link *link, xr_pulse *out_pulse);
__attribute__((format(printf, 3, 4))) void xr_link_log(xr_link *link, log_level level, const char *format, ...);
/** Call this last in the thread. */
void xr_link_finish(xr_link *link);

#endif

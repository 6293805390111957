/* What the parts of the OpenXR source share: openxr.c (one process after another, and the ports) and helper_messages.c (what comes
 * from them). Included by nobody else. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_PRIVATE_H
#define CLASHD_SOURCES_OPENXR_OPENXR_PRIVATE_H

#include "helper_process.h"
#include "openxr.h"
#include "runtime_output.h"

/* Processes that do not end though they are killed, as where a driver hangs. With so many there is no further one. */
#define LEFT_MAX 4
#define TROUBLE_MAX 256

typedef struct openxr_source {
    pose_source source;
    openxr_settings settings;
    uv_loop_t *loop;
    logger log;
    pose_listener listener;
    uint32_t devices[XR_DEVICES]; /* as the listener has them; UINT32_MAX: it has it not */
    uv_timer_t *timer;            /* until the next process; NULL: stopped. It frees itself. */
    xr_process *process;          /* NULL: there is none now */
    xr_process *left[LEFT_MAX];
    uint64_t pause_ms;
    bool has_delivered; /* the process that is there */
    bool has_future;    /* poses of the future have come, and the log has said so */
    xr_said said;
    xr_thread_state thread;                 /* as last heard */
    ring_runtime runtime;                   /* likewise */
    char profiles[XR_HANDS][RING_TEXT_MAX]; /* likewise; "": no controller, or none is known */
    int64_t lost_ns;                        /* both hands, as we told the listener ourselves */
    clash_tracking_reason
        reported[XR_DEVICES];  /* to the listener; CLASH_TRACKING_OK: samples come, or nothing was reported */
    char trouble[TROUBLE_MAX]; /* why there is no process; "": nothing is wrong with it */
    bool is_silent, is_held;
    int64_t clock_error_ns;
    uint64_t frames, left_behind;
    uint64_t dropped, dropped_before, sessions_before; /* before: by processes that are gone */
} openxr_source;

/** CLOCK_MONOTONIC. */
static inline int64_t source_now_ns(void)
{
    return (int64_t)uv_hrtime();
}

/** All devices, as of now, if nothing else was told of them last. */
void source_lost_all(openxr_source *s, clash_tracking_reason reason);
/** The calls of an xr_process_user; context is the source. */
void source_on_message(void *context, const xr_message *message);
void source_on_printed(void *context, const char *text, size_t length);
void source_on_silent(void *context, bool is_silent);
/** The process has ended: what it printed last. */
void source_take_last_words(openxr_source *s, bool crashed);

#endif

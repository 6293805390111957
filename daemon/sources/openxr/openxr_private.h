/* What the two parts of the OpenXR source share: openxr.c (processes and the port) and helper_messages.c (their
 * messages). Nobody else includes it. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_PRIVATE_H
#define CLASHD_SOURCES_OPENXR_OPENXR_PRIVATE_H

#include "helper_process.h"
#include "offset.h"
#include "openxr.h"
#include "runtime_output.h"

/* Processes that do not end though killed, e.g. because a driver hangs. With this many, no further one is started. */
#define LEFT_MAX 4
#define TROUBLE_MAX 256

typedef struct openxr_source {
    pose_source source;
    openxr_settings settings;
    uv_loop_t *loop;
    logger log;
    pose_listener listener;
    uint32_t devices[XR_DEVICES]; /* the listener's numbers; UINT32_MAX: it did not take the device */
    uv_timer_t *timer;            /* until the next process; NULL: stopped. It frees itself. */
    xr_process *process;          /* NULL: none now */
    xr_process *left[LEFT_MAX];
    uint64_t pause_ms;
    bool has_delivered; /* the present process */
    bool has_future;    /* poses of the future came, and the log said so */
    xr_output output;
    xr_thread_state thread;                     /* as last reported */
    ring_runtime runtime;                       /* likewise */
    char profiles[XR_HANDS][RING_TEXT_MAX];     /* likewise; "": no controller, or not known */
    pose_offsets offsets;                       /* of all controllers */
    xr_offset held[XR_HANDS];                   /* what of them counts now */
    int64_t lost_ns;                            /* both hands, as we told the listener ourselves */
    clash_tracking_reason reported[XR_DEVICES]; /* CLASH_TRACKING_OK: samples come, or nothing was reported */
    char trouble[TROUBLE_MAX];                  /* why there is no process; "": nothing is wrong */
    bool is_silent, is_held;
    int64_t clock_error_ns;
    uint64_t frames, left_behind;
    uint64_t dropped, dropped_before, sessions_before; /* before: by earlier processes */
} openxr_source;

/** Return the time on CLOCK_MONOTONIC. */
static inline int64_t source_now_ns(void)
{
    return (int64_t)uv_hrtime();
}

/** Report all devices lost as of now, unless something else was reported of them last. */
void source_lost_all(openxr_source *s, clash_tracking_reason reason);
/** Look again where what the hands hold lies, after a change of controllers or offsets. */
void source_choose_offsets(openxr_source *s);
/** The callbacks of xr_process_user; context is the source. */
void source_on_message(void *context, const xr_message *message);
void source_on_printed(void *context, const char *text, size_t length);
void source_on_silent(void *context, bool is_silent);
/** The process has ended: log what it printed last. */
void source_take_last_words(openxr_source *s, bool crashed);

#endif

/* clashd's end of the process that runs the OpenXR runtime (clashd_openxr.c): start it, read it, watch it, reap it. On
 * the loop's thread; nothing blocks. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_PROCESS_H
#define CLASHD_SOURCES_OPENXR_HELPER_PROCESS_H

#include "cli/failure.h"
#include "helper_wire.h"

#include <uv.h>

typedef struct xr_process xr_process;

typedef enum xr_end {
    XR_END_EXIT,   /* with a code */
    XR_END_SIGNAL, /* by a signal that we did not send */
    XR_END_KILLED, /* by us: it was silent too long, or sent nonsense */
    XR_END_NEVER   /* killed, but still there; xr_process_is_gone says when it is gone */
} xr_end;

typedef struct xr_process_user {
    void *context;
    /** A message, already checked. */
    void (*message)(void *context, const xr_message *message);
    /** What it printed, to either output, in pieces of any size. */
    void (*printed)(void *context, const char *text, size_t length);
    /** Nothing has come for a while though the process is there; or it comes again. */
    void (*silent)(void *context, bool is_silent);
    /** The process is gone; everything it sent was delivered before. `number`: exit code or signal. Let it go, now or
     *  later. */
    void (*ended)(void *context, xr_end end, int number);
} xr_process_user;

/** Start the program at `path`. Return NULL with the reason in out_failure. All callbacks come from the loop. */
xr_process *xr_process_start(uv_loop_t *loop, const char *path, const openxr_settings *settings,
                             const xr_process_user *user, failure *out_failure);
/** Send a pulse. Return false if the process takes none for now. */
bool xr_process_pulse(xr_process *p, const xr_pulse *pulse);
/** Hold back its messages until it is released or ends. May be called from within a message. */
void xr_process_hold(xr_process *p, bool is_held);
/** Allow it to leave samples out until then, CLOCK_MONOTONIC. */
void xr_process_rest(xr_process *p, int64_t until_ns);
/** Set the lookahead. Return false if the process takes nothing for now. */
bool xr_process_look_ahead(xr_process *p, int64_t ahead_ns);
/** After XR_END_NEVER: return whether the process is gone at last. */
bool xr_process_is_gone(const xr_process *p);
/** Let go: no callbacks from now on, and the process ends by itself if it has not. Its handles close in the loop, which
 *  must run once more. Accepts NULL. */
void xr_process_release(xr_process *p);

#endif

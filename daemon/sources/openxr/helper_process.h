/* clashd's end of the process that has the OpenXR runtime (clashd_openxr.c): started, heard, watched, buried. On the loop's
 * thread, and nothing waits. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_PROCESS_H
#define CLASHD_SOURCES_OPENXR_HELPER_PROCESS_H

#include "helper_wire.h"

#include <uv.h>

typedef struct xr_process xr_process;

typedef enum xr_end {
    XR_END_EXIT,   /* with a code */
    XR_END_SIGNAL, /* by a signal that was not ours */
    XR_END_KILLED, /* by us: it said nothing any more, or nonsense */
    XR_END_NEVER   /* killed, and yet it is there; xr_process_is_buried says when it is not any more */
} xr_end;

typedef struct xr_process_user {
    void *context;
    /** Checked. */
    void (*message)(void *context, const xr_message *message);
    /** What it printed, to either output, in whatever pieces. */
    void (*printed)(void *context, const char *text, size_t length);
    /** Nothing has come for a while, though the process is there; or comes again. */
    void (*silent)(void *context, bool is_silent);
    /** It is gone, after all that it had to say. `number`: exit code or signal. The process is to be let go, now or later. */
    void (*ended)(void *context, xr_end end, int number);
} xr_process_user;

/** Starts the program at `path`. NULL with the reason in out_error. Every call of the user comes from the loop. */
xr_process *xr_process_start(uv_loop_t *loop, const char *path, const openxr_settings *settings,
                             const xr_process_user *user, char *out_error, size_t size);
/** False if it takes none for now. */
bool xr_process_pulse(xr_process *p, const xr_pulse *pulse);
/** While it is held, nothing of what it says is heard, until it ends. Also from within a message. */
void xr_process_hold(xr_process *p, bool is_held);
/** It may leave out samples until then. Lost where it takes none for now. */
void xr_process_rest(xr_process *p, int64_t until_ns);
/** False if it takes none for now. */
bool xr_process_look_ahead(xr_process *p, int64_t ahead_ns);
/** After XR_END_NEVER. */
bool xr_process_is_buried(const xr_process *p);
/** No call of the user from now on; the process ends by itself, if it has not. Handles close in the loop, which must run once
 *  more. Accepts NULL. */
void xr_process_let_go(xr_process *p);

#endif

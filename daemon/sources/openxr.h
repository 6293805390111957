/* Source: grip poses of both hands from an OpenXR runtime, in a headless session on a thread of its own. Waits for a
 * runtime that is not there, outlives one that dies, and notices one that hangs. No OpenXR type leaves this room. */
#ifndef CLASHD_SOURCES_OPENXR_H
#define CLASHD_SOURCES_OPENXR_H

#include "ports/haptic_output.h"
#include "ports/log.h"
#include "ports/pose_source.h"

#include <uv.h>

#define OPENXR_DEVICE_LEFT "/user/hand/left"
#define OPENXR_DEVICE_RIGHT "/user/hand/right"

typedef enum openxr_space { OPENXR_SPACE_STAGE, OPENXR_SPACE_LOCAL } openxr_space;

typedef struct openxr_settings {
    double rate_hz;     /* 1 .. 10000, frames a second */
    openxr_space space; /* what poses are relative to; local stands in, with a warning, for a stage that is not there */
    int64_t lookahead_ns; /* poses are asked for this much after now; 0 or a little below is what can be measured */
    bool haptics;         /* binds the vibration of both hands */
} openxr_settings;

/** Not started; settings are copied, the loop and the logger's context outlive the source. The logger is also called from
 *  the source's thread. start() returns at once, whether there is a runtime or not. After stop() or destroy() the loop
 *  must run once more before it is closed: handles close in it. Both wait up to 1 s for a runtime that hangs and then
 *  leave its thread to itself. NULL when out of memory. */
pose_source *openxr_source_create(const openxr_settings *settings, uv_loop_t *loop, logger log);

/** Makes the hands of that source vibrate; pulses are dropped while there is no session. Valid as long as the source. */
haptic_output openxr_source_haptics(pose_source *source);

#endif

/* Source: grip poses of both hands and of trackers from an OpenXR runtime, in a headless session in a process of its
 * own. Waits for a runtime that is missing, outlives one that dies, crashes or never ends, and notices one that hangs.
 * No OpenXR type leaves this room. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_H
#define CLASHD_SOURCES_OPENXR_OPENXR_H

#include "openxr_settings.h"
#include "ports/haptic_output.h"
#include "ports/log.h"
#include "ports/pose_source.h"

#include <uv.h>

/** The program that runs the runtime, and the environment variable that names another. */
#define OPENXR_HELPER_NAME "clashd-openxr"
#define OPENXR_HELPER_VARIABLE "CLASHD_OPENXR_HELPER"

/** Create a source, not started. Settings are copied; the loop and the logger's context must outlive the source.
 *  start() returns at once, whether or not there is a runtime; stop() and destroy() do even if it hangs: its process
 *  ends by itself within a second. Run the loop once more after them before closing it, because handles close in it.
 *  Return NULL when out of memory. */
pose_source *openxr_source_create(const openxr_settings *settings, uv_loop_t *loop, logger log);

/** Return an output that makes the source's hands vibrate; pulses are dropped while there is no session. Valid as long
 *  as the source. */
haptic_output openxr_source_haptics(pose_source *source);

#endif

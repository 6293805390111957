/* Source: grip poses of both hands from an OpenXR runtime, in a headless session in a process of its own. Waits for a
 * runtime that is not there, outlives one that dies, crashes or never ends, and notices one that hangs. No OpenXR type leaves
 * this room. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_H
#define CLASHD_SOURCES_OPENXR_OPENXR_H

#include "openxr_settings.h"
#include "ports/haptic_output.h"
#include "ports/log.h"
#include "ports/pose_source.h"

#include <uv.h>

/** The program that has the runtime, and what names another one in the environment. */
#define OPENXR_HELPER_NAME "clashd-openxr"
#define OPENXR_HELPER_VARIABLE "CLASHD_OPENXR_HELPER"

/** Not started; settings are copied, the loop and the logger's context outlive the source. start() returns at once, whether
 *  there is a runtime or not, and stop() and destroy() do, whether it hangs or not: its process ends by itself, at most a
 *  second later. After them the loop must run once more before it is closed: handles close in it. NULL when out of memory. */
pose_source *openxr_source_create(const openxr_settings *settings, uv_loop_t *loop, logger log);

/** Makes the hands of that source vibrate; pulses are dropped while there is no session. Valid as long as the source. */
haptic_output openxr_source_haptics(pose_source *source);

#endif

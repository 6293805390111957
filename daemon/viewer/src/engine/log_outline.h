/* The lines that show a target of a recording. One thread. */
#ifndef CLASHD_VIEWER_ENGINE_LOG_OUTLINE_H
#define CLASHD_VIEWER_ENGINE_LOG_OUTLINE_H

#include "cli/failure.h"
#include <clash/outline.h>

#include <stdbool.h>
#include <stddef.h>

/** Of a recording's line of type target: in the device's frame, or if there is none in the stage; valid until the next
 *  call. Return NULL with a message in out_failure if it cannot be made, for instance if its surface is in a file. */
const clash_line *log_outline(const char *line, size_t *out_count, bool *out_is_whole, failure *out_failure);

#endif

/* OSC addresses as settings have them: "/clash", or with places for names, "/clash/{first}/{second}". Pure. */
#ifndef CLASHD_SINKS_OSC_OSC_PATH_H
#define CLASHD_SINKS_OSC_OSC_PATH_H

#include "cli/failure.h"

#include <stddef.h>

/** What a place may be called, without braces. The list ends with NULL. */
extern const char *const osc_path_blades[]; /* "first", "second": the names of the two that touch */
extern const char *const osc_path_avatar[]; /* "parameter": what of the avatar is set */

/** Return 0, or -1 with what was expected in out_failure: a slash first, then printable ASCII, none of it what OSC keeps for patterns, and
 *  no other places than those of `places`. */
int osc_path_check(const char *text, const char *const *places, failure *out_failure);
/** Copy a checked `text` with names in its places, in the order of `places`; what an OSC address cannot have in a part of it, and
 *  a percent sign, becomes %XX. False, and nothing to be used, if it does not fit into `size`. */
bool osc_path_expand(const char *text, const char *const *places, const char *const *names, char *out, size_t size);

#endif

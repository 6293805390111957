/* Holds an event line that was recorded against the one that is found now: the same fields with the same bits. Fields that
 * only the newer of the two has are no difference, so that old recordings stay comparable. Pure; any thread. */
#ifndef CLASHD_PROTOCOL_RECORDING_EVENT_DIFFERENCE_H
#define CLASHD_PROTOCOL_RECORDING_EVENT_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/failure.h"

/** What is added to the numbers of the found one, if a recording begins within its session. Taken from the first pair
 *  of lines if it is not known yet. */
typedef struct event_shift {
    bool has_seq, has_id;
    int64_t seq, id;
    bool has_known_from;
    int64_t known_from_ns; /* contacts that ended before may be missing in one of the two: how long ago that was is not
                              compared */
} event_shift;

/** Return whether they differ; then out_difference names the first field that does and both its values. Both texts end in a
 *  zero. */
bool event_difference(const char *recorded, const char *found, event_shift *shift, failure *out_difference);

#endif

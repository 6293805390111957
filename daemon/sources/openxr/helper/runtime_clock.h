/* The runtime's clock and ours. If the runtime has XR_KHR_convert_timespec_time, it converts. Otherwise XrTime minus
 * CLOCK_MONOTONIC is estimated from times that the runtime reports and what we know of when they were. Used by the
 * OpenXR thread. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_CLOCK_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_CLOCK_H

#include "xr_instance.h"

typedef struct xr_clock {
    const xr_instance *instance;
    bool has_bounds;           /* if the runtime does not convert: */
    int64_t least_ns, most_ns; /* XrTime minus CLOCK_MONOTONIC is between these */
    clockid_t known;           /* the system clock that fits between them, */
    bool is_known;             /* if one does */
} xr_clock;

/** Begin with an instance that outlives the clock. */
void xr_clock_open(xr_clock *clock, const xr_instance *instance);
/** Learn from a time that the runtime reported, which was between `not_before_ns` and `not_after_ns` (CLOCK_MONOTONIC).
 *  Narrows the bounds, or starts them again if the two contradict. Ignores a time of 0 or less. */
void xr_clock_observe(xr_clock *clock, XrTime time, int64_t not_before_ns, int64_t not_after_ns);
/** Return whether times can be converted yet. */
bool xr_clock_is_ready(const xr_clock *clock);
/** Return by how much a converted time may be wrong, ns; 0 if the runtime converts. */
int64_t xr_clock_error_ns(const xr_clock *clock);
/** Return which clock it is, or that none fits, in words for the log. */
const char *xr_clock_name(const xr_clock *clock);

/** Convert a CLOCK_MONOTONIC time to the runtime's, and back. XR_ERROR_TIME_INVALID before the clock is ready. */
XrResult xr_clock_time(const xr_clock *clock, int64_t time_ns, XrTime *out_time);
XrResult xr_clock_time_ns(const xr_clock *clock, XrTime time, int64_t *out_time_ns);

#endif

/* The runtime's clock and ours. Where the runtime has XR_KHR_convert_timespec_time it converts; else XrTime less
 * CLOCK_MONOTONIC is found out from times that the runtime tells and what we know of when they were. Lives on the OpenXR
 * thread. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_CLOCK_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_CLOCK_H

#include "xr_instance.h"

typedef struct xr_clock {
    const xr_instance *instance;
    bool has_bounds;           /* if the runtime does not convert.. */
    int64_t least_ns, most_ns; /* ..XrTime less CLOCK_MONOTONIC is between these */
    clockid_t known;           /* the clock of the system that fits between them.. */
    bool is_known;             /* ..if one does */
} xr_clock;

/** Of an instance that outlives it. */
void xr_clock_open(xr_clock *clock, const xr_instance *instance);
/** The runtime has told a time of its own, which was `not_before_ns` at the earliest and `not_after_ns` at the latest
 *  (CLOCK_MONOTONIC). Narrows the bounds, or begins them anew where the two contradict. What is no time (0, less) is left. */
void xr_clock_observe(xr_clock *clock, XrTime time, int64_t not_before_ns, int64_t not_after_ns);
/** Whether times can be converted yet. */
bool xr_clock_is_ready(const xr_clock *clock);
/** By how much a converted time may be wrong, ns; 0 if the runtime converts. */
int64_t xr_clock_error_ns(const xr_clock *clock);
/** In words, for the log: which clock it is, or that none fits. */
const char *xr_clock_name(const xr_clock *clock);

/** The runtime's time for one of CLOCK_MONOTONIC, and back. XR_ERROR_TIME_INVALID while it is not ready. */
XrResult xr_clock_time(const xr_clock *clock, int64_t time_ns, XrTime *out_time);
XrResult xr_clock_time_ns(const xr_clock *clock, XrTime time, int64_t *out_time_ns);

#endif

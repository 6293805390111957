/* Time: CLOCK_MONOTONIC nanoseconds inside, XrTime outside. They differ on purpose, as on real runtimes, so that a
 * program which forgets to convert is wrong by a year and notices; the environment sets the difference. */
#ifndef CLASHD_RUNTIME_TIMEBASE_H
#define CLASHD_RUNTIME_TIMEBASE_H

#include <openxr/openxr.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000
#define NS_PER_MS 1000000

/** XrTime minus CLOCK_MONOTONIC by default: one Julian year. */
#define TIMEBASE_OFFSET_S 31557600LL
/** The difference in force, ns; set under the runtime's mutex with the instance (instance.c). */
extern int64_t timebase_offset_ns;

static inline int64_t timebase_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/** Sleep until CLOCK_MONOTONIC is at least `until_ns`. */
static inline void timebase_sleep_until(int64_t until_ns)
{
    struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
}

static inline XrTime timebase_to_xr(int64_t monotonic_ns)
{
    return monotonic_ns + timebase_offset_ns;
}

static inline int64_t timebase_from_xr(XrTime time)
{
    return time - timebase_offset_ns;
}

#endif

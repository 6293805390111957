/* The clock that poses and lines have their times by. */
#ifndef CLASHD_PLATFORM_MONOTONIC_H
#define CLASHD_PLATFORM_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/** CLOCK_MONOTONIC, ns. Any thread. */
static inline int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif

/* Convert between XrTime and CLOCK_MONOTONIC; see runtime_clock.h. */
#include "runtime_clock.h"

#include <stddef.h>

/* The system clocks that runtimes use for XrTime, most likely first. */
static const struct {
    clockid_t id;
    const char *name;
} clocks[] = {
    {CLOCK_MONOTONIC, "CLOCK_MONOTONIC"}, {CLOCK_BOOTTIME, "CLOCK_BOOTTIME"}, {CLOCK_REALTIME, "CLOCK_REALTIME"}};
#define CLOCKS (sizeof clocks / sizeof *clocks)

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Return a clock minus CLOCK_MONOTONIC; next to no time passes between the two readings. */
static int64_t clock_lead_ns(clockid_t id)
{
    return id == CLOCK_MONOTONIC ? 0 : read_clock(id) - read_clock(CLOCK_MONOTONIC);
}

static bool converts(const xr_clock *clock)
{
    return clock->instance->time_from_timespec != NULL;
}

void xr_clock_open(xr_clock *clock, const xr_instance *instance)
{
    *clock = (xr_clock){.instance = instance};
}

/* ---- what is known of it ---- */

void xr_clock_observe(xr_clock *clock, XrTime time, int64_t not_before_ns, int64_t not_after_ns)
{
    int64_t least_ns, most_ns;

    if (converts(clock) || time <= 0 || time > INT64_MAX / 2 || not_before_ns > not_after_ns)
        return;
    least_ns = time - not_after_ns;
    most_ns = time - not_before_ns;
    if (clock->has_bounds && least_ns <= clock->most_ns && most_ns >= clock->least_ns) {
        least_ns = least_ns > clock->least_ns ? least_ns : clock->least_ns;
        most_ns = most_ns < clock->most_ns ? most_ns : clock->most_ns;
    }
    clock->least_ns = least_ns;
    clock->most_ns = most_ns;
    clock->has_bounds = true;
    clock->is_known = false;
    for (size_t i = 0; i < CLOCKS && !clock->is_known; i++) {
        const int64_t lead_ns = clock_lead_ns(clocks[i].id);

        clock->known = clocks[i].id;
        clock->is_known = lead_ns >= least_ns && lead_ns <= most_ns;
    }
}

bool xr_clock_is_ready(const xr_clock *clock)
{
    return converts(clock) || clock->has_bounds;
}

int64_t xr_clock_error_ns(const xr_clock *clock)
{
    if (converts(clock) || !clock->has_bounds)
        return 0;
    return clock->is_known ? clock->most_ns - clock->least_ns : (clock->most_ns - clock->least_ns + 1) / 2;
}

const char *xr_clock_name(const xr_clock *clock)
{
    for (size_t i = 0; clock->is_known && i < CLOCKS; i++)
        if (clocks[i].id == clock->known)
            return clocks[i].name;
    return "a clock of its own";
}

/* ---- converting ---- */

static int64_t lead_ns(const xr_clock *clock)
{
    return clock->is_known ? clock_lead_ns(clock->known) : clock->least_ns + (clock->most_ns - clock->least_ns) / 2;
}

XrResult xr_clock_time(const xr_clock *clock, int64_t time_ns, XrTime *out_time)
{
    const struct timespec time = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};

    if (converts(clock))
        return clock->instance->time_from_timespec(clock->instance->handle, &time, out_time);
    if (!clock->has_bounds)
        return XR_ERROR_TIME_INVALID;
    *out_time = time_ns + lead_ns(clock);
    return XR_SUCCESS;
}

XrResult xr_clock_time_ns(const xr_clock *clock, XrTime time, int64_t *out_time_ns)
{
    struct timespec converted = {0};
    XrResult result;

    if (converts(clock)) {
        result = clock->instance->timespec_from_time(clock->instance->handle, time, &converted);
        if (XR_SUCCEEDED(result))
            *out_time_ns = (int64_t)converted.tv_sec * 1000000000 + converted.tv_nsec;
        return result;
    }
    if (!clock->has_bounds)
        return XR_ERROR_TIME_INVALID;
    *out_time_ns = time - lead_ns(clock);
    return XR_SUCCESS;
}

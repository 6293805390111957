/* Convert between strings and numbers: results, structure types, paths, times. */
#include "entries.h"
#include "runtime.h"
#include "timebase.h"
#include <openxr/openxr_reflection.h>
#include <string.h>

#define CASE_NAME(name, value) \
    case name:                 \
        return #name;

/* The header's list names each value once, under its first name, so a switch over it compiles. */
static const char *result_name(XrResult value)
{
    switch (value) {
        XR_LIST_ENUM_XrResult(CASE_NAME) default : return NULL;
    }
}

static const char *structure_type_name(XrStructureType value)
{
    switch (value) {
        XR_LIST_ENUM_XrStructureType(CASE_NAME) default : return NULL;
    }
}

XrResult xr_result_to_string(XrInstance handle, XrResult value, char *buffer)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!buffer)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    const char *name = result_name(value);
    if (name)
        snprintf(buffer, XR_MAX_RESULT_STRING_SIZE, "%s", name);
    else
        snprintf(buffer, XR_MAX_RESULT_STRING_SIZE, "XR_UNKNOWN_%s_%d", XR_FAILED(value) ? "FAILURE" : "SUCCESS",
                 (int)value);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_structure_type_to_string(XrInstance handle, XrStructureType value, char *buffer)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!buffer)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    const char *name = structure_type_name(value);
    if (name)
        snprintf(buffer, XR_MAX_STRUCTURE_NAME_SIZE, "%s", name);
    else
        snprintf(buffer, XR_MAX_STRUCTURE_NAME_SIZE, "XR_UNKNOWN_STRUCTURE_TYPE_%d", (int)value);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_string_to_path(XrInstance handle, const char *string, XrPath *out_path)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!string || !out_path)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    return runtime_leave(paths_add(&instance->paths, string, out_path));
}

XrResult xr_path_to_string(XrInstance handle, XrPath path, uint32_t capacity, uint32_t *out_count, char *buffer)
{
    RUNTIME_ENTER_INSTANCE(handle);
    const char *string = paths_string(&instance->paths, path);
    if (!string)
        return runtime_leave(XR_ERROR_PATH_INVALID);
    bool fill;
    uint32_t size = (uint32_t)strlen(string) + 1;
    result = runtime_two_call(capacity, out_count, size, buffer, &fill);
    if (fill)
        memcpy(buffer, string, size);
    return runtime_leave(result);
}

XrResult xr_convert_timespec_time_to_time(XrInstance handle, const struct timespec *timespec, XrTime *out_time)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!timespec || !out_time)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (timespec->tv_sec < 0 || timespec->tv_sec > TIMEBASE_OFFSET_S * 100 || timespec->tv_nsec < 0 ||
        timespec->tv_nsec >= NS_PER_S)
        return runtime_leave(XR_ERROR_TIME_INVALID);
    *out_time = timebase_to_xr((int64_t)timespec->tv_sec * NS_PER_S + timespec->tv_nsec);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_convert_time_to_timespec_time(XrInstance handle, XrTime time, struct timespec *out_timespec)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!out_timespec)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (time < timebase_offset_ns) /* before CLOCK_MONOTONIC started */
        return runtime_leave(XR_ERROR_TIME_INVALID);
    int64_t monotonic_ns = timebase_from_xr(time);
    out_timespec->tv_sec = monotonic_ns / NS_PER_S;
    out_timespec->tv_nsec = monotonic_ns % NS_PER_S;
    return runtime_leave(XR_SUCCESS);
}

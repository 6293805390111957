/* The OpenXR instance: which runtime, which extensions, which headset. Used by the OpenXR thread. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_INSTANCE_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_INSTANCE_H

#include <clash/event.h>

#include <time.h>

#define XR_USE_TIMESPEC
#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

#define XR_RUNTIME_NAME_MAX (XR_MAX_RUNTIME_NAME_SIZE + 32)
#define XR_INSTANCE_EXTENSIONS_MAX 64

/** Why something cannot go on: a reason for clients, and words that include the runtime's answer. */
typedef struct xr_failure {
    clash_tracking_reason reason;
    char text[512];
} xr_failure;

typedef struct xr_instance {
    XrInstance handle;
    XrSystemId system;                 /* once a headset is found */
    XrVersion api_version;             /* asked for and granted */
    char runtime[XR_RUNTIME_NAME_MAX]; /* name and version */
    char headset[XR_MAX_SYSTEM_NAME_SIZE];
    const char *extensions[XR_INSTANCE_EXTENSIONS_MAX]; /* enabled; static strings */
    uint32_t extension_count;
    /* NULL if the runtime does not convert times */
    PFN_xrConvertTimespecTimeToTimeKHR time_from_timespec;
    PFN_xrConvertTimeToTimespecTimeKHR timespec_from_time;
} xr_instance;

/** Find the runtime and create an instance with XR_MND_headless and, if offered, XR_KHR_convert_timespec_time. The
 *  runtime's library then stays loaded until the process ends. False: out_failure says why, and nothing is left
 *  open. */
bool xr_instance_open(xr_instance *instance, xr_failure *out_failure);
/** Look for a headset. False: out_failure says why; if the reason is CLASH_TRACKING_NO_HEADSET, asking again may
 *  help. */
bool xr_instance_find_headset(xr_instance *instance, xr_failure *out_failure);
/** Destroy the instance and all that was made from it. Accepts one that is not open. */
void xr_instance_close(xr_instance *instance);
bool xr_instance_has(const xr_instance *instance, const char *extension);

/** Record that `call` returned `result`. Always returns false, for `return xr_failure_set(...)`. */
bool xr_failure_set(xr_failure *failure, clash_tracking_reason reason, const char *call, XrResult result);

#endif

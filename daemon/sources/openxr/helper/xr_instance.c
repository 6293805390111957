/* The OpenXR instance: see xr_instance.h. */
#include "xr_instance.h"

#include "keep_library.h"
#include "xr_actions.h"
#include "xr_names.h"
#include "xr_profiles.h"
#include "xr_xdevs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADLESS "XR_MND_headless"
#define TIMESPEC "XR_KHR_convert_timespec_time"
#define OVERLAY "XR_EXTX_overlay"

/* What the runtime offers. */
typedef struct offer {
    XrExtensionProperties *list;
    uint32_t count;
} offer;

bool xr_failure_set(xr_failure *failure, clash_tracking_reason reason, const char *call, XrResult result)
{
    failure->reason = reason;
    snprintf(failure->text, sizeof failure->text, "%s gave %s", call, xr_result_name(result));
    return false;
}

/* ---- extensions ---- */

static bool offer_has(const offer *o, const char *name)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (strcmp(o->list[i].extensionName, name) == 0)
            return true;
    return false;
}

static XrResult offer_get(offer *out)
{
    XrExtensionProperties *list;
    uint32_t count = 0;
    XrResult result = xrEnumerateInstanceExtensionProperties(NULL, 0, &count, NULL);

    xr_keep_runtime();
    if (XR_FAILED(result))
        return result;
    list = calloc((size_t)count + 1, sizeof *list);
    if (!list)
        return XR_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        list[i].type = XR_TYPE_EXTENSION_PROPERTIES;
    result = xrEnumerateInstanceExtensionProperties(NULL, count, &count, list);
    *out = (offer){.list = list, .count = XR_SUCCEEDED(result) ? count : 0};
    return result;
}

bool xr_instance_has(const xr_instance *instance, const char *extension)
{
    for (uint32_t i = 0; i < instance->extension_count; i++)
        if (strcmp(instance->extensions[i], extension) == 0)
            return true;
    return false;
}

static void instance_want(xr_instance *instance, const offer *o, const char *name)
{
    if (instance->extension_count < XR_INSTANCE_EXTENSIONS_MAX && offer_has(o, name) &&
        !xr_instance_has(instance, name))
        instance->extensions[instance->extension_count++] = name;
}

/* List the extensions that matter most first, so that fewer can be asked for by a smaller count. Without the first
 * there is no session that does not draw; without the second we convert times ourselves (runtime_clock.h). */
static uint32_t instance_choose_extensions(xr_instance *instance, const offer *o)
{
    uint32_t count;

    instance_want(instance, o, HEADLESS);
    instance_want(instance, o, TIMESPEC);
    count = instance->extension_count;
    instance_want(instance, o, OVERLAY);
    instance_want(instance, o, XR_XDEV_EXTENSION);
    instance_want(instance, o, XR_TRACKER_EXTENSION);
    for (size_t i = 0; i < xr_profile_count; i++)
        if (xr_profiles[i].extension)
            instance_want(instance, o, xr_profiles[i].extension);
    return count;
}

/* ---- creating ---- */

static XrResult instance_create(XrInstance *out_instance, XrVersion version, const char *const *extensions,
                                uint32_t extension_count)
{
    const XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "clashd",
                            .applicationVersion =
                                CLASH_VERSION_MAJOR * 10000 + CLASH_VERSION_MINOR * 100 + CLASH_VERSION_PATCH,
                            .engineName = "clashd",
                            .engineVersion = 1,
                            .apiVersion = version},
        .enabledExtensionCount = extension_count,
        .enabledExtensionNames = extensions,
    };

    return xrCreateInstance(&info, out_instance);
}

/* Try again with less: an older runtime refuses our version, and one that dislikes an extension it offers need not have
 * it. */
static XrResult instance_create_somehow(xr_instance *instance, uint32_t least_extensions)
{
    XrResult result;

    instance->api_version = XR_CURRENT_API_VERSION;
    result = instance_create(&instance->handle, instance->api_version, instance->extensions, instance->extension_count);
    if (result == XR_ERROR_API_VERSION_UNSUPPORTED) {
        instance->api_version = XR_MAKE_VERSION(1, 0, 0);
        result =
            instance_create(&instance->handle, instance->api_version, instance->extensions, instance->extension_count);
    }
    if (result == XR_ERROR_EXTENSION_NOT_PRESENT || result == XR_ERROR_VALIDATION_FAILURE) {
        instance->extension_count = least_extensions;
        result =
            instance_create(&instance->handle, instance->api_version, instance->extensions, instance->extension_count);
    }
    return result;
}

static void runtime_name(XrInstance handle, char *out_name)
{
    XrInstanceProperties properties = {.type = XR_TYPE_INSTANCE_PROPERTIES};

    if (XR_FAILED(xrGetInstanceProperties(handle, &properties)))
        snprintf(out_name, XR_RUNTIME_NAME_MAX, "an OpenXR runtime without a name");
    else
        snprintf(out_name, XR_RUNTIME_NAME_MAX, "%s %u.%u.%u", properties.runtimeName,
                 (unsigned)XR_VERSION_MAJOR(properties.runtimeVersion),
                 (unsigned)XR_VERSION_MINOR(properties.runtimeVersion),
                 (unsigned)XR_VERSION_PATCH(properties.runtimeVersion));
}

/* Name the runtime in the failure. It tells its name only through an instance, so create one without extensions. */
static bool fail_lacking(xr_failure *out_failure)
{
    char name[XR_RUNTIME_NAME_MAX] = "the active OpenXR runtime";
    XrInstance handle = XR_NULL_HANDLE;

    if (XR_SUCCEEDED(instance_create(&handle, XR_MAKE_VERSION(1, 0, 0), NULL, 0))) {
        runtime_name(handle, name);
        xrDestroyInstance(handle);
    }
    out_failure->reason = CLASH_TRACKING_NO_RUNTIME;
    snprintf(out_failure->text, sizeof out_failure->text,
             "%s lacks " HEADLESS ", which clashd needs to read poses without drawing", name);
    return false;
}

static bool fail_create(const char *call, XrResult result, xr_failure *out_failure)
{
    xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, call, result);
    if (result == XR_ERROR_RUNTIME_UNAVAILABLE)
        snprintf(out_failure->text, sizeof out_failure->text,
                 "no OpenXR runtime is set up (%s gave XR_ERROR_RUNTIME_UNAVAILABLE)", call);
    else if (result == XR_ERROR_RUNTIME_FAILURE)
        snprintf(out_failure->text, sizeof out_failure->text,
                 "the OpenXR runtime is not running or refuses (%s gave XR_ERROR_RUNTIME_FAILURE)", call);
    else if (result == XR_ERROR_LIMIT_REACHED) /* loader 1.0.20 leaks an instance if it runs out of memory at its end */
        snprintf(out_failure->text, sizeof out_failure->text,
                 "the OpenXR loader gives no further instance (%s gave XR_ERROR_LIMIT_REACHED): only a new start of "
                 "clashd may help",
                 call);
    return false;
}

static bool instance_find(xr_instance *instance, xr_failure *out_failure)
{
    offer o = {0};
    XrResult result = offer_get(&o);
    bool found = false;

    if (XR_FAILED(result)) {
        fail_create("xrEnumerateInstanceExtensionProperties", result, out_failure);
    } else if (!offer_has(&o, HEADLESS)) {
        fail_lacking(out_failure);
    } else {
        result = instance_create_somehow(instance, instance_choose_extensions(instance, &o));
        found = XR_SUCCEEDED(result) || fail_create("xrCreateInstance", result, out_failure);
    }
    free(o.list);
    return found;
}

/* ---- what an instance is asked ---- */

static bool instance_find_functions(xr_instance *instance, xr_failure *out_failure)
{
    XrResult result;

    if (!xr_instance_has(instance, TIMESPEC))
        return true;
    result = xrGetInstanceProcAddr(instance->handle, "xrConvertTimespecTimeToTimeKHR",
                                   (PFN_xrVoidFunction *)&instance->time_from_timespec);
    if (XR_SUCCEEDED(result))
        result = xrGetInstanceProcAddr(instance->handle, "xrConvertTimeToTimespecTimeKHR",
                                       (PFN_xrVoidFunction *)&instance->timespec_from_time);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrGetInstanceProcAddr", result);
    return true;
}

bool xr_instance_find_headset(xr_instance *instance, xr_failure *out_failure)
{
    const XrSystemGetInfo info = {.type = XR_TYPE_SYSTEM_GET_INFO, .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    XrSystemProperties properties = {.type = XR_TYPE_SYSTEM_PROPERTIES};
    XrResult result = xrGetSystem(instance->handle, &info, &instance->system);

    if (XR_FAILED(result)) {
        bool has_none = result == XR_ERROR_FORM_FACTOR_UNAVAILABLE || result == XR_ERROR_FORM_FACTOR_UNSUPPORTED;

        xr_failure_set(out_failure, has_none ? CLASH_TRACKING_NO_HEADSET : CLASH_TRACKING_NO_RUNTIME, "xrGetSystem",
                       result);
        if (has_none)
            snprintf(out_failure->text, sizeof out_failure->text, "%.128s has no headset (xrGetSystem gave %s)",
                     instance->runtime, xr_result_name(result));
        return false;
    }
    if (XR_SUCCEEDED(xrGetSystemProperties(instance->handle, instance->system, &properties)))
        snprintf(instance->headset, sizeof instance->headset, "%s", properties.systemName);
    return true;
}

bool xr_instance_open(xr_instance *instance, xr_failure *out_failure)
{
    *instance = (xr_instance){.handle = XR_NULL_HANDLE};
    if (!instance_find(instance, out_failure))
        return false;
    runtime_name(instance->handle, instance->runtime);
    if (instance_find_functions(instance, out_failure))
        return true;
    xr_instance_close(instance);
    return false;
}

void xr_instance_close(xr_instance *instance)
{
    if (instance->handle != XR_NULL_HANDLE)
        xrDestroyInstance(instance->handle);
    instance->handle = XR_NULL_HANDLE;
}

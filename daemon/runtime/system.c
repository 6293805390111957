/* The system: one head-mounted display, or none while a fault says so, and the views it would show. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <signal.h>
#include <string.h>

#define VIEWS 2u
#define VIEW_SIZE 1024u

static bool has_headset(int64_t now_ns)
{
    if (runtime.absences > 0) {
        runtime.absences--;
        return false;
    }
    return !faults_holding(&runtime.faults, FAULT_NO_HEADSET, ~0u, now_ns);
}

XrResult xr_get_system(XrInstance handle, const XrSystemGetInfo *info, XrSystemId *out_system)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!RUNTIME_IS(info, XR_TYPE_SYSTEM_GET_INFO) || !out_system)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (info->formFactor != XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY)
        return runtime_leave(XR_ERROR_FORM_FACTOR_UNSUPPORTED);
    if (faults_crash_in(&runtime.faults, CALL_SYSTEM))
        raise(SIGABRT);
    if (!has_headset(timebase_now_ns()))
        return runtime_leave(XR_ERROR_FORM_FACTOR_UNAVAILABLE);
    instance->system_given = true;
    *out_system = RUNTIME_SYSTEM_ID;
    return runtime_leave(XR_SUCCESS);
}

/* Enter, and check the system id and, if `type` is given, the view configuration. */
static XrResult enter_system(XrInstance handle, XrSystemId system, const XrViewConfigurationType *type)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (system != RUNTIME_SYSTEM_ID || !instance->system_given)
        return runtime_leave(XR_ERROR_SYSTEM_INVALID);
    if (type && *type != XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO)
        return runtime_leave(XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED);
    return XR_SUCCESS;
}

XrResult xr_get_system_properties(XrInstance handle, XrSystemId system, XrSystemProperties *out_properties)
{
    XrResult result = enter_system(handle, system, NULL);
    if (XR_FAILED(result))
        return result;
    if (!RUNTIME_IS(out_properties, XR_TYPE_SYSTEM_PROPERTIES))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    out_properties->systemId = system;
    out_properties->vendorId = 0;
    snprintf(out_properties->systemName, sizeof out_properties->systemName, "clashd stand-in");
    out_properties->graphicsProperties =
        (XrSystemGraphicsProperties){VIEW_SIZE, VIEW_SIZE, XR_MIN_COMPOSITION_LAYERS_SUPPORTED};
    out_properties->trackingProperties = (XrSystemTrackingProperties){XR_TRUE, XR_TRUE};
    for (XrBaseOutStructure *more = out_properties->next; more; more = more->next) {
        if (more->type == RUNTIME_TYPE_XDEV_PROPERTIES)
            ((runtime_xdev_properties *)more)->supports = runtime.instance->xdevs;
    }
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_enumerate_environment_blend_modes(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                              uint32_t capacity, uint32_t *out_count, XrEnvironmentBlendMode *modes)
{
    XrResult result = enter_system(handle, system, &type);
    if (XR_FAILED(result))
        return result;
    bool fill;
    result = runtime_two_call(capacity, out_count, 1, modes, &fill);
    if (fill)
        modes[0] = XR_ENVIRONMENT_BLEND_MODE_OPAQUE;
    return runtime_leave(result);
}

XrResult xr_enumerate_view_configurations(XrInstance handle, XrSystemId system, uint32_t capacity, uint32_t *out_count,
                                          XrViewConfigurationType *types)
{
    XrResult result = enter_system(handle, system, NULL);
    if (XR_FAILED(result))
        return result;
    bool fill;
    result = runtime_two_call(capacity, out_count, 1, types, &fill);
    if (fill)
        types[0] = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO;
    return runtime_leave(result);
}

XrResult xr_get_view_configuration_properties(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                              XrViewConfigurationProperties *out_properties)
{
    XrResult result = enter_system(handle, system, &type);
    if (XR_FAILED(result))
        return result;
    if (!RUNTIME_IS(out_properties, XR_TYPE_VIEW_CONFIGURATION_PROPERTIES))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    out_properties->viewConfigurationType = type;
    out_properties->fovMutable = XR_FALSE;
    return runtime_leave(XR_SUCCESS);
}

static XrResult fill_views(XrViewConfigurationView *views)
{
    for (uint32_t i = 0; i < VIEWS; i++) {
        if (!RUNTIME_IS(&views[i], XR_TYPE_VIEW_CONFIGURATION_VIEW))
            return XR_ERROR_VALIDATION_FAILURE;
        views[i].recommendedImageRectWidth = views[i].maxImageRectWidth = VIEW_SIZE;
        views[i].recommendedImageRectHeight = views[i].maxImageRectHeight = VIEW_SIZE;
        views[i].recommendedSwapchainSampleCount = views[i].maxSwapchainSampleCount = 1;
    }
    return XR_SUCCESS;
}

XrResult xr_enumerate_view_configuration_views(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                               uint32_t capacity, uint32_t *out_count, XrViewConfigurationView *views)
{
    XrResult result = enter_system(handle, system, &type);
    if (XR_FAILED(result))
        return result;
    bool fill;
    result = runtime_two_call(capacity, out_count, VIEWS, views, &fill);
    return runtime_leave(fill ? fill_views(views) : result);
}

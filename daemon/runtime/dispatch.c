/* The loader negotiates here, then asks by name for each function of OpenXR 1.0. It does not guard functions that a
 * runtime lacks, so all of them are here, even those that mean nothing in a headless session. */
#include "runtime/entries.h"
#include "runtime/negotiation.h"
#include "runtime/runtime.h"
#include <string.h>

/* Always 1.0, whatever header this is built with: 1.0 is what is implemented. */
#define DISPATCH_API_VERSION XR_MAKE_VERSION(1, 0, 20)

typedef struct entry {
    const char *name;
    PFN_xrVoidFunction function;
} entry;

/* The conditional makes the compiler check our prototype against OpenXR's. */
#define ENTRY(name, function)                                       \
    {                                                               \
#name, (PFN_xrVoidFunction)(1 ? (function) : (PFN_##name)0) \
    }

static const entry without_instance[] = {
    ENTRY(xrGetInstanceProcAddr, xr_get_instance_proc_addr),
    ENTRY(xrEnumerateApiLayerProperties, xr_enumerate_api_layer_properties),
    ENTRY(xrEnumerateInstanceExtensionProperties, xr_enumerate_instance_extension_properties),
    ENTRY(xrCreateInstance, xr_create_instance),
};

static const entry core[] = {
    ENTRY(xrDestroyInstance, xr_destroy_instance),
    ENTRY(xrGetInstanceProperties, xr_get_instance_properties),
    ENTRY(xrPollEvent, xr_poll_event),
    ENTRY(xrResultToString, xr_result_to_string),
    ENTRY(xrStructureTypeToString, xr_structure_type_to_string),
    ENTRY(xrStringToPath, xr_string_to_path),
    ENTRY(xrPathToString, xr_path_to_string),
    ENTRY(xrGetSystem, xr_get_system),
    ENTRY(xrGetSystemProperties, xr_get_system_properties),
    ENTRY(xrEnumerateEnvironmentBlendModes, xr_enumerate_environment_blend_modes),
    ENTRY(xrEnumerateViewConfigurations, xr_enumerate_view_configurations),
    ENTRY(xrGetViewConfigurationProperties, xr_get_view_configuration_properties),
    ENTRY(xrEnumerateViewConfigurationViews, xr_enumerate_view_configuration_views),
    ENTRY(xrCreateSession, xr_create_session),
    ENTRY(xrDestroySession, xr_destroy_session),
    ENTRY(xrBeginSession, xr_begin_session),
    ENTRY(xrEndSession, xr_end_session),
    ENTRY(xrRequestExitSession, xr_request_exit_session),
    ENTRY(xrWaitFrame, xr_wait_frame),
    ENTRY(xrBeginFrame, xr_begin_frame),
    ENTRY(xrEndFrame, xr_end_frame),
    ENTRY(xrEnumerateSwapchainFormats, xr_enumerate_swapchain_formats),
    ENTRY(xrCreateSwapchain, xr_create_swapchain),
    ENTRY(xrDestroySwapchain, xr_destroy_swapchain),
    ENTRY(xrEnumerateSwapchainImages, xr_enumerate_swapchain_images),
    ENTRY(xrAcquireSwapchainImage, xr_acquire_swapchain_image),
    ENTRY(xrWaitSwapchainImage, xr_wait_swapchain_image),
    ENTRY(xrReleaseSwapchainImage, xr_release_swapchain_image),
    ENTRY(xrEnumerateReferenceSpaces, xr_enumerate_reference_spaces),
    ENTRY(xrCreateReferenceSpace, xr_create_reference_space),
    ENTRY(xrGetReferenceSpaceBoundsRect, xr_get_reference_space_bounds_rect),
    ENTRY(xrCreateActionSpace, xr_create_action_space),
    ENTRY(xrLocateSpace, xr_locate_space),
    ENTRY(xrDestroySpace, xr_destroy_space),
    ENTRY(xrLocateViews, xr_locate_views),
    ENTRY(xrCreateActionSet, xr_create_action_set),
    ENTRY(xrDestroyActionSet, xr_destroy_action_set),
    ENTRY(xrCreateAction, xr_create_action),
    ENTRY(xrDestroyAction, xr_destroy_action),
    ENTRY(xrSuggestInteractionProfileBindings, xr_suggest_interaction_profile_bindings),
    ENTRY(xrAttachSessionActionSets, xr_attach_session_action_sets),
    ENTRY(xrGetCurrentInteractionProfile, xr_get_current_interaction_profile),
    ENTRY(xrEnumerateBoundSourcesForAction, xr_enumerate_bound_sources_for_action),
    ENTRY(xrGetInputSourceLocalizedName, xr_get_input_source_localized_name),
    ENTRY(xrSyncActions, xr_sync_actions),
    ENTRY(xrGetActionStateBoolean, xr_get_action_state_boolean),
    ENTRY(xrGetActionStateFloat, xr_get_action_state_float),
    ENTRY(xrGetActionStateVector2f, xr_get_action_state_vector2f),
    ENTRY(xrGetActionStatePose, xr_get_action_state_pose),
    ENTRY(xrApplyHapticFeedback, xr_apply_haptic_feedback),
    ENTRY(xrStopHapticFeedback, xr_stop_haptic_feedback),
};

static const entry convert_timespec[] = {
    ENTRY(xrConvertTimespecTimeToTimeKHR, xr_convert_timespec_time_to_time),
    ENTRY(xrConvertTimeToTimespecTimeKHR, xr_convert_time_to_timespec_time),
};

static PFN_xrVoidFunction find(const entry *entries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0)
            return entries[i].function;
    }
    return NULL;
}

#define FIND(entries, name) find(entries, sizeof(entries) / sizeof *(entries), name)

XrResult xr_get_instance_proc_addr(XrInstance instance, const char *name, PFN_xrVoidFunction *out_function)
{
    if (!name || !out_function)
        return XR_ERROR_VALIDATION_FAILURE;
    *out_function = FIND(without_instance, name);
    if (*out_function)
        return XR_SUCCESS;
    bool timespec = false, xdevs = false;
    if (!runtime_peek_instance(instance, &timespec, &xdevs))
        return XR_ERROR_HANDLE_INVALID;
    *out_function = FIND(core, name);
    if (!*out_function && timespec)
        *out_function = FIND(convert_timespec, name);
    if (!*out_function && xdevs)
        *out_function = runtime_xdev_function(name);
    return *out_function ? XR_SUCCESS : XR_ERROR_FUNCTION_UNSUPPORTED;
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderRuntimeInterface(
    const negotiation_loader_info *loader_info, negotiation_runtime_request *request)
{
    if (!loader_info || loader_info->struct_type != NEGOTIATION_LOADER_INFO ||
        loader_info->struct_version != NEGOTIATION_STRUCT_VERSION || loader_info->struct_size < sizeof *loader_info)
        return XR_ERROR_INITIALIZATION_FAILED;
    if (!request || request->struct_type != NEGOTIATION_RUNTIME_REQUEST ||
        request->struct_version != NEGOTIATION_STRUCT_VERSION || request->struct_size < sizeof *request)
        return XR_ERROR_INITIALIZATION_FAILED;
    if (loader_info->min_interface_version > NEGOTIATION_INTERFACE_VERSION ||
        loader_info->max_interface_version < NEGOTIATION_INTERFACE_VERSION ||
        loader_info->min_api_version > DISPATCH_API_VERSION || loader_info->max_api_version < XR_MAKE_VERSION(1, 0, 0))
        return XR_ERROR_INITIALIZATION_FAILED;
    request->interface_version = NEGOTIATION_INTERFACE_VERSION;
    request->api_version = DISPATCH_API_VERSION;
    request->get_instance_proc_addr = xr_get_instance_proc_addr;
    return XR_SUCCESS;
}

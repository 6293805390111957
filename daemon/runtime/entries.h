/* One prototype for each OpenXR function that this runtime implements; dispatch.c checks them against OpenXR's own
 * types. See the OpenXR 1.0 specification for their meaning, parameters and errors. */
#ifndef CLASHD_RUNTIME_ENTRIES_H
#define CLASHD_RUNTIME_ENTRIES_H

#ifndef XR_USE_TIMESPEC
#define XR_USE_TIMESPEC
#endif
#include <time.h>

#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

/* dispatch.c */
XrResult xr_get_instance_proc_addr(XrInstance instance, const char *name, PFN_xrVoidFunction *out_function);

/* xdevs.c: return the function of XR_MNDX_xdev_space with that name, or NULL. */
PFN_xrVoidFunction runtime_xdev_function(const char *name);

/* instance.c */
XrResult xr_enumerate_api_layer_properties(uint32_t capacity, uint32_t *out_count, XrApiLayerProperties *properties);
XrResult xr_enumerate_instance_extension_properties(const char *layer, uint32_t capacity, uint32_t *out_count,
                                                    XrExtensionProperties *properties);
XrResult xr_create_instance(const XrInstanceCreateInfo *info, XrInstance *out_instance);
XrResult xr_destroy_instance(XrInstance handle);
XrResult xr_get_instance_properties(XrInstance handle, XrInstanceProperties *out_properties);
XrResult xr_poll_event(XrInstance handle, XrEventDataBuffer *out_event);

/* names.c */
XrResult xr_result_to_string(XrInstance handle, XrResult value, char *buffer);
XrResult xr_structure_type_to_string(XrInstance handle, XrStructureType value, char *buffer);
XrResult xr_string_to_path(XrInstance handle, const char *string, XrPath *out_path);
XrResult xr_path_to_string(XrInstance handle, XrPath path, uint32_t capacity, uint32_t *out_count, char *buffer);
XrResult xr_convert_timespec_time_to_time(XrInstance handle, const struct timespec *timespec, XrTime *out_time);
XrResult xr_convert_time_to_timespec_time(XrInstance handle, XrTime time, struct timespec *out_timespec);

/* system.c */
XrResult xr_get_system(XrInstance handle, const XrSystemGetInfo *info, XrSystemId *out_system);
XrResult xr_get_system_properties(XrInstance handle, XrSystemId system, XrSystemProperties *out_properties);
XrResult xr_enumerate_environment_blend_modes(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                              uint32_t capacity, uint32_t *out_count, XrEnvironmentBlendMode *modes);
XrResult xr_enumerate_view_configurations(XrInstance handle, XrSystemId system, uint32_t capacity, uint32_t *out_count,
                                          XrViewConfigurationType *types);
XrResult xr_get_view_configuration_properties(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                              XrViewConfigurationProperties *out_properties);
XrResult xr_enumerate_view_configuration_views(XrInstance handle, XrSystemId system, XrViewConfigurationType type,
                                               uint32_t capacity, uint32_t *out_count, XrViewConfigurationView *views);

/* session.c */
XrResult xr_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out_session);
XrResult xr_destroy_session(XrSession handle);
XrResult xr_begin_session(XrSession handle, const XrSessionBeginInfo *info);
XrResult xr_end_session(XrSession handle);
XrResult xr_request_exit_session(XrSession handle);
XrResult xr_wait_frame(XrSession handle, const XrFrameWaitInfo *info, XrFrameState *out_state);
XrResult xr_begin_frame(XrSession handle, const XrFrameBeginInfo *info);
XrResult xr_end_frame(XrSession handle, const XrFrameEndInfo *info);

/* swapchains.c */
XrResult xr_enumerate_swapchain_formats(XrSession handle, uint32_t capacity, uint32_t *out_count, int64_t *formats);
XrResult xr_create_swapchain(XrSession handle, const XrSwapchainCreateInfo *info, XrSwapchain *out_swapchain);
XrResult xr_destroy_swapchain(XrSwapchain swapchain);
XrResult xr_enumerate_swapchain_images(XrSwapchain swapchain, uint32_t capacity, uint32_t *out_count,
                                       XrSwapchainImageBaseHeader *images);
XrResult xr_acquire_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageAcquireInfo *info, uint32_t *index);
XrResult xr_wait_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageWaitInfo *info);
XrResult xr_release_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageReleaseInfo *info);

/* spaces.c */
XrResult xr_enumerate_reference_spaces(XrSession handle, uint32_t capacity, uint32_t *out_count,
                                       XrReferenceSpaceType *types);
XrResult xr_create_reference_space(XrSession handle, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space);
XrResult xr_get_reference_space_bounds_rect(XrSession handle, XrReferenceSpaceType type, XrExtent2Df *out_bounds);
XrResult xr_create_action_space(XrSession handle, const XrActionSpaceCreateInfo *info, XrSpace *out_space);
XrResult xr_locate_space(XrSpace handle, XrSpace base_handle, XrTime time, XrSpaceLocation *out_location);
XrResult xr_destroy_space(XrSpace handle);
XrResult xr_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *out_state, uint32_t capacity,
                         uint32_t *out_count, XrView *views);

/* actions.c */
XrResult xr_create_action_set(XrInstance handle, const XrActionSetCreateInfo *info, XrActionSet *out_set);
XrResult xr_destroy_action_set(XrActionSet handle);
XrResult xr_create_action(XrActionSet handle, const XrActionCreateInfo *info, XrAction *out_action);
XrResult xr_destroy_action(XrAction handle);

/* bindings.c */
XrResult xr_suggest_interaction_profile_bindings(XrInstance handle, const XrInteractionProfileSuggestedBinding *info);
XrResult xr_attach_session_action_sets(XrSession handle, const XrSessionActionSetsAttachInfo *info);
XrResult xr_get_current_interaction_profile(XrSession handle, XrPath user, XrInteractionProfileState *out_state);
XrResult xr_enumerate_bound_sources_for_action(XrSession handle, const XrBoundSourcesForActionEnumerateInfo *info,
                                               uint32_t capacity, uint32_t *out_count, XrPath *sources);
XrResult xr_get_input_source_localized_name(XrSession handle, const XrInputSourceLocalizedNameGetInfo *info,
                                            uint32_t capacity, uint32_t *out_count, char *buffer);

/* input.c */
XrResult xr_sync_actions(XrSession handle, const XrActionsSyncInfo *info);
XrResult xr_get_action_state_boolean(XrSession handle, const XrActionStateGetInfo *info, XrActionStateBoolean *state);
XrResult xr_get_action_state_float(XrSession handle, const XrActionStateGetInfo *info, XrActionStateFloat *state);
XrResult xr_get_action_state_vector2f(XrSession handle, const XrActionStateGetInfo *info, XrActionStateVector2f *state);
XrResult xr_get_action_state_pose(XrSession handle, const XrActionStateGetInfo *info, XrActionStatePose *state);
XrResult xr_apply_haptic_feedback(XrSession handle, const XrHapticActionInfo *info, const XrHapticBaseHeader *feedback);
XrResult xr_stop_haptic_feedback(XrSession handle, const XrHapticActionInfo *info);

#endif

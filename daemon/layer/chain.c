/* The layer's place in the chain from the game to the runtime: the loader negotiates here, instances are made with what the
 * layer needs, and every function that the layer does not hook is passed on. */
#include "game_frame.h"
#include "game_haptics.h"
#include "hooks.h"
#include "loader_interface.h"
#include "own_input.h"

#include <stdlib.h>
#include <string.h>

/** 1.0: nothing of later versions is used. */
#define LAYER_API_VERSION XR_MAKE_VERSION(1, 0, 0)

static const char *const hand_paths[] = {"/user/hand/left", "/user/hand/right"};
static const char *const grip_paths[] = {"/user/hand/left/input/grip/pose", "/user/hand/right/input/grip/pose"};
static const char *const grip_parent_paths[] = {"/user/hand/left/input/grip", "/user/hand/right/input/grip"};
static const char *const haptic_paths[] = {"/user/hand/left/output/haptic", "/user/hand/right/output/haptic"};

typedef struct hook {
    const char *name;
    PFN_xrVoidFunction function;
} hook;

/* The conditional makes the compiler hold our prototype against OpenXR's. */
#define HOOK(name, function)                                        \
    {                                                               \
#name, (PFN_xrVoidFunction)(1 ? (function) : (PFN_##name)0) \
    }

static const hook hooks[] = {
    HOOK(xrGetInstanceProcAddr, layer_get_instance_proc_addr),
    HOOK(xrDestroyInstance, layer_destroy_instance),
    HOOK(xrPollEvent, layer_poll_event),
    HOOK(xrCreateSession, layer_create_session),
    HOOK(xrDestroySession, layer_destroy_session),
    HOOK(xrCreateActionSet, layer_create_action_set),
    HOOK(xrDestroyActionSet, layer_destroy_action_set),
    HOOK(xrCreateAction, layer_create_action),
    HOOK(xrDestroyAction, layer_destroy_action),
    HOOK(xrSuggestInteractionProfileBindings, layer_suggest_bindings),
    HOOK(xrAttachSessionActionSets, layer_attach_action_sets),
    HOOK(xrSyncActions, layer_sync_actions),
    HOOK(xrCreateReferenceSpace, layer_create_reference_space),
    HOOK(xrDestroySpace, layer_destroy_space),
    HOOK(xrWaitFrame, layer_wait_frame),
    HOOK(xrLocateViews, layer_locate_views),
    HOOK(xrEndFrame, layer_end_frame),
};

XrResult layer_get_instance_proc_addr(XrInstance handle, const char *name, PFN_xrVoidFunction *out_function)
{
    bool entered = layer_enter();
    const layer_instance *instance = layer_find_instance(handle);
    PFN_xrGetInstanceProcAddr get_proc = instance ? instance->next.get_proc : NULL;
    bool is_idle = instance && instance->is_idle;
    XrResult result;

    layer_leave(entered);
    if (!get_proc)
        return XR_ERROR_HANDLE_INVALID;
    result = get_proc(handle, name, out_function);
    if (XR_FAILED(result) || !name || !out_function || (is_idle && strcmp(name, "xrDestroyInstance") != 0))
        return result;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            *out_function = hooks[i].function;
    return result;
}

static PFN_xrVoidFunction find_next(PFN_xrGetInstanceProcAddr get_proc, XrInstance instance, const char *name)
{
    PFN_xrVoidFunction function = NULL;

    return XR_SUCCEEDED(get_proc(instance, name, &function)) ? function : NULL;
}

/** Return false if one of the functions is missing: then nothing is hooked. */
static bool load_next(layer_next *next, XrInstance instance, PFN_xrGetInstanceProcAddr get_proc)
{
    bool is_whole = true;

    next->get_proc = get_proc;
#define LAYER_LOAD(name)                                                  \
    next->name = (PFN_xr##name)find_next(get_proc, instance, "xr" #name); \
    is_whole = is_whole && next->name;
    LAYER_NEXT(LAYER_LOAD)
#undef LAYER_LOAD
    next->to_timespec =
        (PFN_xrConvertTimeToTimespecTimeKHR)find_next(get_proc, instance, "xrConvertTimeToTimespecTimeKHR");
    return is_whole;
}

static bool find_path(const layer_instance *instance, const char *text, XrPath *out_path)
{
    return XR_SUCCEEDED(instance->next.StringToPath(instance->handle, text, out_path));
}

static bool find_paths(layer_instance *instance)
{
    for (int hand = 0; hand < LAYER_HANDS; hand++)
        if (!find_path(instance, hand_paths[hand], &instance->hands[hand]) ||
            !find_path(instance, grip_paths[hand], &instance->grips[hand]) ||
            !find_path(instance, grip_parent_paths[hand], &instance->grip_parents[hand]) ||
            !find_path(instance, haptic_paths[hand], &instance->haptics[hand]))
            return false;
    return true;
}

/** Return whether the runtime has the extension and the game has not asked for it. */
static bool has_to_enable(const XrInstanceCreateInfo *info, PFN_xrGetInstanceProcAddr get_proc, const char *extension)
{
    PFN_xrEnumerateInstanceExtensionProperties enumerate = (PFN_xrEnumerateInstanceExtensionProperties)find_next(
        get_proc, XR_NULL_HANDLE, "xrEnumerateInstanceExtensionProperties");
    XrExtensionProperties *all = NULL;
    uint32_t count = 0;
    bool found = false;

    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (!info->enabledExtensionNames || strcmp(info->enabledExtensionNames[i], extension) == 0)
            return false;
    if (enumerate && XR_SUCCEEDED(enumerate(NULL, 0, &count, NULL)) && count > 0)
        all = calloc(count, sizeof *all);
    for (uint32_t i = 0; all && i < count; i++)
        all[i].type = XR_TYPE_EXTENSION_PROPERTIES;
    if (all && XR_SUCCEEDED(enumerate(NULL, count, &count, all)))
        for (uint32_t i = 0; i < count && !found; i++)
            found = strcmp(all[i].extensionName, extension) == 0;
    free(all);
    return found;
}

/** Create the instance with the conversion of times enabled, if there is one, else as the game asked for it. */
static XrResult create_below(const XrInstanceCreateInfo *info, const loader_next_info *below,
                             const loader_create_info *chain, XrInstance *out_handle)
{
    const char *extension = XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME;
    const loader_next_info *last = below;
    const char **names = NULL;
    XrInstanceCreateInfo more;
    XrResult result;

    /* The runtime's own answer: a layer in between that has no instance yet may have nobody to ask, and crash. */
    while (last->next)
        last = last->next;
    if (LAYER_IS(info, XR_TYPE_INSTANCE_CREATE_INFO) && has_to_enable(info, last->next_get_proc, extension))
        names = calloc((size_t)info->enabledExtensionCount + 1, sizeof *names);
    if (!names)
        return below->next_create(info, chain, out_handle);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        names[i] = info->enabledExtensionNames[i];
    more = *info;
    names[more.enabledExtensionCount++] = extension;
    more.enabledExtensionNames = names;
    result = below->next_create(&more, chain, out_handle);
    free(names);
    return XR_FAILED(result) ? below->next_create(info, chain, out_handle) : result;
}

static XrResult create_instance(const XrInstanceCreateInfo *info, const loader_create_info *chain,
                                XrInstance *out_handle)
{
    const loader_next_info *below = chain ? chain->next : NULL;
    layer_instance *instance;
    loader_create_info rest;
    XrResult result;
    bool entered;

    if (!below || chain->struct_type != LOADER_LAYER_CREATE_INFO || !below->next_create || !below->next_get_proc ||
        strcmp(below->layer_name, LAYER_NAME) != 0)
        return XR_ERROR_INITIALIZATION_FAILED;
    instance = calloc(1, sizeof *instance);
    if (!instance)
        return XR_ERROR_OUT_OF_MEMORY;
    rest = *chain;
    rest.next = below->next;
    result = create_below(info, below, &rest, out_handle);
    if (XR_FAILED(result) || !info || !out_handle) {
        free(instance);
        return result;
    }
    instance->handle = *out_handle;
    /* clashd's own session has no frames, and its poses go to clashd anyway. */
    instance->is_idle = !load_next(&instance->next, *out_handle, below->next_get_proc) ||
                        strncmp(info->applicationInfo.applicationName, "clashd", XR_MAX_APPLICATION_NAME_SIZE) == 0 ||
                        !find_paths(instance);
    entered = layer_enter();
    layer_add_instance(instance);
    layer_leave(entered);
    return result;
}

XrResult layer_destroy_instance(XrInstance handle)
{
    bool entered = layer_enter();
    layer_instance *instance = layer_find_instance(handle);
    PFN_xrDestroyInstance destroy = instance ? instance->next.DestroyInstance : NULL;

    if (entered && instance)
        layer_forget_instance(instance);
    layer_leave(entered);
    return destroy ? destroy(handle) : XR_ERROR_HANDLE_INVALID;
}

static void note_event(const XrEventDataBuffer *event)
{
    if (event->type == XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED) {
        const XrEventDataSessionStateChanged *changed = (const XrEventDataSessionStateChanged *)event;
        layer_session *session = layer_find_session(changed->session);

        if (session)
            game_frame_state(session, changed->state);
    } else if (event->type == XR_TYPE_EVENT_DATA_INTERACTION_PROFILE_CHANGED) {
        const XrEventDataInteractionProfileChanged *changed = (const XrEventDataInteractionProfileChanged *)event;
        layer_session *session = layer_find_session(changed->session);

        if (session)
            session->profiles_known = false;
    } else if (event->type == XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING) {
        const XrEventDataReferenceSpaceChangePending *pending = (const XrEventDataReferenceSpaceChangePending *)event;
        layer_session *session = layer_find_session(pending->session);

        if (session && session->base != XR_NULL_HANDLE && session->base_type == pending->referenceSpaceType) {
            session->moves_at = pending->changeTime;
            session->base_has_moved |= pending->changeTime <= 0; /* when is not known: now */
        }
    }
}

XrResult layer_poll_event(XrInstance handle, XrEventDataBuffer *event)
{
    const layer_next *next = layer_next_of_instance(handle);
    XrResult result;
    bool entered;

    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->PollEvent(handle, event);
    if (result == XR_SUCCESS && event) {
        entered = layer_enter();
        if (entered)
            note_event(event);
        layer_leave(entered);
    }
    return result;
}

static bool is_overlay(const XrSessionCreateInfo *info)
{
    for (const XrBaseInStructure *more = info ? info->next : NULL; more; more = more->next)
        if (more->type == XR_TYPE_SESSION_CREATE_INFO_OVERLAY_EXTX)
            return true;
    return false;
}

XrResult layer_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out_session)
{
    const layer_next *next = layer_next_of_instance(handle);
    layer_instance *instance;
    XrResult result;
    bool entered;

    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->CreateSession(handle, info, out_session);
    entered = layer_enter();
    instance = layer_find_instance(handle);
    if (entered && XR_SUCCEEDED(result) && instance && out_session)
        layer_add_session(instance, *out_session, is_overlay(info));
    layer_leave(entered);
    return result;
}

XrResult layer_destroy_session(XrSession handle)
{
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    layer_instance *instance = session ? session->instance : NULL;
    const layer_next *next = layer_next_of(instance);
    own_input *input = session ? session->input : NULL;
    const XrInstance owner = instance ? instance->handle : XR_NULL_HANDLE;
    XrResult result;

    if (entered && session) {
        game_haptics_stop(session);
        layer_forget_session(session);
    }
    layer_leave(entered);
    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->DestroySession(handle);
    entered = layer_enter();
    if (entered && input && layer_find_instance(owner) == instance)
        own_input_release(instance, input);
    layer_leave(entered);
    return result;
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderApiLayerInterface(const loader_info *info,
                                                                                   const char *layer_name,
                                                                                   loader_layer_request *request)
{
    if (!info || info->struct_type != LOADER_INFO || info->struct_version != LOADER_STRUCT_VERSION ||
        info->struct_size < sizeof *info)
        return XR_ERROR_INITIALIZATION_FAILED;
    if (!request || request->struct_type != LOADER_LAYER_REQUEST || request->struct_version != LOADER_STRUCT_VERSION ||
        request->struct_size < sizeof *request)
        return XR_ERROR_INITIALIZATION_FAILED;
    if (layer_name && strcmp(layer_name, LAYER_NAME) != 0)
        return XR_ERROR_INITIALIZATION_FAILED;
    if (info->min_interface_version > LOADER_INTERFACE_VERSION ||
        info->max_interface_version < LOADER_INTERFACE_VERSION || info->max_api_version < LAYER_API_VERSION)
        return XR_ERROR_INITIALIZATION_FAILED;
    request->interface_version = LOADER_INTERFACE_VERSION;
    request->api_version = XR_MAKE_VERSION(1, 0, 0);
    request->get_proc = layer_get_instance_proc_addr;
    request->create_instance = create_instance;
    return XR_SUCCESS;
}

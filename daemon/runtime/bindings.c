/* Which path feeds which action. The program suggests bindings per interaction profile, and the controllers have one
 * profile. If the program suggested nothing for it, the controllers act as one that it did suggest for. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include <stdlib.h>
#include <string.h>

/* Look the action up each time the lists are read: actions of destroyed handles stay in them. */
static runtime_action *action_of(XrAction handle)
{
    return handles_get(&runtime.handles, HANDLE_ACTION, HANDLE_VALUE(handle));
}

static XrResult check_suggestion(const XrActionSuggestedBinding *suggestion, int profile)
{
    const runtime_action *action = action_of(suggestion->action);
    if (!action)
        return XR_ERROR_HANDLE_INVALID;
    if (action->set->attached)
        return XR_ERROR_ACTIONSETS_ALREADY_ATTACHED;
    const char *binding = paths_string(&runtime.instance->paths, suggestion->binding);
    if (!binding)
        return XR_ERROR_PATH_INVALID;
    return profiles_has_binding(profile, binding) ? XR_SUCCESS : XR_ERROR_PATH_UNSUPPORTED;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static runtime_suggestion read_suggestion(const XrActionSuggestedBinding *from)
{
    runtime_suggestion s = {.action = from->action, .binding = from->binding};
    const char *path = paths_string(&runtime.instance->paths, from->binding);
    int user = paths_find_user(path, true);
    if (user < 0 || (user >= RUNTIME_HANDS && user != RUNTIME_TRACKER))
        return s;
    s.hand = 1u << user;
    s.source = path + strlen(paths_user((uint32_t)user));
    size_t kind = strcspn(s.source + 1, "/") + 1; /* "/input" */
    s.length = s.source[kind] ? kind + 1 + strcspn(s.source + kind + 1, "/") : kind;
    s.is_grip = starts(s.source, "/input/grip");
    s.is_aim = starts(s.source, "/input/aim");
    s.is_output = starts(s.source, "/output/");
    return s;
}

/* Replace the profile's old list only if every suggestion in the new one is good. */
static XrResult suggest(runtime_instance *instance, const XrInteractionProfileSuggestedBinding *info)
{
    if (!RUNTIME_IS(info, XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING) || info->countSuggestedBindings == 0 ||
        !info->suggestedBindings)
        return XR_ERROR_VALIDATION_FAILURE;
    const char *path = paths_string(&instance->paths, info->interactionProfile);
    if (!path)
        return XR_ERROR_PATH_INVALID;
    int profile = profiles_find(path);
    if (profile < 0 || (profile == PROFILES_TRACKER && !instance->trackers))
        return XR_ERROR_PATH_UNSUPPORTED;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        XrResult result = check_suggestion(&info->suggestedBindings[i], profile);
        if (XR_FAILED(result))
            return result;
    }
    runtime_suggestion *list = malloc(info->countSuggestedBindings * sizeof *list);
    if (!list)
        return XR_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++)
        list[i] = read_suggestion(&info->suggestedBindings[i]);
    free(instance->suggestions[profile].list);
    instance->suggestions[profile] = (runtime_suggestions){list, info->countSuggestedBindings};
    return XR_SUCCESS;
}

XrResult xr_suggest_interaction_profile_bindings(XrInstance handle, const XrInteractionProfileSuggestedBinding *info)
{
    RUNTIME_ENTER_INSTANCE(handle);
    return runtime_leave(suggest(instance, info));
}

static int fitting_profile(const runtime_instance *instance)
{
    if (instance->suggestions[instance->preferred_profile].count > 0)
        return instance->preferred_profile;
    for (int i = 0; i < PROFILES_MAX; i++) {
        if (instance->suggestions[i].count > 0 && profiles_has_binding(i, "/user/hand/left/input/grip/pose"))
            return i;
    }
    return -1;
}

runtime_action *runtime_binding(const runtime_suggestion *suggestion)
{
    runtime_action *action = action_of(suggestion->action);
    if (!action || !suggestion->hand || (action->declared && !(action->declared & suggestion->hand)))
        return NULL;
    bool is_pose = suggestion->is_grip || suggestion->is_aim;
    return suggestion->is_output == (action->type == XR_ACTION_TYPE_VIBRATION_OUTPUT) &&
                   is_pose == (action->type == XR_ACTION_TYPE_POSE_INPUT)
               ? action
               : NULL;
}

static void bind(const runtime_suggestion *suggestion)
{
    runtime_action *action = runtime_binding(suggestion);
    if (!action)
        return;
    if (suggestion->is_aim) {
        if (!(action->bound & suggestion->hand)) /* a grip pose that is bound too takes precedence */
            action->aimed |= suggestion->hand;
    } else if (suggestion->is_grip) {
        action->aimed &= ~suggestion->hand;
    }
    action->bound |= suggestion->hand;
}

void runtime_settle_profile(runtime_session *session)
{
    const runtime_instance *instance = runtime.instance;
    int profile = fitting_profile(instance);
    if (profile == session->profile)
        return;
    session->profile = profile;
    runtime_action *action;
    for (size_t i = 0; (action = handles_next(&runtime.handles, HANDLE_ACTION, &i));)
        action->bound = action->aimed = action->active = 0;
    for (size_t i = 0; profile >= 0 && i < instance->suggestions[profile].count; i++)
        bind(&instance->suggestions[profile].list[i]);
    for (size_t i = 0; i < instance->suggestions[PROFILES_TRACKER].count; i++)
        bind(&instance->suggestions[PROFILES_TRACKER].list[i]);
    XrEventDataInteractionProfileChanged event = {.type = XR_TYPE_EVENT_DATA_INTERACTION_PROFILE_CHANGED,
                                                  .session = session->handle};
    runtime_push_event(&event, sizeof event);
    runtime_log("profile %s", profile < 0 ? "none" : profiles_path(profile));
}

static XrResult attach(runtime_session *session, const XrSessionActionSetsAttachInfo *info)
{
    if (!RUNTIME_IS(info, XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO) || info->countActionSets == 0 || !info->actionSets)
        return XR_ERROR_VALIDATION_FAILURE;
    if (session->attached)
        return XR_ERROR_ACTIONSETS_ALREADY_ATTACHED;
    for (uint32_t i = 0; i < info->countActionSets; i++) {
        if (!handles_get(&runtime.handles, HANDLE_ACTION_SET, HANDLE_VALUE(info->actionSets[i])))
            return XR_ERROR_HANDLE_INVALID;
    }
    for (uint32_t i = 0; i < info->countActionSets; i++) {
        runtime_action_set *set = handles_get(&runtime.handles, HANDLE_ACTION_SET, HANDLE_VALUE(info->actionSets[i]));
        set->attached = true;
    }
    session->attached = true;
    return XR_SUCCESS;
}

XrResult xr_attach_session_action_sets(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    RUNTIME_ENTER_SESSION(handle);
    return runtime_leave(attach(session, info));
}

XrResult xr_get_current_interaction_profile(XrSession handle, XrPath user, XrInteractionProfileState *out_state)
{
    RUNTIME_ENTER_SESSION(handle);
    const char *path = paths_string(&runtime.instance->paths, user);
    int hand = path ? paths_find_user(path, false) : -1;
    if (!RUNTIME_IS(out_state, XR_TYPE_INTERACTION_PROFILE_STATE))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (!path || hand < 0)
        return runtime_leave(path ? XR_ERROR_PATH_UNSUPPORTED : XR_ERROR_PATH_INVALID);
    if (!session->attached)
        return runtime_leave(XR_ERROR_ACTIONSET_NOT_ATTACHED);
    out_state->interactionProfile = XR_NULL_PATH;
    if (hand < RUNTIME_HANDS && session->profile >= 0)
        result = paths_add(&runtime.instance->paths, profiles_path(session->profile), &out_state->interactionProfile);
    return runtime_leave(result);
}

static XrResult enumerate_sources(const runtime_session *session, const XrBoundSourcesForActionEnumerateInfo *info,
                                  uint32_t capacity, uint32_t *out_count, XrPath *sources)
{
    if (!RUNTIME_IS(info, XR_TYPE_BOUND_SOURCES_FOR_ACTION_ENUMERATE_INFO))
        return XR_ERROR_VALIDATION_FAILURE;
    const runtime_action *action = action_of(info->action);
    if (!action)
        return XR_ERROR_HANDLE_INVALID;
    if (!session->attached || !action->set->attached)
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    const runtime_suggestions none = {0};
    const runtime_suggestions *all = session->profile < 0 ? &none : &runtime.instance->suggestions[session->profile];
    uint32_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->list[i].action == info->action;
    bool fill;
    XrResult result = runtime_two_call(capacity, out_count, count, sources, &fill);
    count = 0;
    for (size_t i = 0; fill && i < all->count; i++) {
        if (all->list[i].action == info->action)
            sources[count++] = all->list[i].binding;
    }
    return result;
}

XrResult xr_enumerate_bound_sources_for_action(XrSession handle, const XrBoundSourcesForActionEnumerateInfo *info,
                                               uint32_t capacity, uint32_t *out_count, XrPath *sources)
{
    RUNTIME_ENTER_SESSION(handle);
    return runtime_leave(enumerate_sources(session, info, capacity, out_count, sources));
}

XrResult xr_get_input_source_localized_name(XrSession handle, const XrInputSourceLocalizedNameGetInfo *info,
                                            uint32_t capacity, uint32_t *out_count, char *buffer)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_INPUT_SOURCE_LOCALIZED_NAME_GET_INFO) || info->whichComponents == 0)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    const char *path = paths_string(&runtime.instance->paths, info->sourcePath);
    if (!path)
        return runtime_leave(XR_ERROR_PATH_INVALID);
    if (!session->attached)
        return runtime_leave(XR_ERROR_ACTIONSET_NOT_ATTACHED);
    bool fill; /* the stand-in translates no names: a source's name is its path */
    uint32_t size = (uint32_t)strlen(path) + 1;
    result = runtime_two_call(capacity, out_count, size, buffer, &fill);
    if (fill)
        memcpy(buffer, path, size);
    return runtime_leave(result);
}

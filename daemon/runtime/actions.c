/* Create, name and destroy action sets and actions. Nothing can be added to a set once it is attached. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include <stdlib.h>
#include <string.h>

/* Both names are fixed-size arrays that the program may have left without a terminator. */
static XrResult check_names(const char *name, size_t name_size, const char *localized, size_t localized_size)
{
    size_t length = strnlen(name, name_size);
    if (length == 0 || length == name_size)
        return XR_ERROR_NAME_INVALID;
    if (!paths_level_is_legal(name, length))
        return XR_ERROR_PATH_FORMAT_INVALID;
    size_t localized_length = strnlen(localized, localized_size);
    if (localized_length == 0 || localized_length == localized_size)
        return XR_ERROR_LOCALIZED_NAME_INVALID;
    return XR_SUCCESS;
}

static XrResult check_set_names(const XrActionSetCreateInfo *info)
{
    const runtime_action_set *other;
    for (size_t i = 0; (other = handles_next(&runtime.handles, HANDLE_ACTION_SET, &i));) {
        if (strcmp(other->name, info->actionSetName) == 0)
            return XR_ERROR_NAME_DUPLICATED;
        if (strcmp(other->localized, info->localizedActionSetName) == 0)
            return XR_ERROR_LOCALIZED_NAME_DUPLICATED;
    }
    return XR_SUCCESS;
}

static XrResult create_set(const XrActionSetCreateInfo *info, XrActionSet *out_set)
{
    if (!RUNTIME_IS(info, XR_TYPE_ACTION_SET_CREATE_INFO) || !out_set)
        return XR_ERROR_VALIDATION_FAILURE;
    XrResult result = check_names(info->actionSetName, sizeof info->actionSetName, info->localizedActionSetName,
                                  sizeof info->localizedActionSetName);
    if (XR_SUCCEEDED(result))
        result = check_set_names(info);
    if (XR_FAILED(result))
        return result;
    runtime_action_set *set = calloc(1, sizeof *set);
    if (!set)
        return XR_ERROR_OUT_OF_MEMORY;
    uint64_t handle = handles_add(&runtime.handles, HANDLE_ACTION_SET, set);
    if (!handle) {
        free(set);
        return XR_ERROR_LIMIT_REACHED;
    }
    memcpy(set->name, info->actionSetName, sizeof set->name); /* check_names saw both terminators */
    memcpy(set->localized, info->localizedActionSetName, sizeof set->localized);
    set->priority = info->priority;
    set->handle = *out_set = HANDLE_AS(XrActionSet, handle);
    return XR_SUCCESS;
}

XrResult xr_create_action_set(XrInstance handle, const XrActionSetCreateInfo *info, XrActionSet *out_set)
{
    RUNTIME_ENTER_INSTANCE(handle);
    return runtime_leave(create_set(info, out_set));
}

XrResult xr_destroy_action_set(XrActionSet handle)
{
    RUNTIME_ENTER_TO_DESTROY(HANDLE_ACTION_SET, handle);
    runtime_action *action;
    for (size_t i = 0; (action = handles_next(&runtime.handles, HANDLE_ACTION, &i));) {
        if (action->set == gone) {
            handles_remove(&runtime.handles, HANDLE_VALUE(action->handle));
            free(action);
        }
    }
    handles_remove(&runtime.handles, HANDLE_VALUE(handle));
    free(gone);
    return runtime_leave(XR_SUCCESS);
}

static XrResult check_action_names(const runtime_action_set *set, const XrActionCreateInfo *info)
{
    const runtime_action *other;
    for (size_t i = 0; (other = handles_next(&runtime.handles, HANDLE_ACTION, &i));) {
        if (other->set == set && strcmp(other->name, info->actionName) == 0)
            return XR_ERROR_NAME_DUPLICATED;
        if (other->set == set && strcmp(other->localized, info->localizedActionName) == 0)
            return XR_ERROR_LOCALIZED_NAME_DUPLICATED;
    }
    return XR_SUCCESS;
}

/* Read the subaction paths as user bits. */
static XrResult read_subactions(const XrActionCreateInfo *info, uint32_t *out_declared)
{
    if (info->countSubactionPaths > 0 && !info->subactionPaths)
        return XR_ERROR_VALIDATION_FAILURE;
    *out_declared = 0;
    for (uint32_t i = 0; i < info->countSubactionPaths; i++) {
        const char *path = paths_string(&runtime.instance->paths, info->subactionPaths[i]);
        if (!path)
            return XR_ERROR_PATH_INVALID;
        int user = paths_find_user(path, false);
        if (user < 0 || (*out_declared & 1u << user)) /* no top-level user path, or named twice */
            return XR_ERROR_PATH_UNSUPPORTED;
        *out_declared |= 1u << user;
    }
    return XR_SUCCESS;
}

static bool is_action_type(XrActionType type)
{
    return type == XR_ACTION_TYPE_BOOLEAN_INPUT || type == XR_ACTION_TYPE_FLOAT_INPUT ||
           type == XR_ACTION_TYPE_VECTOR2F_INPUT || type == XR_ACTION_TYPE_POSE_INPUT ||
           type == XR_ACTION_TYPE_VIBRATION_OUTPUT;
}

static XrResult check_action(const runtime_action_set *set, const XrActionCreateInfo *info, uint32_t *out_declared)
{
    if (!RUNTIME_IS(info, XR_TYPE_ACTION_CREATE_INFO) || !is_action_type(info->actionType))
        return XR_ERROR_VALIDATION_FAILURE;
    if (set->attached)
        return XR_ERROR_ACTIONSETS_ALREADY_ATTACHED;
    XrResult result = check_names(info->actionName, sizeof info->actionName, info->localizedActionName,
                                  sizeof info->localizedActionName);
    if (XR_SUCCEEDED(result))
        result = check_action_names(set, info);
    return XR_FAILED(result) ? result : read_subactions(info, out_declared);
}

static XrResult create_action(runtime_action_set *set, const XrActionCreateInfo *info, XrAction *out_action)
{
    uint32_t declared;
    XrResult result = out_action ? check_action(set, info, &declared) : XR_ERROR_VALIDATION_FAILURE;
    if (XR_FAILED(result))
        return result;
    runtime_action *action = calloc(1, sizeof *action);
    if (!action)
        return XR_ERROR_OUT_OF_MEMORY;
    uint64_t handle = handles_add(&runtime.handles, HANDLE_ACTION, action);
    if (!handle) {
        free(action);
        return XR_ERROR_LIMIT_REACHED;
    }
    memcpy(action->name, info->actionName, sizeof action->name); /* check_names saw both terminators */
    memcpy(action->localized, info->localizedActionName, sizeof action->localized);
    action->set = set;
    action->type = info->actionType;
    action->declared = declared;
    action->handle = *out_action = HANDLE_AS(XrAction, handle);
    return XR_SUCCESS;
}

XrResult xr_create_action(XrActionSet handle, const XrActionCreateInfo *info, XrAction *out_action)
{
    void *set;
    XrResult result = runtime_enter_object(HANDLE_ACTION_SET, HANDLE_VALUE(handle), &set);
    return XR_FAILED(result) ? result : runtime_leave(create_action(set, info, out_action));
}

XrResult xr_destroy_action(XrAction handle)
{
    RUNTIME_ENTER_TO_DESTROY(HANDLE_ACTION, handle);
    handles_remove(&runtime.handles, HANDLE_VALUE(handle));
    free(gone);
    return runtime_leave(XR_SUCCESS);
}

/* Input as of the last xrSyncActions, and haptic output, which is counted and logged. Nobody presses buttons; spaces.c
 * locates poses. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"

XrResult runtime_read_subaction(XrPath path, uint32_t declared, uint32_t *out_users)
{
    *out_users = ~0u;
    if (path == XR_NULL_PATH)
        return XR_SUCCESS;
    const char *string = paths_string(&runtime.instance->paths, path);
    if (!string)
        return XR_ERROR_PATH_INVALID;
    int user = paths_find_user(string, false);
    if (user < 0 || !(declared & 1u << user))
        return XR_ERROR_PATH_UNSUPPORTED;
    *out_users = 1u << user;
    return XR_SUCCESS;
}

/* Check what all queries of an action share; return the hands that are both active for it and asked about. */
static XrResult find_action(XrAction handle, XrPath subaction, XrActionType type, uint32_t *out_hands)
{
    const runtime_action *action = handles_get(&runtime.handles, HANDLE_ACTION, HANDLE_VALUE(handle));
    if (!action)
        return XR_ERROR_HANDLE_INVALID;
    if (action->type != type)
        return XR_ERROR_ACTION_TYPE_MISMATCH;
    if (!runtime.session->attached || !action->set->attached)
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    uint32_t users;
    XrResult result = runtime_read_subaction(subaction, action->declared, &users);
    *out_hands = action->active & users;
    return result;
}

/* Nobody presses anything, so a value is always zero. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define GET_ACTION_STATE(function, state_type, structure_type, action_type)                                \
    XrResult function(XrSession handle, const XrActionStateGetInfo *info, state_type *state)               \
    {                                                                                                      \
        uint32_t hands = 0;                                                                                \
        XrResult result = get_state(handle, info, action_type, RUNTIME_IS(state, structure_type), &hands); \
        if (XR_SUCCEEDED(result))                                                                          \
            *state = (state_type){.type = state->type, .next = state->next, .isActive = hands != 0};       \
        return result;                                                                                     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

static XrResult get_state(XrSession handle, const XrActionStateGetInfo *info, XrActionType type, bool output_is_right,
                          uint32_t *out_hands)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_ACTION_STATE_GET_INFO) || !output_is_right)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    return runtime_leave(find_action(info->action, info->subactionPath, type, out_hands));
}

GET_ACTION_STATE(xr_get_action_state_boolean, XrActionStateBoolean, XR_TYPE_ACTION_STATE_BOOLEAN,
                 XR_ACTION_TYPE_BOOLEAN_INPUT)
GET_ACTION_STATE(xr_get_action_state_float, XrActionStateFloat, XR_TYPE_ACTION_STATE_FLOAT, XR_ACTION_TYPE_FLOAT_INPUT)
GET_ACTION_STATE(xr_get_action_state_vector2f, XrActionStateVector2f, XR_TYPE_ACTION_STATE_VECTOR2F,
                 XR_ACTION_TYPE_VECTOR2F_INPUT)
GET_ACTION_STATE(xr_get_action_state_pose, XrActionStatePose, XR_TYPE_ACTION_STATE_POSE, XR_ACTION_TYPE_POSE_INPUT)

static XrResult enter_haptic(XrSession handle, const XrHapticActionInfo *info, uint32_t *out_hands)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_HAPTIC_ACTION_INFO))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    result = find_action(info->action, info->subactionPath, XR_ACTION_TYPE_VIBRATION_OUTPUT, out_hands);
    if (XR_FAILED(result))
        return runtime_leave(result);
    return session->state == XR_SESSION_STATE_FOCUSED ? XR_SUCCESS : runtime_leave(XR_SESSION_NOT_FOCUSED);
}

XrResult xr_apply_haptic_feedback(XrSession handle, const XrHapticActionInfo *info, const XrHapticBaseHeader *feedback)
{
    uint32_t hands = 0;
    XrResult result = enter_haptic(handle, info, &hands);
    if (result != XR_SUCCESS)
        return result;
    if (!RUNTIME_IS(feedback, XR_TYPE_HAPTIC_VIBRATION))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    const XrHapticVibration *pulse = (const XrHapticVibration *)feedback;
    if ((pulse->duration < 0 && pulse->duration != XR_MIN_HAPTIC_DURATION) || !(pulse->frequency >= 0) ||
        !(pulse->amplitude >= 0 && pulse->amplitude <= 1))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    for (uint32_t hand = 0; hand < RUNTIME_HANDS; hand++) {
        if (!(hands & 1u << hand))
            continue;
        runtime.haptics++;
        runtime_log("haptic %s duration_ns=%lld frequency=%.9g amplitude=%.9g count=%llu", paths_user(hand),
                    (long long)pulse->duration, (double)pulse->frequency, (double)pulse->amplitude,
                    (unsigned long long)runtime.haptics);
    }
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_stop_haptic_feedback(XrSession handle, const XrHapticActionInfo *info)
{
    uint32_t hands = 0;
    XrResult result = enter_haptic(handle, info, &hands);
    if (result != XR_SUCCESS)
        return result;
    runtime_log("haptic stop%s%s", hands & 1 ? " /user/hand/left" : "", hands & 2 ? " /user/hand/right" : "");
    return runtime_leave(XR_SUCCESS);
}

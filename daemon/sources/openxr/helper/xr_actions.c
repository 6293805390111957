/* The actions of both hands: see xr_actions.h. */
#include "xr_actions.h"

#include "xr_names.h"
#include "xr_profiles.h"

#include <stdio.h>
#include <string.h>

static const char *const hand_paths[XR_HANDS] = {OPENXR_DEVICE_LEFT, OPENXR_DEVICE_RIGHT};

/* ---- actions ---- */

static XrResult actions_create_one(xr_actions *actions, const char *name, const char *shown, XrActionType type,
                                   XrAction *out_action)
{
    XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                               .actionType = type,
                               .countSubactionPaths = XR_HANDS,
                               .subactionPaths = actions->hands};

    snprintf(info.actionName, sizeof info.actionName, "%s", name);
    snprintf(info.localizedActionName, sizeof info.localizedActionName, "%s", shown);
    return xrCreateAction(actions->set, &info, out_action);
}

static bool actions_create(xr_actions *actions, XrInstance instance, bool haptics, xr_failure *out_failure)
{
    const XrActionSetCreateInfo info = {
        .type = XR_TYPE_ACTION_SET_CREATE_INFO, .actionSetName = "blades", .localizedActionSetName = "Blades"};
    XrResult result = XR_SUCCESS;

    for (int hand = 0; hand < XR_HANDS && XR_SUCCEEDED(result); hand++)
        result = xrStringToPath(instance, hand_paths[hand], &actions->hands[hand]);
    if (XR_SUCCEEDED(result))
        result = xrCreateActionSet(instance, &info, &actions->set);
    if (XR_SUCCEEDED(result))
        result = actions_create_one(actions, "grip", "Blade", XR_ACTION_TYPE_POSE_INPUT, &actions->grip);
    if (XR_SUCCEEDED(result) && haptics)
        result = actions_create_one(actions, "clash", "Clash", XR_ACTION_TYPE_VIBRATION_OUTPUT, &actions->haptic);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "creating actions", result);
    return true;
}

/* ---- bindings ---- */

static XrResult bindings_add(XrInstance instance, XrAction action, const char *component,
                             XrActionSuggestedBinding *bindings, uint32_t *count)
{
    for (int hand = 0; hand < XR_HANDS; hand++) {
        char path[XR_MAX_PATH_LENGTH];
        XrResult result;

        snprintf(path, sizeof path, "%s%s", hand_paths[hand], component);
        bindings[*count].action = action;
        result = xrStringToPath(instance, path, &bindings[*count].binding);
        if (XR_FAILED(result))
            return result;
        (*count)++;
    }
    return XR_SUCCESS;
}

static XrResult actions_suggest(const xr_actions *actions, XrInstance instance, const char *profile, bool haptic)
{
    XrActionSuggestedBinding bindings[2 * XR_HANDS];
    XrInteractionProfileSuggestedBinding suggestion = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                       .suggestedBindings = bindings};
    XrResult result = xrStringToPath(instance, profile, &suggestion.interactionProfile);

    if (XR_SUCCEEDED(result))
        result =
            bindings_add(instance, actions->grip, "/input/grip/pose", bindings, &suggestion.countSuggestedBindings);
    if (XR_SUCCEEDED(result) && haptic)
        result =
            bindings_add(instance, actions->haptic, "/output/haptic", bindings, &suggestion.countSuggestedBindings);
    if (XR_SUCCEEDED(result))
        result = xrSuggestInteractionProfileBindings(instance, &suggestion);
    return result;
}

/* ---- trackers ---- */

typedef struct tracker_bindings {
    XrInteractionProfileSuggestedBinding suggestion;
    XrActionSuggestedBinding list[XR_ROLES];
} tracker_bindings;

static XrResult tracker_create(xr_actions *actions, int role)
{
    XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                               .actionType = XR_ACTION_TYPE_POSE_INPUT,
                               .countSubactionPaths = 1,
                               .subactionPaths = &actions->roles[role]};

    snprintf(info.actionName, sizeof info.actionName, "tracker_%d", role);
    snprintf(info.localizedActionName, sizeof info.localizedActionName, "Tracker %d", role);
    return xrCreateAction(actions->set, &info, &actions->trackers[role]);
}

/* Bind one role after the other, each time with those before: a runtime may know only some, and takes a profile's
 * bindings all or not at all. */
static XrResult tracker_bind(xr_actions *actions, XrInstance instance, int role, tracker_bindings *bindings)
{
    XrActionSuggestedBinding *binding = &bindings->list[bindings->suggestion.countSuggestedBindings];
    const char *device = xr_devices[XR_HANDS + role];
    char path[XR_MAX_PATH_LENGTH];
    XrResult result = xrStringToPath(instance, device, &actions->roles[role]);

    snprintf(path, sizeof path, "%s/input/grip/pose", device);
    if (XR_SUCCEEDED(result))
        result = xrStringToPath(instance, path, &binding->binding);
    if (XR_SUCCEEDED(result))
        result = tracker_create(actions, role);
    if (XR_FAILED(result))
        return result;
    binding->action = actions->trackers[role];
    bindings->suggestion.countSuggestedBindings++;
    bindings->suggestion.suggestedBindings = bindings->list;
    result = xrSuggestInteractionProfileBindings(instance, &bindings->suggestion);
    if (XR_FAILED(result)) {
        bindings->suggestion.countSuggestedBindings--;
        xrDestroyAction(actions->trackers[role]);
    }
    return result;
}

/* Log what fails; the hands go on without the trackers. */
static void trackers_open(xr_actions *actions, const xr_instance *instance, xr_link *link)
{
    tracker_bindings bindings = {.suggestion = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING}};
    XrResult result = XR_ERROR_EXTENSION_NOT_PRESENT;

    if (link->settings.trackers == 0)
        return;
    if (xr_instance_has(instance, XR_TRACKER_EXTENSION))
        result = xrStringToPath(instance->handle, "/interaction_profiles/htc/vive_tracker_htcx",
                                &bindings.suggestion.interactionProfile);
    if (XR_FAILED(result)) {
        xr_link_log(link, LOG_LEVEL_WARNING, "%s knows no trackers (it lacks " XR_TRACKER_EXTENSION "): there are none",
                    instance->runtime);
        return;
    }
    for (int role = 0; role < XR_ROLES; role++) {
        if (!xr_device_is_wanted(&link->settings, (uint32_t)(XR_HANDS + role)))
            continue;
        result = tracker_bind(actions, instance->handle, role, &bindings);
        if (XR_SUCCEEDED(result))
            continue;
        actions->trackers[role] = XR_NULL_HANDLE;
        xr_link_log(link, LOG_LEVEL_WARNING, "%s has no tracker %s (%s): it will be nowhere", instance->runtime,
                    xr_devices[XR_HANDS + role], xr_result_name(result));
    }
}

static XrResult trackers_attached(xr_actions *actions, XrSession session)
{
    XrResult result = XR_SUCCESS;

    for (int role = 0; role < XR_ROLES && XR_SUCCEEDED(result); role++) {
        const XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                              .action = actions->trackers[role],
                                              .subactionPath = actions->roles[role],
                                              .poseInActionSpace = {.orientation = {.w = 1.0f}}};

        if (actions->trackers[role] != XR_NULL_HANDLE)
            result = xrCreateActionSpace(session, &info, &actions->places[role]);
    }
    return result;
}

/* ---- all of them ---- */

/* Return whether the runtime can know the profile: by the instance's version or one of its extensions. */
static bool profile_exists(const xr_profile *profile, const xr_instance *instance)
{
    return profile->minor <= XR_VERSION_MINOR(instance->api_version) ||
           (profile->extension && xr_instance_has(instance, profile->extension));
}

/* Return how many profiles took the suggestion. Poses matter more than vibration: if both are refused, suggest the
 * poses alone. */
static int actions_suggest_all(const xr_actions *actions, const xr_instance *instance, xr_link *link,
                               XrResult *out_last)
{
    int accepted = 0;

    *out_last = XR_SUCCESS;
    for (size_t i = 0; i < xr_profile_count; i++) {
        const xr_profile *profile = &xr_profiles[i];
        bool haptic = actions->haptic != XR_NULL_HANDLE && profile->has_haptic;
        XrResult result;

        if (!profile_exists(profile, instance))
            continue;
        result = actions_suggest(actions, instance->handle, profile->path, haptic);
        if (XR_FAILED(result) && haptic)
            result = actions_suggest(actions, instance->handle, profile->path, false);
        if (XR_SUCCEEDED(result)) {
            accepted++;
            continue;
        }
        *out_last = result;
        xr_link_log(link, LOG_LEVEL_DEBUG, "%s: bindings for %s refused: %s", instance->runtime, profile->path,
                    xr_result_name(result));
    }
    return accepted;
}

bool xr_actions_open(xr_actions *actions, const xr_instance *instance, xr_link *link, xr_failure *out_failure)
{
    XrResult last;
    int accepted;

    *actions = (xr_actions){.set = XR_NULL_HANDLE};
    if (!actions_create(actions, instance->handle, link->settings.haptics, out_failure))
        return false;
    trackers_open(actions, instance, link);
    accepted = actions_suggest_all(actions, instance, link, &last);
    xr_link_log(link, LOG_LEVEL_DEBUG, "%s: %d interaction profiles have a grip for us", instance->runtime, accepted);
    if (accepted > 0)
        return true;
    out_failure->reason = CLASH_TRACKING_NO_RUNTIME;
    snprintf(out_failure->text, sizeof out_failure->text,
             "%.160s takes grip poses of no interaction profile that clashd knows (the last answer was %s)",
             instance->runtime, xr_result_name(last));
    return false;
}

bool xr_actions_attach(xr_actions *actions, XrSession session, xr_failure *out_failure)
{
    const XrSessionActionSetsAttachInfo attach = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &actions->set};
    XrResult result = xrAttachSessionActionSets(session, &attach);

    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrAttachSessionActionSets", result);
    for (int hand = 0; hand < XR_HANDS; hand++) {
        const XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                              .action = actions->grip,
                                              .subactionPath = actions->hands[hand],
                                              .poseInActionSpace = {.orientation = {.w = 1.0f}}};

        result = xrCreateActionSpace(session, &info, &actions->grips[hand]);
        if (XR_FAILED(result))
            return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrCreateActionSpace", result);
    }
    result = trackers_attached(actions, session);
    return XR_SUCCEEDED(result) ||
           xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrCreateActionSpace", result);
}

/* ---- vibration ---- */

void xr_actions_vibrate(const xr_actions *actions, XrSession session, xr_link *link, bool active)
{
    xr_pulse pulse;

    while (xr_link_pop_pulse(link, &pulse)) {
        const XrHapticActionInfo where = {
            .type = XR_TYPE_HAPTIC_ACTION_INFO, .action = actions->haptic, .subactionPath = actions->hands[pulse.hand]};
        const XrHapticVibration how = {.type = XR_TYPE_HAPTIC_VIBRATION,
                                       .duration = pulse.duration_ns,
                                       .frequency = XR_FREQUENCY_UNSPECIFIED,
                                       .amplitude = pulse.amplitude};

        /* If this fails, the next cycle's calls show what broke. */
        if (active && actions->haptic != XR_NULL_HANDLE)
            xrApplyHapticFeedback(session, &where, (const XrHapticBaseHeader *)&how);
    }
}

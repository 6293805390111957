#include "own_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The profiles of OpenXR 1.0 with a grip whose controllers are still sold; all can vibrate. */
static const char *const usual_profiles[] = {
    "/interaction_profiles/khr/simple_controller",       "/interaction_profiles/htc/vive_controller",
    "/interaction_profiles/oculus/touch_controller",     "/interaction_profiles/valve/index_controller",
    "/interaction_profiles/microsoft/motion_controller",
};

static bool has_priority(const own_input *input, uint32_t priority)
{
    for (size_t i = 0; i < input->count; i++)
        if (input->sets[i].priority == priority)
            return true;
    return false;
}

/** If this fails, the layer has no set of that priority, and sends no poses at it. */
static void add_set(layer_instance *instance, own_input *input, uint32_t priority)
{
    own_set *set = &input->sets[input->count];
    XrActionSetCreateInfo set_info = {.type = XR_TYPE_ACTION_SET_CREATE_INFO, .priority = priority};
    XrActionCreateInfo grip_info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                                    .actionType = XR_ACTION_TYPE_POSE_INPUT,
                                    .countSubactionPaths = LAYER_HANDS,
                                    .subactionPaths = instance->hands,
                                    .actionName = "grip",
                                    .localizedActionName = "Grip"};
    XrActionCreateInfo haptic_info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                                      .actionType = XR_ACTION_TYPE_VIBRATION_OUTPUT,
                                      .countSubactionPaths = LAYER_HANDS,
                                      .subactionPaths = instance->hands,
                                      .actionName = "clash",
                                      .localizedActionName = "Clash"};

    if (input->count == OWN_SETS_MAX || has_priority(input, priority))
        return;
    snprintf(set_info.actionSetName, sizeof set_info.actionSetName, "clashd_poses_%u_%" PRIu32, input->number,
             priority);
    snprintf(set_info.localizedActionSetName, sizeof set_info.localizedActionSetName, "clashd poses %u %" PRIu32,
             input->number, priority);
    *set = (own_set){.priority = priority};
    if (XR_FAILED(instance->next.CreateActionSet(instance->handle, &set_info, &set->handle)))
        return;
    if (XR_FAILED(instance->next.CreateAction(set->handle, &grip_info, &set->grip))) {
        instance->next.DestroyActionSet(set->handle);
        return;
    }
    if (XR_FAILED(instance->next.CreateAction(set->handle, &haptic_info, &set->haptic)))
        set->haptic = XR_NULL_HANDLE;
    input->count++;
}

static bool suggests_grip(const layer_instance *instance, const XrInteractionProfileSuggestedBinding *suggestion,
                          XrActionSet set)
{
    for (uint32_t i = 0; suggestion && i < suggestion->countSuggestedBindings; i++) {
        layer_instance *owner;
        const game_action *action = layer_grip_hands(instance, suggestion->suggestedBindings[i].binding)
                                        ? layer_find_action(suggestion->suggestedBindings[i].action, &owner)
                                        : NULL;

        if (action && action->set == set)
            return true;
    }
    return false;
}

own_input *own_input_open(layer_instance *instance, const XrInteractionProfileSuggestedBinding *suggestion)
{
    own_input *input = instance->input;

    if (!input || input->is_attached) {
        input = calloc(1, sizeof *input);
        if (!input)
            return NULL;
        input->number = ++instance->inputs;
        add_set(instance, input, 0);
        if (input->count == 0) {
            free(input);
            return NULL;
        }
        input->older = instance->input;
        instance->input = input;
        if (input->older && input->older->sessions == 0)
            own_input_release(instance, input->older);
    }
    for (size_t i = 0; i < instance->set_count; i++)
        if (instance->sets[i].grips.count > 0 || suggests_grip(instance, suggestion, instance->sets[i].handle))
            add_set(instance, input, instance->sets[i].priority);
    return input;
}

uint32_t own_input_bindings(const layer_instance *instance, const own_input *input, bool with_haptics,
                            XrActionSuggestedBinding *out_bindings)
{
    uint32_t count = 0;

    for (size_t i = 0; i < input->count; i++)
        for (int hand = 0; hand < LAYER_HANDS; hand++) {
            out_bindings[count++] = (XrActionSuggestedBinding){input->sets[i].grip, instance->grips[hand]};
            if (with_haptics && input->sets[i].haptic != XR_NULL_HANDLE)
                out_bindings[count++] = (XrActionSuggestedBinding){input->sets[i].haptic, instance->haptics[hand]};
        }
    return count;
}

void own_input_bound(own_input *input, XrPath profile)
{
    for (size_t i = 0; i < input->count; i++)
        grip_bindings_set(&input->sets[i].grips, profile, (1u << LAYER_HANDS) - 1);
}

void own_input_suggest_alone(layer_instance *instance, own_input *input)
{
    XrActionSuggestedBinding bindings[OWN_BINDINGS_MAX];
    XrInteractionProfileSuggestedBinding info = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                 .countSuggestedBindings =
                                                     own_input_bindings(instance, input, true, bindings),
                                                 .suggestedBindings = bindings};

    for (size_t i = 0; i < sizeof usual_profiles / sizeof usual_profiles[0]; i++)
        if (XR_SUCCEEDED(instance->next.StringToPath(instance->handle, usual_profiles[i], &info.interactionProfile)) &&
            XR_SUCCEEDED(instance->next.SuggestInteractionProfileBindings(instance->handle, &info)))
            own_input_bound(input, info.interactionProfile);
}

/** Create STAGE, to tell clashd how the game's space lies to it. A runtime may have none. */
static void create_stage(layer_session *session)
{
    XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                       .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_STAGE,
                                       .poseInReferenceSpace = {.orientation = {.w = 1.0f}}};

    if (XR_FAILED(session->instance->next.CreateReferenceSpace(session->handle, &info, &session->stage)))
        session->stage = XR_NULL_HANDLE;
}

void own_input_attached(layer_session *session, own_input *input)
{
    const layer_instance *instance = session->instance;

    session->input = input;
    input->is_attached = true;
    input->sessions++;
    for (size_t i = 0; i < input->count; i++) {
        for (int hand = 0; hand < LAYER_HANDS; hand++) {
            XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                            .action = input->sets[i].grip,
                                            .subactionPath = instance->hands[hand],
                                            .poseInActionSpace = {.orientation = {.w = 1.0f}}};

            if (XR_FAILED(instance->next.CreateActionSpace(session->handle, &info, &session->grips[i][hand])))
                session->grips[i][hand] = XR_NULL_HANDLE;
        }
    }
    create_stage(session);
    if (!session->link)
        session->link = feed_link_create();
}

void own_input_release(layer_instance *instance, own_input *input)
{
    own_input **at = &instance->input;

    if (input->sessions > 0)
        input->sessions--;
    if (input->sessions > 0 || input == instance->input)
        return;
    while (*at != input)
        at = &(*at)->older;
    *at = input->older;
    for (size_t i = 0; i < input->count; i++) {
        instance->next.DestroyActionSet(input->sets[i].handle);
        free(input->sets[i].grips.list);
    }
    free(input);
}

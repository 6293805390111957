/* Notes the game's action sets and actions, as far as the layer's have to fit in with them, and passes on what the game suggests and
 * attaches with the layer's added. If the runtime refuses both together, only the game's are passed on. */
#include "hooks.h"
#include "own_input.h"

#include <stdlib.h>
#include <string.h>

XrResult layer_create_action_set(XrInstance handle, const XrActionSetCreateInfo *info, XrActionSet *out_set)
{
    const layer_next *next = layer_next_of_instance(handle);
    layer_instance *instance;
    XrResult result;
    bool entered;

    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->CreateActionSet(handle, info, out_set);
    entered = layer_enter();
    instance = layer_find_instance(handle);
    if (entered && XR_SUCCEEDED(result) && instance && info && out_set) {
        void *list = instance->sets;

        if (layer_grow(&list, instance->set_count, sizeof *instance->sets)) {
            instance->sets = list;
            instance->sets[instance->set_count++] = (game_set){.handle = *out_set, .priority = info->priority};
        }
    }
    layer_leave(entered);
    return result;
}

static void forget_actions_of(layer_instance *instance, XrActionSet set)
{
    size_t kept = 0;

    for (size_t i = 0; i < instance->action_count; i++)
        if (instance->actions[i].set != set)
            instance->actions[kept++] = instance->actions[i];
    instance->action_count = kept;
}

XrResult layer_destroy_action_set(XrActionSet handle)
{
    bool entered = layer_enter();
    layer_instance *instance;
    game_set *set = layer_find_set(handle, &instance);
    const layer_next *next = layer_next_of(instance);

    if (entered && set) {
        free(set->grips.list);
        *set = instance->sets[--instance->set_count];
        forget_actions_of(instance, handle);
    }
    layer_leave(entered);
    return next ? next->DestroyActionSet(handle) : XR_ERROR_HANDLE_INVALID;
}

XrResult layer_create_action(XrActionSet set, const XrActionCreateInfo *info, XrAction *out_action)
{
    bool entered = layer_enter();
    layer_instance *instance;
    const layer_next *next;
    XrResult result;

    layer_find_set(set, &instance);
    next = layer_next_of(instance);
    layer_leave(entered);
    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->CreateAction(set, info, out_action);
    entered = layer_enter();
    if (entered && XR_SUCCEEDED(result) && out_action && layer_find_set(set, &instance)) {
        void *list = instance->actions;

        if (layer_grow(&list, instance->action_count, sizeof *instance->actions)) {
            instance->actions = list;
            instance->actions[instance->action_count++] = (game_action){*out_action, set};
        }
    }
    layer_leave(entered);
    return result;
}

XrResult layer_destroy_action(XrAction handle)
{
    bool entered = layer_enter();
    layer_instance *instance;
    game_action *action = layer_find_action(handle, &instance);
    const layer_next *next = layer_next_of(instance);

    if (entered && action)
        *action = instance->actions[--instance->action_count];
    layer_leave(entered);
    return next ? next->DestroyAction(handle) : XR_ERROR_HANDLE_INVALID;
}

/** Note which of the game's sets have the grip under the profile. Suggestions replace earlier ones. */
static void note_suggestions(layer_instance *instance, const XrInteractionProfileSuggestedBinding *info)
{
    for (size_t i = 0; i < instance->set_count; i++)
        grip_bindings_set(&instance->sets[i].grips, info->interactionProfile, 0);
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        unsigned hands = layer_grip_hands(instance, info->suggestedBindings[i].binding);
        layer_instance *owner;
        const game_action *action = hands ? layer_find_action(info->suggestedBindings[i].action, &owner) : NULL;
        game_set *set = action ? layer_find_set(action->set, &owner) : NULL;

        if (set)
            grip_bindings_set(&set->grips, info->interactionProfile,
                              hands | grip_bindings_get(&set->grips, info->interactionProfile));
    }
}

/** Suggest the game's bindings and the layer's; without haptics if that controller cannot vibrate. */
static XrResult suggest_both(layer_instance *instance, const XrInteractionProfileSuggestedBinding *info)
{
    own_input *input = own_input_open(instance, info);
    XrInteractionProfileSuggestedBinding both = *info;
    XrActionSuggestedBinding *list = NULL;
    XrResult result = XR_ERROR_RUNTIME_FAILURE;

    if (input)
        list = calloc((size_t)info->countSuggestedBindings + OWN_BINDINGS_MAX, sizeof *list);
    if (!list)
        return XR_ERROR_OUT_OF_MEMORY;
    memcpy(list, info->suggestedBindings, info->countSuggestedBindings * sizeof *list);
    both.suggestedBindings = list;
    for (int with_haptics = 1; with_haptics >= 0 && XR_FAILED(result); with_haptics--) {
        both.countSuggestedBindings =
            info->countSuggestedBindings +
            own_input_bindings(instance, input, with_haptics, list + info->countSuggestedBindings);
        result = instance->next.SuggestInteractionProfileBindings(instance->handle, &both);
    }
    if (XR_SUCCEEDED(result))
        own_input_bound(input, info->interactionProfile);
    free(list);
    return result;
}

XrResult layer_suggest_bindings(XrInstance handle, const XrInteractionProfileSuggestedBinding *info)
{
    bool entered = layer_enter();
    layer_instance *instance = layer_find_instance(handle);
    const layer_next *next = layer_next_of(instance);
    XrResult result = XR_ERROR_HANDLE_INVALID;
    bool can_add = entered && instance && LAYER_IS(info, XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING) &&
                   info->countSuggestedBindings > 0 && info->suggestedBindings;

    if (can_add)
        result = suggest_both(instance, info);
    if (XR_FAILED(result) && next)
        result = next->SuggestInteractionProfileBindings(handle, info);
    if (can_add && XR_SUCCEEDED(result))
        note_suggestions(instance, info);
    layer_leave(entered);
    return result;
}

/** Attach the game's sets and the layer's. */
static XrResult attach_both(layer_session *session, const XrSessionActionSetsAttachInfo *info)
{
    layer_instance *instance = session->instance;
    bool is_first = !instance->input;
    own_input *input = is_first ? own_input_open(instance, NULL) : instance->input;
    XrSessionActionSetsAttachInfo both = *info;
    XrActionSet *list = input ? calloc((size_t)info->countActionSets + OWN_SETS_MAX, sizeof(XrActionSet)) : NULL;
    XrResult result;

    if (!list)
        return XR_ERROR_OUT_OF_MEMORY;
    if (is_first)
        own_input_suggest_alone(instance, input);
    memcpy(list, info->actionSets, info->countActionSets * sizeof(XrActionSet));
    for (size_t i = 0; i < input->count; i++)
        list[both.countActionSets++] = input->sets[i].handle;
    both.actionSets = list;
    result = instance->next.AttachSessionActionSets(session->handle, &both);
    if (XR_SUCCEEDED(result))
        own_input_attached(session, input);
    free(list);
    return result;
}

XrResult layer_attach_action_sets(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);
    XrResult result = XR_ERROR_HANDLE_INVALID;
    bool can_add = entered && session && LAYER_IS(info, XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO) &&
                   info->countActionSets > 0 && info->actionSets;

    if (can_add)
        result = attach_both(session, info);
    if (XR_FAILED(result) && next)
        result = next->AttachSessionActionSets(handle, info);
    layer_leave(entered);
    return result;
}

/* xrSyncActions is one for all sets: what is not named in it is not active. So ours goes with the game's own call. A set of a
 * higher priority takes a source away from those of lower ones; two of the same priority share it. So for each hand the one
 * of ours is named that has the priority of the game's set to which the grip goes now. Where there is none of that priority
 * it is one that is lower, and gets nothing: the game's input is never the price. */
#include "input_sync.h"
#include "game_frame.h"
#include "hooks.h"

#include <string.h>

/** Sets that a game names in one call; where it names more, ours stay out. */
#define SYNCED_MAX 32
/** XrActiveActionSetPrioritiesEXT, which headers of 1.0.20 do not have: priorities for this one call. */
#define TYPE_ACTIVE_PRIORITIES ((XrStructureType)1000373000)

/** The highest priority of those of the game's sets that have the hand's grip; false: none has. */
static bool highest(const layer_session *session, const XrActionsSyncInfo *info, int hand, uint32_t *out_priority)
{
    const layer_instance *instance = session->instance;
    bool found = false;

    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        const XrActiveActionSet *active = &info->activeActionSets[i];
        layer_instance *owner;
        const game_set *set = layer_find_set(active->actionSet, &owner);

        if (!set || (active->subactionPath != XR_NULL_PATH && active->subactionPath != instance->hands[hand]) ||
            !(grip_bindings_get(&set->grips, session->profiles[hand]) & 1u << hand))
            continue;
        if (!found || set->priority > *out_priority)
            *out_priority = set->priority;
        found = true;
    }
    return found;
}

/** Which of our sets goes with those for the hand. */
static size_t choose(const layer_session *session, const XrActionsSyncInfo *info, int hand)
{
    const own_input *input = session->input;
    uint32_t priority = 0;
    size_t best = 0; /* of priority 0, below which there is none */

    if (!highest(session, info, hand, &priority))
        return best;
    for (size_t i = 1; i < input->count; i++)
        if (input->sets[i].priority <= priority && input->sets[i].priority > input->sets[best].priority &&
            grip_bindings_get(&input->sets[i].grips, session->profiles[hand]))
            best = i;
    return best;
}

static bool can_join(const layer_session *session, const XrActionsSyncInfo *info)
{
    if (!session || !session->input || !LAYER_IS(info, XR_TYPE_ACTIONS_SYNC_INFO) ||
        info->countActiveActionSets > SYNCED_MAX || (info->countActiveActionSets > 0 && !info->activeActionSets))
        return false;
    for (const XrBaseInStructure *more = info->next; more; more = more->next)
        if (more->type == TYPE_ACTIVE_PRIORITIES)
            return false;
    return true;
}

/** Appends ours to those in `list`. How many then are in it. */
static uint32_t join(layer_session *session, const XrActionsSyncInfo *info, XrActiveActionSet *list)
{
    const own_input *input = session->input;
    uint32_t count = info->countActiveActionSets;

    for (int hand = 0; hand < LAYER_HANDS; hand++) {
        session->active[hand] = choose(session, info, hand);
        list[count++] = (XrActiveActionSet){input->sets[session->active[hand]].handle, session->instance->hands[hand]};
    }
    if (session->active[0] == session->active[1])
        list[--count - 1].subactionPath = XR_NULL_PATH;
    return count;
}

/** The profiles are what they are after a sync. */
static void ask_profiles(layer_session *session)
{
    const layer_instance *instance = session->instance;

    if (session->profiles_known)
        return;
    session->profiles_known = true;
    for (int hand = 0; hand < LAYER_HANDS; hand++) {
        XrInteractionProfileState state = {.type = XR_TYPE_INTERACTION_PROFILE_STATE};

        if (XR_FAILED(instance->next.GetCurrentInteractionProfile(session->handle, instance->hands[hand], &state)))
            state.interactionProfile = XR_NULL_PATH;
        session->profiles[hand] = state.interactionProfile;
        session->profiles_known = session->profiles_known && state.interactionProfile != XR_NULL_PATH;
    }
}

XrResult layer_sync_actions(XrSession handle, const XrActionsSyncInfo *info)
{
    XrActiveActionSet list[SYNCED_MAX + LAYER_HANDS];
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);
    XrActionsSyncInfo both;
    bool joins = entered && can_join(session, info);
    XrResult result = XR_ERROR_HANDLE_INVALID;

    if (joins) {
        both = *info;
        memcpy(list, info->activeActionSets, info->countActiveActionSets * sizeof list[0]);
        both.countActiveActionSets = join(session, info, list);
        both.activeActionSets = list;
    }
    layer_leave(entered);
    if (joins)
        result = next->SyncActions(handle, &both);
    if (XR_FAILED(result) && next)
        result = next->SyncActions(handle, info);
    entered = layer_enter();
    session = layer_find_session(handle);
    if (entered && session && XR_SUCCEEDED(result)) {
        session->game_syncs = true;
        if (session->input)
            ask_profiles(session);
        game_frame_synced(session);
    }
    layer_leave(entered);
    return result;
}

void input_sync_alone(layer_session *session)
{
    XrActiveActionSet active = {.actionSet = session->input->sets[0].handle};
    XrActionsSyncInfo info = {
        .type = XR_TYPE_ACTIONS_SYNC_INFO, .countActiveActionSets = 1, .activeActionSets = &active};

    session->active[0] = session->active[1] = 0;
    session->instance->next.SyncActions(session->handle, &info);
}

/* One xrSyncActions is for all sets: those that it does not name are inactive. So the layer's set goes with the game's own call. A set of a
 * higher priority takes a source from sets of lower ones; sets of the same priority share it. So for each hand the layer names its set
 * of the same priority as the game's set that gets the grip now. If it has none of that priority it names a lower one, which gets
 * nothing: the layer never takes input from the game. */
#include "input_sync.h"
#include "game_frame.h"
#include "hooks.h"

#include <string.h>

/** If a game names more sets in one call, the layer adds none. */
#define SYNCED_MAX 32
/** XrActiveActionSetPrioritiesEXT, which headers of 1.0.20 do not have: priorities for this one call. */
#define TYPE_ACTIVE_PRIORITIES ((XrStructureType)1000373000)

typedef struct active_priority {
    XrActionSet set;
    uint32_t priority;
} active_priority;

typedef struct active_priorities {
    XrStructureType type;
    const void *next;
    uint32_t count;
    const active_priority *list;
} active_priorities;

/** A game's call with the layer's sets added. */
typedef struct joined {
    XrActionsSyncInfo info;
    XrActiveActionSet sets[SYNCED_MAX + LAYER_HANDS];
    active_priorities overrides;
    active_priority priorities[SYNCED_MAX + LAYER_HANDS];
} joined;

/** Return the game's priorities for this call; NULL: those that its sets were created with. */
static const active_priorities *find_overrides(const XrActionsSyncInfo *info)
{
    for (const XrBaseInStructure *more = info->next; more; more = more->next)
        if (more->type == TYPE_ACTIVE_PRIORITIES)
            return (const active_priorities *)more;
    return NULL;
}

static uint32_t priority_of(const game_set *set, const active_priorities *overrides)
{
    for (uint32_t i = 0; overrides && i < overrides->count; i++)
        if (overrides->list[i].set == set->handle)
            return overrides->list[i].priority;
    return set->priority;
}

/** Find the highest priority among the game's sets that have the hand's grip. Return false if none has. */
static bool highest(const layer_session *session, const XrActionsSyncInfo *info, int hand, uint32_t *out_priority)
{
    const layer_instance *instance = session->instance;
    const active_priorities *overrides = find_overrides(info);
    bool found = false;

    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        const XrActiveActionSet *active = &info->activeActionSets[i];
        layer_instance *owner;
        const game_set *set = layer_find_set(active->actionSet, &owner);

        if (!set || (active->subactionPath != XR_NULL_PATH && active->subactionPath != instance->hands[hand]) ||
            !(grip_bindings_get(&set->grips, session->profiles[hand]) & 1u << hand))
            continue;
        if (!found || priority_of(set, overrides) > *out_priority)
            *out_priority = priority_of(set, overrides);
        found = true;
    }
    return found;
}

/** Return which of the layer's sets to sync with the game's for the hand. */
static size_t choose(const layer_session *session, const XrActionsSyncInfo *info, int hand)
{
    const own_input *input = session->input;
    uint32_t priority = 0;
    size_t best = 0; /* has priority 0, the lowest */

    if (!highest(session, info, hand, &priority))
        return best;
    for (size_t i = 1; i < input->count; i++)
        if (input->sets[i].priority <= priority && input->sets[i].priority > input->sets[best].priority &&
            grip_bindings_get(&input->sets[i].grips, session->profiles[hand]))
            best = i;
    return best;
}

/** Return whether the layer's sets can be added. The list of priorities for this call is copied with theirs added, which is possible
 *  only if it comes first in the game's chain. */
static bool can_join(const layer_session *session, const XrActionsSyncInfo *info)
{
    const active_priorities *overrides;

    if (!session || !session->input || !LAYER_IS(info, XR_TYPE_ACTIONS_SYNC_INFO) ||
        info->countActiveActionSets > SYNCED_MAX || (info->countActiveActionSets > 0 && !info->activeActionSets))
        return false;
    overrides = find_overrides(info);
    return !overrides ||
           (info->next == overrides && overrides->count <= SYNCED_MAX && (overrides->list || overrides->count == 0));
}

/** Choose the sets of both hands if the game gives priorities for this call: any of the layer's will do, as they get the priorities of the
 *  game's. If there is only one set for two priorities it gets the lower one, which takes nothing from the game. */
static void override(layer_session *session, const XrActionsSyncInfo *info, joined *both)
{
    const active_priorities *games = find_overrides(info);
    const own_input *input = session->input;
    uint32_t wanted[LAYER_HANDS] = {0, 0}, count = games->count;

    for (int hand = 0; hand < LAYER_HANDS; hand++)
        highest(session, info, hand, &wanted[hand]);
    session->active[0] = session->active[1] = 0;
    if (wanted[0] != wanted[1] && input->count > 1 && grip_bindings_get(&input->sets[1].grips, session->profiles[1]))
        session->active[1] = 1;
    else if (wanted[0] != wanted[1])
        wanted[0] = wanted[1] = wanted[0] < wanted[1] ? wanted[0] : wanted[1];
    if (count > 0)
        memcpy(both->priorities, games->list, count * sizeof games->list[0]);
    for (size_t hand = 0; hand <= session->active[1]; hand++)
        both->priorities[count++] = (active_priority){input->sets[hand].handle, wanted[hand]};
    both->overrides = (active_priorities){TYPE_ACTIVE_PRIORITIES, games->next, count, both->priorities};
    both->info.next = &both->overrides;
}

/** Make one call of the game's and the layer's sets. */
static void join(layer_session *session, const XrActionsSyncInfo *info, joined *both)
{
    const own_input *input = session->input;
    uint32_t count = info->countActiveActionSets;

    both->info = *info;
    if (count > 0)
        memcpy(both->sets, info->activeActionSets, count * sizeof both->sets[0]);
    for (int hand = 0; hand < LAYER_HANDS; hand++)
        session->active[hand] = choose(session, info, hand);
    if (find_overrides(info))
        override(session, info, both);
    for (int hand = 0; hand < LAYER_HANDS; hand++)
        both->sets[count++] =
            (XrActiveActionSet){input->sets[session->active[hand]].handle, session->instance->hands[hand]};
    if (session->active[0] == session->active[1])
        both->sets[--count - 1].subactionPath = XR_NULL_PATH;
    both->info.countActiveActionSets = count;
    both->info.activeActionSets = both->sets;
}

/** Ask for the interaction profiles, which may change with a sync. */
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
    joined both;
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);
    bool joins = entered && can_join(session, info);
    XrResult result = XR_ERROR_HANDLE_INVALID;

    if (joins)
        join(session, info, &both);
    layer_leave(entered);
    if (joins)
        result = next->SyncActions(handle, &both.info);
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

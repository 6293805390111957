/* Which actions xrSyncActions makes active: those of the named sets and, if several sets bind one source, only those of
 * the highest priority. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <string.h>

/* Return all user bits that the set's actions declare. */
static uint32_t declared_in(const runtime_action_set *set)
{
    uint32_t declared = 0;
    const runtime_action *action;
    for (size_t i = 0; (action = handles_next(&runtime.handles, HANDLE_ACTION, &i));)
        declared |= action->set == set ? action->declared : 0;
    return declared;
}

static XrResult check_active_set(const XrActiveActionSet *active, runtime_action_set **out_set, uint32_t *out_users)
{
    *out_set = handles_get(&runtime.handles, HANDLE_ACTION_SET, HANDLE_VALUE(active->actionSet));
    if (!*out_set)
        return XR_ERROR_HANDLE_INVALID;
    if (!(*out_set)->attached)
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    return runtime_read_subaction(active->subactionPath, declared_in(*out_set), out_users);
}

/* Note in each set the hand bits for which the call names it. */
static XrResult read_active_sets(const XrActionsSyncInfo *info)
{
    runtime_action_set *set;
    for (size_t i = 0; (set = handles_next(&runtime.handles, HANDLE_ACTION_SET, &i));)
        set->named = 0;
    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        uint32_t users;
        XrResult result = check_active_set(&info->activeActionSets[i], &set, &users);
        if (XR_FAILED(result))
            return result;
        set->named |= users;
    }
    return XR_SUCCESS;
}

/* XrActiveActionSetPrioritiesEXT and its entries. */
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

/* Return the priority that this call gives the set, else the one it was created with. */
static uint32_t priority_in(const XrActionsSyncInfo *info, const runtime_action_set *set)
{
    for (const XrBaseInStructure *more = info->next; more; more = more->next) {
        const active_priorities *overrides = (const active_priorities *)more;
        for (uint32_t i = 0; more->type == TYPE_ACTIVE_PRIORITIES && i < overrides->count; i++)
            if (overrides->list[i].set == set->handle)
                return overrides->list[i].priority;
    }
    return set->priority;
}

/* Return whether a set of a higher priority has the source for this hand. */
static bool is_outranked(const XrActionsSyncInfo *info, const runtime_suggestions *all, const runtime_suggestion *one,
                         uint32_t priority)
{
    if (info->countActiveActionSets < 2)
        return false;
    for (size_t i = 0; i < all->count; i++) {
        const runtime_suggestion *other = &all->list[i];
        const runtime_action *action = runtime_binding(other);
        if (action && other->hand == one->hand && priority_in(info, action->set) > priority &&
            other->length == one->length && strncmp(other->source, one->source, one->length) == 0 &&
            action->set->named & other->hand)
            return true;
    }
    return false;
}

static void activate(const XrActionsSyncInfo *info, const runtime_suggestions *all, uint32_t hands)
{
    for (size_t i = 0; i < all->count; i++) {
        const runtime_suggestion *one = &all->list[i];
        runtime_action *action = runtime_binding(one);
        if (action && one->hand & hands & action->set->named &&
            !is_outranked(info, all, one, priority_in(info, action->set)))
            action->active |= one->hand;
    }
}

static void deactivate_all(void)
{
    runtime_action *action;
    for (size_t i = 0; (action = handles_next(&runtime.handles, HANDLE_ACTION, &i));)
        action->active = 0;
}

static XrResult sync_actions(runtime_session *session, const XrActionsSyncInfo *info)
{
    if (!RUNTIME_IS(info, XR_TYPE_ACTIONS_SYNC_INFO) || (info->countActiveActionSets > 0 && !info->activeActionSets))
        return XR_ERROR_VALIDATION_FAILURE;
    if (!session->attached)
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    XrResult result = read_active_sets(info);
    if (XR_FAILED(result))
        return result;
    deactivate_all();
    if (session->state != XR_SESSION_STATE_FOCUSED)
        return XR_SESSION_NOT_FOCUSED;
    runtime_settle_profile(session);
    uint32_t hands = runtime_present_hands(session, timebase_now_ns());
    if (session->profile >= 0)
        activate(info, &runtime.instance->suggestions[session->profile], hands);
    activate(info, &runtime.instance->suggestions[PROFILES_TRACKER], hands);
    return XR_SUCCESS;
}

XrResult xr_sync_actions(XrSession handle, const XrActionsSyncInfo *info)
{
    RUNTIME_ENTER_SESSION(handle);
    return runtime_leave(sync_actions(session, info));
}

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

/* Return the hand bits for which the call names the set. */
static uint32_t named_for(const XrActionsSyncInfo *info, const runtime_action_set *set)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        runtime_action_set *other;
        uint32_t users;
        if (XR_SUCCEEDED(check_active_set(&info->activeActionSets[i], &other, &users)) && other == set)
            named |= users;
    }
    return named;
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
static bool is_outranked(const XrActionsSyncInfo *info, const runtime_suggestions *all, uint32_t priority,
                         uint32_t hand, const char *source, size_t length)
{
    for (size_t i = 0; i < all->count; i++) {
        uint32_t other_hand;
        const char *other_source;
        size_t other_length;
        const runtime_action *other = runtime_binding(&all->list[i], &other_hand, &other_source, &other_length);
        if (other && other_hand == hand && priority_in(info, other->set) > priority && other_length == length &&
            strncmp(other_source, source, length) == 0 && named_for(info, other->set) & hand)
            return true;
    }
    return false;
}

static void activate(const XrActionsSyncInfo *info, const runtime_suggestions *all, uint32_t hands)
{
    for (size_t i = 0; i < all->count; i++) {
        uint32_t hand;
        const char *source;
        size_t length;
        runtime_action *action = runtime_binding(&all->list[i], &hand, &source, &length);
        if (action && hand & hands & named_for(info, action->set) &&
            !is_outranked(info, all, priority_in(info, action->set), hand, source, length))
            action->active |= hand;
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
    runtime_action_set *set;
    uint32_t users;
    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        XrResult result = check_active_set(&info->activeActionSets[i], &set, &users);
        if (XR_FAILED(result))
            return result;
    }
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

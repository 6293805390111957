/* What the program does not cause by its own calls: the event queue, session states, and faults whose time has come.
 * Called with the runtime's mutex held. */
#include "runtime/pose_math.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <string.h>

/* A recentre is announced before it takes effect, as real runtimes do. */
#define RECENTRE_NOTICE_NS (100LL * NS_PER_MS)

void runtime_push_event(const void *event, size_t size)
{
    runtime_instance *instance = runtime.instance;
    if (instance->event_count == RUNTIME_EVENTS_MAX) {
        instance->event_first = (instance->event_first + 1) % RUNTIME_EVENTS_MAX;
        instance->event_count--;
        instance->events_lost++;
    }
    size_t last = (instance->event_first + instance->event_count++) % RUNTIME_EVENTS_MAX;
    memset(&instance->events[last], 0, sizeof instance->events[last]);
    memcpy(&instance->events[last], event, size);
}

void runtime_set_session_state(runtime_session *session, XrSessionState state, int64_t now_ns)
{
    XrEventDataSessionStateChanged event = {.type = XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED,
                                            .session = session->handle,
                                            .state = state,
                                            .time = runtime.instance->no_event_times ? 0 : timebase_to_xr(now_ns)};
    session->state = state;
    runtime_push_event(&event, sizeof event);
    runtime_log("session state %d", (int)state);
}

void runtime_settle_focus(runtime_session *session, int64_t now_ns)
{
    bool held_back = faults_holding(&runtime.faults, FAULT_UNFOCUSED, ~0u, now_ns);
    if (session->state == XR_SESSION_STATE_VISIBLE && !held_back)
        runtime_set_session_state(session, XR_SESSION_STATE_FOCUSED, now_ns);
    else if (session->state == XR_SESSION_STATE_FOCUSED && held_back)
        runtime_set_session_state(session, XR_SESSION_STATE_VISIBLE, now_ns);
}

void runtime_stop_session(runtime_session *session, int64_t now_ns)
{
    session->exit_requested = true;
    if (session->state == XR_SESSION_STATE_FOCUSED)
        runtime_set_session_state(session, XR_SESSION_STATE_VISIBLE, now_ns);
    if (session->state == XR_SESSION_STATE_VISIBLE)
        runtime_set_session_state(session, XR_SESSION_STATE_SYNCHRONIZED, now_ns);
    runtime_set_session_state(session, XR_SESSION_STATE_STOPPING, now_ns);
}

XrPosef runtime_origin_at(int64_t time_ns)
{
    XrPosef origin = POSE_IDENTITY;
    for (size_t i = 0; i < runtime.faults.count; i++) {
        const fault *item = &runtime.faults.list[i];
        if (item->kind == FAULT_RECENTRE && faults_begins(&runtime.faults, item, time_ns))
            origin = pose_chain(origin, item->origin);
    }
    return origin;
}

uint32_t runtime_present_hands(const runtime_session *session, int64_t now_ns)
{
    uint32_t hands = 0;
    for (uint32_t hand = 0; hand < RUNTIME_HANDS; hand++) {
        if (session->running &&
            playback_is_present(runtime.instance->playback, (playback_device)hand, now_ns - session->begin_ns) &&
            !faults_holding(&runtime.faults, FAULT_INACTIVE, 1u << hand, now_ns))
            hands |= 1u << hand;
    }
    if (session->running && runtime.instance->trackers &&
        playback_is_present(runtime.instance->playback, PLAYBACK_TRACKER, now_ns - session->begin_ns))
        hands |= RUNTIME_TRACKER_BIT;
    return hands;
}

static void announce_recentre(const fault *item)
{
    static const XrReferenceSpaceType moved[] = {XR_REFERENCE_SPACE_TYPE_LOCAL, XR_REFERENCE_SPACE_TYPE_STAGE};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        XrEventDataReferenceSpaceChangePending event = {.type = XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING,
                                                        .session = runtime.session->handle,
                                                        .referenceSpaceType = moved[i],
                                                        .changeTime =
                                                            timebase_to_xr(faults_time(&runtime.faults, item)),
                                                        .poseValid = XR_TRUE,
                                                        .poseInPreviousSpace = item->origin};
        runtime_push_event(&event, sizeof event);
    }
}

static void lose_instance(const fault *item)
{
    if (runtime.instance)
        runtime.instance->lost = true;
    runtime.refusals += item->count;
    runtime.refuse_until_ns = faults_time(&runtime.faults, item) + item->duration_ns;
}

static void lose_session(runtime_session *session, int64_t now_ns)
{
    session->lost = true;
    session->running = false;
    runtime_set_session_state(session, XR_SESSION_STATE_LOSS_PENDING, now_ns);
}

static void begin_fault(const fault *item, int64_t now_ns)
{
    runtime_session *session = runtime.session;
    runtime_log("fault %zu begins", (size_t)(item - runtime.faults.list));
    if (item->kind == FAULT_INSTANCE_LOSS)
        lose_instance(item);
    if (item->kind == FAULT_THREAD_END)
        runtime.ends_thread = true;
    if (item->kind == FAULT_CRASH)
        runtime.crashes = true;
    if (!session || session->lost)
        return;
    if (item->kind == FAULT_RECENTRE)
        announce_recentre(item);
    else if (item->kind == FAULT_SESSION_LOSS)
        lose_session(session, now_ns);
    else if (item->kind == FAULT_EXIT && session->running && session->state != XR_SESSION_STATE_STOPPING)
        runtime_stop_session(session, now_ns);
    else if (item->kind == FAULT_PROFILE)
        runtime.instance->preferred_profile = item->profile;
}

void runtime_carry_out_faults(int64_t now_ns)
{
    for (size_t i = 0; i < runtime.faults.count; i++) {
        fault *item = &runtime.faults.list[i];
        int64_t notice_ns = item->kind == FAULT_RECENTRE ? RECENTRE_NOTICE_NS : 0;
        if (!item->begun && faults_begins(&runtime.faults, item, now_ns + notice_ns)) {
            item->begun = true;
            begin_fault(item, now_ns);
        }
    }
    if (runtime.session && runtime.session->running)
        runtime_settle_focus(runtime.session, now_ns);
}

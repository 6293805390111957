/* Handle the events of the headless session (xrPollEvent): its begin and end, a moved space, other controllers, a lost
 * instance. See xr_session.h. */
#include "xr_names.h"
#include "xr_session.h"

#include <stdio.h>

/* ---- the session's state ---- */

static bool fail_ended(const xr_session *session, const char *what, xr_failure *out_failure)
{
    out_failure->reason = CLASH_TRACKING_RUNTIME_LOST;
    snprintf(out_failure->text, sizeof out_failure->text, "%.160s %s", session->instance->runtime, what);
    return false;
}

static bool session_begin(xr_session *session, xr_failure *out_failure)
{
    /* The view configuration means nothing without graphics, but must be one. */
    const XrSessionBeginInfo info = {.type = XR_TYPE_SESSION_BEGIN_INFO,
                                     .primaryViewConfigurationType = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO};
    XrResult result;

    session->event_floor_ns = xr_now_ns();
    result = xrBeginSession(session->handle, &info);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "xrBeginSession", result);
    session->running = true;
    return true;
}

static bool session_end(xr_session *session, xr_failure *out_failure)
{
    XrResult result;

    if (!session->running)
        return true;
    session->running = false;
    result = xrEndSession(session->handle);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "xrEndSession", result);
    return true;
}

static bool on_state(xr_session *session, const XrEventDataSessionStateChanged *event, xr_failure *out_failure)
{
    if (event->session != session->handle)
        return true;
    if (session->state == XR_SESSION_STATE_FOCUSED && event->state == XR_SESSION_STATE_VISIBLE)
        xr_link_log(session->link, LOG_LEVEL_INFO, "%s gives the controllers to another program for now",
                    session->instance->runtime);
    xr_clock_observe(&session->clock, event->time, session->event_floor_ns, xr_now_ns());
    session->state = event->state;
    xr_link_log(session->link, LOG_LEVEL_DEBUG, "session %s", xr_session_state_name(event->state));
    switch (event->state) {
    case XR_SESSION_STATE_READY:
        return session_begin(session, out_failure);
    case XR_SESSION_STATE_STOPPING:
        return session_end(session, out_failure);
    case XR_SESSION_STATE_EXITING:
        return fail_ended(session, "has ended the session", out_failure);
    case XR_SESSION_STATE_LOSS_PENDING:
        return fail_ended(session, "is about to lose the session", out_failure);
    default:
        return true;
    }
}

/* ---- the space ---- */

static void expect_change(xr_session *session, int64_t change_ns)
{
    if (session->change_count == XR_CHANGES_MAX)
        session->changes_ns[0] = 0;
    else
        session->changes_ns[session->change_count++] = change_ns;
}

static void on_space(xr_session *session, const XrEventDataReferenceSpaceChangePending *event)
{
    int64_t change_ns = xr_now_ns();

    if (event->session != session->handle || event->referenceSpaceType != session->space_type)
        return;
    if (event->changeTime > 0)
        xr_clock_time_ns(&session->clock, event->changeTime, &change_ns);
    xr_link_log(session->link, LOG_LEVEL_INFO, "%s moves its space", session->instance->runtime);
    expect_change(session, change_ns);
}

/* ---- controllers ---- */

/* Log only real changes: runtimes announce each hand by itself, or repeat what has not changed. */
static void on_profile(xr_session *session)
{
    for (int hand = 0; hand < XR_HANDS; hand++) {
        XrInteractionProfileState state = {.type = XR_TYPE_INTERACTION_PROFILE_STATE};
        char name[XR_MAX_PATH_LENGTH] = "no controller";
        uint32_t length = 0;

        if (XR_FAILED(xrGetCurrentInteractionProfile(session->handle, session->actions.hands[hand], &state)) ||
            state.interactionProfile == session->profiles[hand])
            continue;
        session->profiles[hand] = state.interactionProfile;
        session->profile_names[hand][0] = '\0';
        if (state.interactionProfile != XR_NULL_PATH &&
            XR_FAILED(xrPathToString(session->instance->handle, state.interactionProfile, sizeof name, &length, name)))
            continue;
        if (state.interactionProfile != XR_NULL_PATH)
            snprintf(session->profile_names[hand], sizeof session->profile_names[hand], "%.*s", RING_TEXT_MAX - 1,
                     name);
        xr_link_log(session->link, LOG_LEVEL_INFO, "%s hand: %s", hand == 0 ? "left" : "right", name);
    }
}

/* ---- all of them ---- */

static bool on_event(xr_session *session, const XrEventDataBuffer *event, xr_failure *out_failure)
{
    switch (event->type) {
    case XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED:
        return on_state(session, (const XrEventDataSessionStateChanged *)event, out_failure);
    case XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING:
        on_space(session, (const XrEventDataReferenceSpaceChangePending *)event);
        return true;
    case XR_TYPE_EVENT_DATA_INTERACTION_PROFILE_CHANGED:
        on_profile(session);
        return true;
    case XR_TYPE_EVENT_DATA_INSTANCE_LOSS_PENDING:
        return fail_ended(session, "is about to end", out_failure);
    case XR_TYPE_EVENT_DATA_EVENTS_LOST:
        /* A lost event may have moved the space: better one cut too many than a false clash. */
        xr_link_log(session->link, LOG_LEVEL_WARNING, "%s has lost events", session->instance->runtime);
        expect_change(session, xr_now_ns());
        return true;
    default:
        return true;
    }
}

/* Log the clock once for each session, when it runs and most is known. */
static void log_clock(xr_session *session)
{
    const int64_t error_ns = xr_clock_error_ns(&session->clock);

    atomic_store_explicit(&session->link->clock_error_ns, error_ns, memory_order_relaxed);
    if (session->told_clock || session->state != XR_SESSION_STATE_FOCUSED || error_ns == 0)
        return;
    session->told_clock = true;
    xr_link_log(session->link, LOG_LEVEL_INFO,
                "%s does not convert times: as found out they are of %s, give or take %.3f ms",
                session->instance->runtime, xr_clock_name(&session->clock), (double)error_ns / 1e6);
}

bool xr_session_events(xr_session *session, xr_failure *out_failure)
{
    for (;;) {
        XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};
        const int64_t asked_ns = xr_now_ns();
        XrResult result = xrPollEvent(session->instance->handle, &event);

        if (result == XR_EVENT_UNAVAILABLE) {
            session->event_floor_ns = asked_ns;
            log_clock(session);
            return true;
        }
        if (XR_FAILED(result))
            return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "xrPollEvent", result);
        if (!on_event(session, &event, out_failure))
            return false;
    }
}

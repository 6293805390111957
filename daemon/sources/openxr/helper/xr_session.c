/* Create and read the headless session; see xr_session.h. Its events are in session_events.c. */
#include "xr_session.h"

#include "xr_names.h"

#include <stdlib.h>
#include <string.h>

#define OVERLAY "XR_EXTX_overlay"
/* How often to ask for a frame to learn its time, and how far ahead that time may be. */
#define FRAME_PERIOD_NS 1000000000
#define FRAME_AHEAD_MAX_NS 100000000

/* ---- opening ---- */

/* Be an overlay: newer focus rules in Monado and WiVRn give input only to the game in front and to overlays. We draw
 * nothing, so this costs the game nothing. */
static XrResult session_create(xr_session *session)
{
    const XrSessionCreateInfoOverlayEXTX overlay = {.type = XR_TYPE_SESSION_CREATE_INFO_OVERLAY_EXTX};
    XrSessionCreateInfo info = {.type = XR_TYPE_SESSION_CREATE_INFO, .systemId = session->instance->system};
    XrResult result;

    if (xr_instance_has(session->instance, OVERLAY)) {
        info.next = &overlay;
        result = xrCreateSession(session->instance->handle, &info, &session->handle);
        if (result != XR_ERROR_VALIDATION_FAILURE && result != XR_ERROR_FEATURE_UNSUPPORTED)
            return result;
        info.next = NULL;
    }
    return xrCreateSession(session->instance->handle, &info, &session->handle);
}

static bool session_offers_space(const xr_session *session, XrReferenceSpaceType type)
{
    XrReferenceSpaceType *types;
    uint32_t count = 0;
    bool offers = false;

    if (XR_FAILED(xrEnumerateReferenceSpaces(session->handle, 0, &count, NULL)))
        return false;
    types = calloc(count ? count : 1, sizeof *types);
    if (!types)
        return false;
    if (XR_SUCCEEDED(xrEnumerateReferenceSpaces(session->handle, count, &count, types)))
        for (uint32_t i = 0; i < count; i++)
            offers = offers || types[i] == type;
    free(types);
    return offers;
}

static bool session_create_space(xr_session *session, xr_failure *out_failure)
{
    XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                       .poseInReferenceSpace = {.orientation = {.w = 1.0f}}};
    bool wants_stage = session->link->settings.space == OPENXR_SPACE_STAGE;
    XrResult result;

    session->space_type = wants_stage ? XR_REFERENCE_SPACE_TYPE_STAGE : XR_REFERENCE_SPACE_TYPE_LOCAL;
    if (wants_stage && !session_offers_space(session, XR_REFERENCE_SPACE_TYPE_STAGE)) {
        xr_link_log(session->link, LOG_LEVEL_WARNING,
                    "%s has no stage space (is the room set up?): poses are relative to its local space",
                    session->instance->runtime);
        session->space_type = XR_REFERENCE_SPACE_TYPE_LOCAL;
    }
    info.referenceSpaceType = session->space_type;
    result = xrCreateReferenceSpace(session->handle, &info, &session->space);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrCreateReferenceSpace", result);
    return true;
}

bool xr_session_open(xr_session *session, const xr_instance *instance, xr_link *link, xr_failure *out_failure)
{
    XrResult result;

    *session = (xr_session){.instance = instance, .link = link, .state = XR_SESSION_STATE_UNKNOWN};
    xr_clock_open(&session->clock, instance);
    if (!xr_actions_open(&session->actions, instance, link, out_failure))
        return false;
    session->event_floor_ns = xr_now_ns();
    result = session_create(session);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_NO_RUNTIME, "xrCreateSession", result);
    xr_xdevs_open(&session->xdevs, instance, session->handle, link);
    return xr_actions_attach(&session->actions, session->handle, out_failure) &&
           session_create_space(session, out_failure);
}

/* ---- looking at the hands ---- */

static pose_sample sample_from_location(uint32_t device, const XrSpaceLocation *location)
{
    const XrSpaceLocationFlags valid = XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT;
    const XrSpaceLocationFlags tracked =
        XR_SPACE_LOCATION_POSITION_TRACKED_BIT | XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT;
    const XrQuaternionf q = location->pose.orientation;
    const XrVector3f p = location->pose.position;
    pose_sample sample = {.device = device};

    if ((location->locationFlags & valid) != valid)
        return sample;
    sample.flags = POSE_VALID;
    if ((location->locationFlags & tracked) == tracked)
        sample.flags |= POSE_TRACKED;
    sample.pose = (clash_pose){.orientation = {q.x, q.y, q.z, q.w}, .position = {p.x, p.y, p.z}};
    return sample;
}

static XrResult session_locate(const xr_session *session, XrSpace space, int device, XrTime time, pose_sample *out)
{
    XrSpaceLocation location = {.type = XR_TYPE_SPACE_LOCATION};
    XrResult result = xrLocateSpace(space, session->space, time, &location);

    if (result == XR_ERROR_TIME_INVALID) { /* before the history it keeps: no pose, and nothing worse */
        location.locationFlags = 0;
        result = XR_SUCCESS;
    }
    if (XR_SUCCEEDED(result))
        *out = sample_from_location((uint32_t)device, &location);
    return result;
}

/* Use the hand's device itself if bindings give nothing and the device has a place. A failure here does not end the
 * session. */
static void session_look_at_device(xr_session *session, int hand, XrTime time, xr_poses *out)
{
    const XrSpace space = xr_xdevs_hand(&session->xdevs, hand, xr_now_ns());

    out->active[hand] = space != XR_NULL_HANDLE &&
                        XR_SUCCEEDED(session_locate(session, space, hand, time, &out->samples[hand])) &&
                        (out->samples[hand].flags & POSE_VALID);
}

static XrResult session_look_at(xr_session *session, int hand, XrTime time, xr_poses *out)
{
    const XrActionStateGetInfo info = {.type = XR_TYPE_ACTION_STATE_GET_INFO,
                                       .action = session->actions.grip,
                                       .subactionPath = session->actions.hands[hand]};
    XrActionStatePose state = {.type = XR_TYPE_ACTION_STATE_POSE};
    XrResult result = xrGetActionStatePose(session->handle, &info, &state);

    if (XR_FAILED(result))
        return result;
    if (!state.isActive) {
        session_look_at_device(session, hand, time, out);
        return result;
    }
    out->active[hand] = true;
    return session_locate(session, session->actions.grips[hand], hand, time, &out->samples[hand]);
}

/* A tracker's role that no tracker has is inactive. */
static XrResult session_look_at_tracker(xr_session *session, int device, XrTime time, xr_poses *out)
{
    const XrActionStateGetInfo info = {.type = XR_TYPE_ACTION_STATE_GET_INFO,
                                       .action = session->actions.trackers[device - XR_HANDS],
                                       .subactionPath = session->actions.roles[device - XR_HANDS]};
    XrActionStatePose state = {.type = XR_TYPE_ACTION_STATE_POSE};
    XrResult result = xrGetActionStatePose(session->handle, &info, &state);

    out->active[device] = XR_SUCCEEDED(result) && state.isActive;
    if (out->active[device])
        result =
            session_locate(session, session->actions.places[device - XR_HANDS], device, time, &out->samples[device]);
    return result;
}

/* Learn the time of a runtime that neither converts times nor puts any on its events: begin a frame, and take the time
 * at which it would be shown, a little after now. Draws nothing. False: not yet, or failed (out_failure). */
static bool session_ask_time(xr_session *session, xr_failure *out_failure)
{
    XrFrameState frame = {.type = XR_TYPE_FRAME_STATE};
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .environmentBlendMode = XR_ENVIRONMENT_BLEND_MODE_OPAQUE};
    XrResult result;

    if (xr_now_ns() - session->frame_ns < FRAME_PERIOD_NS)
        return false;
    result = xrWaitFrame(session->handle, NULL, &frame);
    session->frame_ns = xr_now_ns();
    if (XR_SUCCEEDED(result))
        result = xrBeginFrame(session->handle, NULL);
    end.displayTime = frame.predictedDisplayTime;
    if (XR_SUCCEEDED(result))
        result = xrEndFrame(session->handle, &end);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "asking for the runtime's time by a frame",
                              result);
    xr_clock_observe(&session->clock, frame.predictedDisplayTime, session->frame_ns,
                     session->frame_ns + FRAME_AHEAD_MAX_NS);
    return xr_clock_is_ready(&session->clock);
}

bool xr_session_look(xr_session *session, int64_t time_ns, xr_poses *out_poses, xr_failure *out_failure)
{
    const XrActiveActionSet active = {.actionSet = session->actions.set, .subactionPath = XR_NULL_PATH};
    const XrActionsSyncInfo info = {
        .type = XR_TYPE_ACTIONS_SYNC_INFO, .countActiveActionSets = 1, .activeActionSets = &active};
    XrResult result = xrSyncActions(session->handle, &info);
    bool has_focus;
    XrTime time;

    memset(out_poses->active, 0, sizeof out_poses->active);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "xrSyncActions", result);
    has_focus = result != XR_SESSION_NOT_FOCUSED;
    if (!has_focus && !session->xdevs.functions)
        return true;
    if (!xr_clock_is_ready(&session->clock) && !session_ask_time(session, out_failure))
        return out_failure->text[0] == '\0';
    result = xr_clock_time(&session->clock, time_ns, &time);
    if (XR_FAILED(result))
        return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "xrConvertTimespecTimeToTimeKHR", result);
    for (int hand = 0; hand < XR_HANDS; hand++) {
        if (!has_focus) {
            session_look_at_device(session, hand, time, out_poses);
            continue;
        }
        result = session_look_at(session, hand, time, out_poses);
        if (XR_FAILED(result))
            return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "reading a hand's pose", result);
    }
    for (int device = XR_HANDS; device < xr_devices_end(&session->link->settings) && has_focus; device++) {
        result = session->actions.places[device - XR_HANDS] != XR_NULL_HANDLE
                     ? session_look_at_tracker(session, device, time, out_poses)
                     : XR_SUCCESS;
        if (XR_FAILED(result))
            return xr_failure_set(out_failure, CLASH_TRACKING_RUNTIME_LOST, "reading a tracker's pose", result);
    }
    return true;
}

bool xr_session_take_change(xr_session *session, int64_t time_ns, int64_t *out_change_ns)
{
    for (int i = 0; i < session->change_count; i++) {
        if (session->changes_ns[i] > time_ns)
            continue;
        *out_change_ns = session->changes_ns[i];
        session->change_count--;
        for (; i < session->change_count; i++)
            session->changes_ns[i] = session->changes_ns[i + 1];
        return true;
    }
    return false;
}

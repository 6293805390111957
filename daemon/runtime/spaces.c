/* Spaces and where they are. "World" here is the space of the recording: STAGE and LOCAL coincide with it or lie one
 * eye height apart from it, until a recentre moves both. A pose depends only on the time asked about and on whether the
 * last xrSyncActions found the action active. */
#include "runtime/entries.h"
#include "runtime/pose_math.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <math.h>
#include <stdlib.h>

/* LOCAL's origin above STAGE's, m; also the head's height if the recording has no head. */
#define EYE_HEIGHT 1.6f
#define HALF_EYE_DISTANCE 0.032f
#define VIEWS 2u

#define VALID_BITS (XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT)
#define TRACKED_BITS (XR_SPACE_LOCATION_POSITION_TRACKED_BIT | XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT)

typedef struct place {
    XrPosef world_from_space;
    XrSpaceLocationFlags flags;
} place;

static const XrReferenceSpaceType reference_spaces[] = {XR_REFERENCE_SPACE_TYPE_VIEW, XR_REFERENCE_SPACE_TYPE_LOCAL,
                                                        XR_REFERENCE_SPACE_TYPE_STAGE};
#define REFERENCE_SPACES (uint32_t)(sizeof reference_spaces / sizeof *reference_spaces)

static bool is_reference_space(XrReferenceSpaceType type)
{
    for (uint32_t i = 0; i < REFERENCE_SPACES; i++) {
        if (reference_spaces[i] == type)
            return true;
    }
    return false;
}

XrResult xr_enumerate_reference_spaces(XrSession handle, uint32_t capacity, uint32_t *out_count,
                                       XrReferenceSpaceType *types)
{
    RUNTIME_ENTER_SESSION(handle);
    bool fill;
    result = runtime_two_call(capacity, out_count, REFERENCE_SPACES, types, &fill);
    for (uint32_t i = 0; fill && i < REFERENCE_SPACES; i++)
        types[i] = reference_spaces[i];
    return runtime_leave(result);
}

XrResult xr_get_reference_space_bounds_rect(XrSession handle, XrReferenceSpaceType type, XrExtent2Df *out_bounds)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!out_bounds)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (!is_reference_space(type))
        return runtime_leave(XR_ERROR_REFERENCE_SPACE_UNSUPPORTED);
    *out_bounds = (XrExtent2Df){0, 0};
    return runtime_leave(XR_SPACE_BOUNDS_UNAVAILABLE);
}

XrResult runtime_add_space(runtime_space space, XrSpace *out_space)
{
    if (!pose_is_valid(space.offset))
        return XR_ERROR_POSE_INVALID;
    runtime_space *copy = malloc(sizeof *copy);
    if (!copy)
        return XR_ERROR_OUT_OF_MEMORY;
    *copy = space;
    uint64_t handle = handles_add(&runtime.handles, HANDLE_SPACE, copy);
    if (!handle) {
        free(copy);
        return XR_ERROR_LIMIT_REACHED;
    }
    copy->handle = *out_space = HANDLE_AS(XrSpace, handle);
    return XR_SUCCESS;
}

XrResult xr_create_reference_space(XrSession handle, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_REFERENCE_SPACE_CREATE_INFO) || !out_space)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (!is_reference_space(info->referenceSpaceType))
        return runtime_leave(XR_ERROR_REFERENCE_SPACE_UNSUPPORTED);
    runtime_space space = {.reference = info->referenceSpaceType, .offset = info->poseInReferenceSpace};
    return runtime_leave(runtime_add_space(space, out_space));
}

static XrResult create_action_space(const XrActionSpaceCreateInfo *info, XrSpace *out_space)
{
    if (!RUNTIME_IS(info, XR_TYPE_ACTION_SPACE_CREATE_INFO) || !out_space)
        return XR_ERROR_VALIDATION_FAILURE;
    const runtime_action *action = handles_get(&runtime.handles, HANDLE_ACTION, HANDLE_VALUE(info->action));
    if (!action)
        return XR_ERROR_HANDLE_INVALID;
    if (action->type != XR_ACTION_TYPE_POSE_INPUT)
        return XR_ERROR_ACTION_TYPE_MISMATCH;
    runtime_space space = {.of_action = true, .action = info->action, .hands = 3, .offset = info->poseInActionSpace};
    if (info->subactionPath != XR_NULL_PATH) {
        const char *path = paths_string(&runtime.instance->paths, info->subactionPath);
        int user = path ? paths_find_user(path, false) : -1;
        if (!path)
            return XR_ERROR_PATH_INVALID;
        if (user < 0 || !(action->declared & 1u << user))
            return XR_ERROR_PATH_UNSUPPORTED;
        space.hands = 1u << user;
    }
    return runtime_add_space(space, out_space);
}

XrResult xr_create_action_space(XrSession handle, const XrActionSpaceCreateInfo *info, XrSpace *out_space)
{
    RUNTIME_ENTER_SESSION(handle);
    return runtime_leave(create_action_space(info, out_space));
}

XrResult xr_destroy_space(XrSpace handle)
{
    RUNTIME_ENTER_TO_DESTROY(HANDLE_SPACE, handle);
    handles_remove(&runtime.handles, HANDLE_VALUE(handle));
    free(gone);
    return runtime_leave(XR_SUCCESS);
}

static XrPosef lift(float metres)
{
    XrPosef pose = POSE_IDENTITY;
    pose.position.y = metres;
    return pose;
}

/* Return a device's played pose, without faults. */
static place play(playback_device device, int64_t time_ns)
{
    place result = {{{0, 0, 0, 0}, {0, 0, 0}}, 0};
    int64_t elapsed_ns = time_ns - runtime.session->begin_ns;
    if (runtime.session->begin_ns == 0 || elapsed_ns < 0)
        return result;
    clash_pose pose;
    track_quality quality = playback_pose(runtime.instance->playback, device, elapsed_ns, &pose);
    if (quality == TRACK_NO_POSE)
        return result;
    result.world_from_space.orientation =
        (XrQuaternionf){pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w};
    result.world_from_space.position = (XrVector3f){pose.position.x, pose.position.y, pose.position.z};
    result.flags = VALID_BITS | (quality == TRACK_TRACKED ? TRACKED_BITS : 0);
    return result;
}

static place place_hand(uint32_t hand, int64_t time_ns)
{
    if (faults_holding(&runtime.faults, FAULT_LOST, 1u << hand, time_ns))
        return (place){0};
    const fault *untracked = faults_holding(&runtime.faults, FAULT_UNTRACKED, 1u << hand, time_ns);
    if (!untracked)
        return play((playback_device)hand, time_ns);
    place last = play((playback_device)hand, faults_time(&runtime.faults, untracked));
    last.flags &= VALID_BITS;
    return last;
}

/* Many programs mistake the aim pose for the grip pose, so make it clearly different: turned 40 degrees about x. */
static XrPosef grip_from_aim(void)
{
    double half = 40.0 / 180 * acos(-1) / 2;
    return (XrPosef){{(float)-sin(half), 0, 0, (float)cos(half)}, {0, 0, 0}};
}

static place place_action(const runtime_space *space, int64_t time_ns)
{
    const runtime_action *action = handles_get(&runtime.handles, HANDLE_ACTION, HANDLE_VALUE(space->action));
    uint32_t hands = action ? action->active & space->hands : 0;
    if (!hands)
        return (place){0};
    if (!(hands & 3))
        return play(PLAYBACK_TRACKER, time_ns);
    uint32_t hand = hands & 1 ? 0 : 1;
    place result = place_hand(hand, time_ns);
    if (action->aimed & 1u << hand)
        result.world_from_space = pose_chain(result.world_from_space, grip_from_aim());
    return result;
}

/* Place a controller that is switched on, whether it is bound or not. */
static place place_device(const runtime_space *space, int64_t time_ns)
{
    uint32_t hands = runtime_present_hands(runtime.session, timebase_now_ns()) & space->hands;
    return hands ? place_hand(hands & 1 ? 0 : 1, time_ns) : (place){0};
}

static place place_reference(XrReferenceSpaceType type, int64_t time_ns)
{
    bool recorded_locally = playback_is_local(runtime.instance->playback);
    if (type == XR_REFERENCE_SPACE_TYPE_VIEW) {
        place head = play(PLAYBACK_HEAD, time_ns);
        bool recorded = playback_is_present(runtime.instance->playback, PLAYBACK_HEAD, 0);
        return recorded ? head : (place){lift(recorded_locally ? 0 : EYE_HEIGHT), VALID_BITS | TRACKED_BITS};
    }
    XrPosef origin = runtime_origin_at(time_ns);
    if ((type == XR_REFERENCE_SPACE_TYPE_LOCAL) != recorded_locally)
        origin = pose_chain(origin, lift(recorded_locally ? -EYE_HEIGHT : EYE_HEIGHT));
    return (place){origin, VALID_BITS | TRACKED_BITS};
}

static place place_space(const runtime_space *space, int64_t time_ns)
{
    place result = space->of_action   ? place_action(space, time_ns)
                   : space->of_device ? place_device(space, time_ns)
                                      : place_reference(space->reference, time_ns);
    result.world_from_space = pose_chain(result.world_from_space, space->offset);
    return result;
}

/* Locate one space in another. Without VALID the pose is all zero, orientation included, so that a program which uses
 * it notices. */
static place locate(const runtime_space *space, const runtime_space *base, int64_t time_ns)
{
    place result = place_space(space, time_ns);
    place from = place_space(base, time_ns);
    result.flags &= from.flags;
    if (!(result.flags & XR_SPACE_LOCATION_POSITION_VALID_BIT))
        return (place){0};
    result.world_from_space = pose_chain(pose_invert(from.world_from_space), result.world_from_space);
    return result;
}

XrResult xr_locate_space(XrSpace handle, XrSpace base_handle, XrTime time, XrSpaceLocation *out_location)
{
    void *space;
    XrResult result = runtime_enter_object(HANDLE_SPACE, HANDLE_VALUE(handle), &space);
    if (XR_FAILED(result))
        return result;
    const runtime_space *base = handles_get(&runtime.handles, HANDLE_SPACE, HANDLE_VALUE(base_handle));
    if (!base)
        return runtime_leave(XR_ERROR_HANDLE_INVALID);
    if (!RUNTIME_IS(out_location, XR_TYPE_SPACE_LOCATION))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (time <= 0)
        return runtime_leave(XR_ERROR_TIME_INVALID);
    place found = locate(space, base, timebase_from_xr(time));
    out_location->locationFlags = found.flags;
    out_location->pose = found.world_from_space;
    for (XrBaseOutStructure *next = out_location->next; next; next = next->next) {
        if (next->type == XR_TYPE_SPACE_VELOCITY)
            *(XrSpaceVelocity *)next = (XrSpaceVelocity){.type = next->type, .next = next->next};
    }
    return runtime_leave(XR_SUCCESS);
}

static XrResult fill_views(const runtime_space *base, int64_t time_ns, XrViewState *out_state, XrView *views)
{
    runtime_space head = {.reference = XR_REFERENCE_SPACE_TYPE_VIEW, .offset = POSE_IDENTITY};
    for (uint32_t i = 0; i < VIEWS; i++) {
        if (!RUNTIME_IS(&views[i], XR_TYPE_VIEW))
            return XR_ERROR_VALIDATION_FAILURE;
        head.offset.position.x = i == 0 ? -HALF_EYE_DISTANCE : HALF_EYE_DISTANCE;
        place found = locate(&head, base, time_ns);
        views[i].pose = found.world_from_space;
        views[i].fov = (XrFovf){-0.8f, 0.8f, 0.8f, -0.8f};
        out_state->viewStateFlags = found.flags; /* the bits have the same values */
    }
    return XR_SUCCESS;
}

XrResult xr_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *out_state, uint32_t capacity,
                         uint32_t *out_count, XrView *views)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_VIEW_LOCATE_INFO) || !RUNTIME_IS(out_state, XR_TYPE_VIEW_STATE))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (info->viewConfigurationType != XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO)
        return runtime_leave(XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED);
    if (info->displayTime <= 0)
        return runtime_leave(XR_ERROR_TIME_INVALID);
    const runtime_space *base = handles_get(&runtime.handles, HANDLE_SPACE, HANDLE_VALUE(info->space));
    if (!base)
        return runtime_leave(XR_ERROR_HANDLE_INVALID);
    bool fill;
    result = runtime_two_call(capacity, out_count, VIEWS, views, &fill);
    return runtime_leave(fill ? fill_views(base, timebase_from_xr(info->displayTime), out_state, views) : result);
}

/* Which space the game draws in: the one of its projection layers, or, before there is any, the one it locates its views in.
 * The layer uses the game's own handle, and forgets it before the game destroys it. */
#include "game_space.h"
#include "hooks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** XR_REFERENCE_SPACE_TYPE_LOCAL_FLOOR and _UNBOUNDED_MSFT, which headers of 1.0.20 do not have. */
#define SPACE_LOCAL_FLOOR 1000426000
#define SPACE_UNBOUNDED 1000038000
#define VALID_BITS (XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT)

static const game_space *find_own(const layer_session *session, XrSpace handle)
{
    for (size_t i = 0; i < session->space_count; i++)
        if (session->spaces[i].handle == handle)
            return &session->spaces[i];
    return NULL;
}

static bool is_same(const XrPosef *a, const XrPosef *b)
{
    const XrVector3f *p = &a->position, *q = &b->position;
    const XrQuaternionf *r = &a->orientation, *s = &b->orientation;

    return p->x == q->x && p->y == q->y && p->z == q->z && r->x == s->x && r->y == s->y && r->z == s->z && r->w == s->w;
}

void game_space_used(layer_session *session, XrSpace space, bool is_drawn)
{
    const game_space *known = find_own(session, space);

    if (!known || known->type == XR_REFERENCE_SPACE_TYPE_VIEW || (session->base_is_drawn && !is_drawn))
        return;
    session->base_is_drawn = is_drawn;
    if (session->base == space)
        return;
    session->base = space;
    if (session->base_type == known->type && is_same(&session->base_pose, &known->pose))
        return; /* the game has created the same space again */
    session->base_type = known->type;
    session->base_pose = known->pose;
    session->base_has_moved = true;
    session->moves_at = 0;
}

void game_space_guess(layer_session *session)
{
    session->base_is_drawn = false;
    for (size_t i = session->space_count; i-- > 0 && session->base == XR_NULL_HANDLE;)
        game_space_used(session, session->spaces[i].handle, false);
}

static bool is_at_origin(const XrPosef *pose)
{
    const XrVector3f *p = &pose->position;
    const XrQuaternionf *q = &pose->orientation;

    return p->x == 0.0f && p->y == 0.0f && p->z == 0.0f && q->x == 0.0f && q->y == 0.0f && q->z == 0.0f;
}

static void name_type(XrReferenceSpaceType type, char *out, size_t size)
{
    switch ((int)type) {
    case XR_REFERENCE_SPACE_TYPE_LOCAL:
        snprintf(out, size, "local");
        break;
    case XR_REFERENCE_SPACE_TYPE_STAGE:
        snprintf(out, size, "stage");
        break;
    case SPACE_LOCAL_FLOOR:
        snprintf(out, size, "local_floor");
        break;
    case SPACE_UNBOUNDED:
        snprintf(out, size, "unbounded");
        break;
    default:
        snprintf(out, size, "space %d", (int)type);
    }
}

static double degrees_of_yaw(const XrQuaternionf *q)
{
    return atan2(2.0 * (double)(q->w * q->y + q->x * q->z), 1.0 - 2.0 * (double)(q->x * q->x + q->y * q->y)) * 180.0 /
           3.14159265358979323846;
}

static clash_pose to_clash(const XrPosef *pose)
{
    const XrQuaternionf *q = &pose->orientation;

    return (clash_pose){{q->x, q->y, q->z, q->w}, {pose->position.x, pose->position.y, pose->position.z}};
}

/** Return whether clashd accepts the pose: a runtime that gives nonsense for STAGE must not cost the feed. */
static bool is_pose(const clash_pose *p)
{
    const clash_quat *q = &p->orientation;
    const double length = sqrt((double)q->x * (double)q->x + (double)q->y * (double)q->y + (double)q->z * (double)q->z +
                               (double)q->w * (double)q->w);

    return isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z) && fabs(length - 1.0) < 0.01;
}

void game_space_describe(layer_session *session, XrTime time)
{
    const game_space *base = find_own(session, session->base);
    XrSpaceLocation location = {.type = XR_TYPE_SPACE_LOCATION};
    feed_frame *frame = &session->frame;
    char type[24];

    if (!base)
        return;
    name_type(base->type, type, sizeof type);
    if (is_at_origin(&base->pose))
        snprintf(frame->space, sizeof frame->space, "%s", type);
    else
        snprintf(frame->space, sizeof frame->space, "%s at %.2f %.2f %.2f, yaw %.1f", type,
                 (double)base->pose.position.x, (double)base->pose.position.y, (double)base->pose.position.z,
                 degrees_of_yaw(&base->pose.orientation));
    frame->has_stage =
        session->stage != XR_NULL_HANDLE &&
        XR_SUCCEEDED(session->instance->next.LocateSpace(session->stage, session->base, time, &location)) &&
        (location.locationFlags & VALID_BITS) == VALID_BITS;
    frame->stage = to_clash(&location.pose);
    frame->has_stage = frame->has_stage && is_pose(&frame->stage);
}

XrResult layer_create_reference_space(XrSession handle, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space)
{
    const layer_next *next = layer_next_of_session(handle);
    layer_session *session;
    XrResult result;
    bool entered;

    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->CreateReferenceSpace(handle, info, out_space);
    entered = layer_enter();
    session = layer_find_session(handle);
    if (entered && session && XR_SUCCEEDED(result) && info && out_space) {
        void *list = session->spaces;

        if (layer_grow(&list, session->space_count, sizeof *session->spaces)) {
            session->spaces = list;
            session->spaces[session->space_count++] =
                (game_space){*out_space, info->referenceSpaceType, info->poseInReferenceSpace};
        }
    }
    layer_leave(entered);
    return result;
}

XrResult layer_destroy_space(XrSpace handle)
{
    bool entered = layer_enter();
    layer_session *session;
    game_space *space = layer_find_space(handle, &session);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);

    if (entered && space && session) {
        *space = session->spaces[--session->space_count];
        if (session->base == handle)
            session->base = XR_NULL_HANDLE;
    }
    layer_leave(entered);
    return next ? next->DestroySpace(handle) : XR_ERROR_HANDLE_INVALID;
}

/* See offset.h. In double precision, rounded once. */
#include "offset.h"

#include "ports/pose_rules.h"

#include <math.h>
#include <string.h>

static const clash_pose none = XR_OFFSET_NONE;

static clash_pose find(const pose_offsets *offsets, const char *profile)
{
    for (size_t i = 0; i < offsets->count; i++)
        if (strcmp(offsets->offsets[i].profile, profile) == 0)
            return offsets->offsets[i].grip_from_held;
    return none;
}

void xr_offset_choose(xr_offset *o, const pose_offsets *offsets, const char *profile)
{
    const clash_pose found = find(offsets, profile);

    o->is_other = o->is_other || !pose_is_same(&o->grip_from_held, &found);
    o->grip_from_held = found;
}

/* Of unit length, as those that come are only nearly so. */
static clash_quat product(clash_quat a, clash_quat b)
{
    const double ax = (double)a.x, ay = (double)a.y, az = (double)a.z, aw = (double)a.w;
    const double bx = (double)b.x, by = (double)b.y, bz = (double)b.z, bw = (double)b.w;
    const double x = aw * bx + ax * bw + ay * bz - az * by, y = aw * by - ax * bz + ay * bw + az * bx;
    const double z = aw * bz + ax * by - ay * bx + az * bw, w = aw * bw - ax * bx - ay * by - az * bz;
    const double length = sqrt(x * x + y * y + z * z + w * w);

    return (clash_quat){(float)(x / length), (float)(y / length), (float)(z / length), (float)(w / length)};
}

static clash_pose compose(const clash_pose *outer, const clash_pose *inner)
{
    return (clash_pose){product(outer->orientation, inner->orientation), clash_pose_apply(outer, inner->position)};
}

void xr_offset_place(xr_offset *o, pose_sample *sample)
{
    const bool is_offset = !pose_is_same(&o->grip_from_held, &none);

    if (!is_offset && !o->is_other)
        return;
    if (!(sample->flags & POSE_VALID) || pose_check(sample) != POSE_GOOD)
        return;
    if (is_offset)
        sample->pose = compose(&sample->pose, &o->grip_from_held);
    if (o->is_other)
        sample->flags |= POSE_TELEPORT;
    o->is_other = o->is_other && pose_check(sample) != POSE_GOOD; /* nobody takes one that is now too far away */
}

/* The public functions on poses and motions: one pose or one velocity at a time. Pure. */
#include <clash/pose.h>

#include "quat.h"

clash_vec3 clash_pose_apply(const clash_pose *stage_from_device, clash_vec3 point)
{
    dvec turned = dquat_rotate(dquat_from(stage_from_device->orientation), dvec_from(point));

    return dvec_round(dvec_add(turned, dvec_from(stage_from_device->position)));
}

clash_vec3 clash_pose_rotate(const clash_pose *stage_from_device, clash_vec3 direction)
{
    return dvec_round(dquat_rotate(dquat_from(stage_from_device->orientation), dvec_from(direction)));
}

clash_pose clash_pose_mul(const clash_pose *a_from_b, const clash_pose *b_from_c)
{
    const dquat q = dquat_from(a_from_b->orientation);
    const dvec moved = dquat_rotate(q, dvec_from(b_from_c->position));

    return (clash_pose){dquat_round(dquat_mul(q, dquat_from(b_from_c->orientation))),
                        dvec_round(dvec_add(moved, dvec_from(a_from_b->position)))};
}

clash_pose clash_pose_inverse(const clash_pose *a_from_b)
{
    const dquat q = dquat_conjugate(dquat_from(a_from_b->orientation));

    return (clash_pose){dquat_round(q), dvec_round(dvec_scale(dquat_rotate(q, dvec_from(a_from_b->position)), -1.0))};
}

clash_pose clash_pose_interpolate(const clash_pose *from, const clash_pose *to, double fraction)
{
    const clash_motion motion = {*from, *to};

    return clash_motion_at(&motion, clamp01(fraction));
}

clash_pose clash_motion_at(const clash_motion *motion, double fraction)
{
    dquat q = turn_part(dquat_from(motion->from.orientation), dquat_from(motion->to.orientation), fraction);
    dvec p0 = dvec_from(motion->from.position);
    dvec p = dvec_add_scaled(p0, dvec_sub(dvec_from(motion->to.position), p0), fraction);

    return (clash_pose){dquat_round(q), dvec_round(p)};
}

clash_vec3 clash_motion_velocity(const clash_motion *motion, double fraction, clash_vec3 point)
{
    rotation way = turn_between(dquat_from(motion->from.orientation), dquat_from(motion->to.orientation));
    dvec p0 = dvec_from(motion->from.position);
    dvec step = dvec_sub(dvec_from(motion->to.position), p0);
    dvec arm = dvec_sub(dvec_from(point), dvec_add_scaled(p0, step, fraction));

    return dvec_round(dvec_add_scaled(step, dvec_cross(way.axis, arm), way.angle));
}

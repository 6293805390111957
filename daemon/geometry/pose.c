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

clash_pose clash_motion_at(const clash_motion *motion, double fraction)
{
    dquat from = dquat_from(motion->from.orientation);
    rotation way = turn_between(from, dquat_from(motion->to.orientation));
    dvec p0 = dvec_from(motion->from.position);
    dvec p = dvec_add_scaled(p0, dvec_sub(dvec_from(motion->to.position), p0), fraction);
    double sine, cosine;
    dquat q;

    trig_sincos(way.angle * fraction * 0.5, &sine, &cosine);
    q = dquat_mul((dquat){dvec_scale(way.axis, sine), cosine}, from);
    return (clash_pose){{(float)q.v.x, (float)q.v.y, (float)q.v.z, (float)q.w}, dvec_round(p)};
}

clash_vec3 clash_motion_velocity(const clash_motion *motion, double fraction, clash_vec3 point)
{
    rotation way = turn_between(dquat_from(motion->from.orientation), dquat_from(motion->to.orientation));
    dvec p0 = dvec_from(motion->from.position);
    dvec step = dvec_sub(dvec_from(motion->to.position), p0);
    dvec arm = dvec_sub(dvec_from(point), dvec_add_scaled(p0, step, fraction));

    return dvec_round(dvec_add_scaled(step, dvec_cross(way.axis, arm), way.angle));
}

/* Poses, and the rigid motion between two of them.
 *
 * A motion is linear in the position of the device's origin and turns at a constant rate, the short way round, about
 * that origin. Time within a motion is a fraction: 0 at `from`, 1 at `to`; it carries no duration. */
#ifndef CLASH_POSE_H
#define CLASH_POSE_H

#include <clash/math.h>

CLASH_BEGIN_DECLS

/** Where a device is: stage_from_device. Position in metres. Same layout as XrPosef. */
typedef struct clash_pose {
    clash_quat orientation;
    clash_vec3 position;
} clash_pose;

/** The movement of one device between two samples. If the two orientations are exactly half a turn apart both ways
 *  round are equally short; the one that `to * conj(from)` spells with a non-negative w is taken. */
typedef struct clash_motion {
    clash_pose from, to;
} clash_motion;

/** The part of a motion to use, in fractions of it; the whole is {0, 1}. 0 <= from <= to <= 1. */
typedef struct clash_span {
    double from, to;
} clash_span;

/** Return a point of the device's frame in stage space. */
CLASH_API clash_vec3 clash_pose_apply(const clash_pose *stage_from_device, clash_vec3 point);

/** Return a direction of the device's frame in stage space: rotated, not moved. */
CLASH_API clash_vec3 clash_pose_rotate(const clash_pose *stage_from_device, clash_vec3 direction);

/** Return a_from_c: where c is in a's frame if `b_from_c` says where it is in b's. Applied to a point it gives what both give one after
 *  the other. Computed in double precision and rounded once; the orientation is of unit length. */
CLASH_API clash_pose clash_pose_mul(const clash_pose *a_from_b, const clash_pose *b_from_c);

/** Return b_from_a: how a is placed in b's frame. The orientation is of unit length. */
CLASH_API clash_pose clash_pose_inverse(const clash_pose *a_from_b);

/** Return the pose at `fraction` (0..1; others are clamped) between two poses of one frame: the origin goes straight, the orientation
 *  as clash_quat_slerp. That is clash_motion_at. */
CLASH_API clash_pose clash_pose_interpolate(const clash_pose *from, const clash_pose *to, double fraction);

/** Return the pose at `fraction` of the motion (0..1). Rounded to float, so a motion rebuilt from it differs by
 *  rounding; to sweep a part of a motion exactly use a clash_span (time_of_impact.h). */
CLASH_API clash_pose clash_motion_at(const clash_motion *motion, double fraction);

/** Velocity of the material point of the device that is at `point` (stage space, m) at `fraction`, in metres per unit of
 *  fraction: divide by the motion's duration in seconds to have m/s. dp + angle * axis x (point - origin(fraction)). */
CLASH_API clash_vec3 clash_motion_velocity(const clash_motion *motion, double fraction, clash_vec3 point);

CLASH_END_DECLS

#endif

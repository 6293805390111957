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

/** Return the pose at `fraction` of the motion (0..1). Rounded to float, so a motion rebuilt from it differs by
 *  rounding; to sweep a part of a motion exactly use a clash_span (time_of_impact.h). */
CLASH_API clash_pose clash_motion_at(const clash_motion *motion, double fraction);

/** Velocity of the material point of the device that is at `point` (stage space, m) at `fraction`, in metres per unit of
 *  fraction: divide by the motion's duration in seconds to have m/s. dp + angle * axis x (point - origin(fraction)). */
CLASH_API clash_vec3 clash_motion_velocity(const clash_motion *motion, double fraction, clash_vec3 point);

CLASH_END_DECLS

#endif

/* Vectors and quaternions as in samples, events and recordings.
 *
 * Right-handed axes as in OpenXR (x right, y up, -z forward), metres. All functions are pure and thread-safe; results
 * depend only on the arguments and are the same bits on every IEEE 754 machine. */
#ifndef CLASH_MATH_H
#define CLASH_MATH_H

#include <clash/base.h>

/** How far from the origin of its frame a coordinate of a pose or a shape, and how large a size, may be, m. Up to here tests hold
 *  every answer against exhaustive search: nothing is missed, nothing is invented. A float is 1 mm from the next one there,
 *  which is what a pose can say, not what the sweep adds. clashd refuses what lies beyond. The functions of libclash do not:
 *  finite input beyond is answered, but neither how exactly nor how soon is promised. */
#define CLASH_COORDINATE_MAX 10000

CLASH_BEGIN_DECLS

/** A point (m), a direction (unit) or a velocity (m/s); where it is used says in which frame. */
typedef struct clash_vec3 {
    float x, y, z;
} clash_vec3;

/** A rotation, Hamilton convention, x y z w in memory as XrQuaternionf. Expected near unit length; every function
 *  normalises it in double precision first, so its rounding does not scale a blade. */
typedef struct clash_quat {
    float x, y, z, w;
} clash_quat;

/** Return true when all three components are finite. */
CLASH_API bool clash_vec3_is_finite(clash_vec3 v);

/** Return true when each component lies between -bound and bound; never if one is not a number. Unit of `v`. */
CLASH_API bool clash_vec3_is_within(clash_vec3 v, float bound);

/** Euclidean length, computed in double precision so that it neither overflows nor underflows. Unit of `v`. */
CLASH_API float clash_vec3_length(clash_vec3 v);

/** Angle between two directions of any length, radians in 0..pi; 0 if either is zero. Stable for nearly parallel
 *  input: 2 atan2(| |b|a - |a|b |, | |b|a + |a|b |) (W. Kahan, "How Futile are Mindless Assessments of Roundoff in
 *  Floating-Point Computation?", 2006, section 12). */
CLASH_API float clash_vec3_angle(clash_vec3 a, clash_vec3 b);

/** Vector algebra. Every component is computed in double precision and rounded once, so a dot or cross product of nearly
 *  perpendicular or parallel vectors keeps its digits. Beyond the range of float a result is infinite; NaN gives NaN. */
CLASH_API clash_vec3 clash_vec3_add(clash_vec3 a, clash_vec3 b);                  /**< a + b */
CLASH_API clash_vec3 clash_vec3_sub(clash_vec3 a, clash_vec3 b);                  /**< a - b: from b to a */
CLASH_API clash_vec3 clash_vec3_scale(clash_vec3 v, float s);                     /**< v s */
CLASH_API clash_vec3 clash_vec3_add_scaled(clash_vec3 a, clash_vec3 b, double s); /**< a + b s: along a line */
CLASH_API float clash_vec3_dot(clash_vec3 a, clash_vec3 b);                       /**< |a| |b| cos of their angle */
CLASH_API clash_vec3 clash_vec3_cross(clash_vec3 a, clash_vec3 b); /**< across both, right-handed: x cross y is z */
CLASH_API float clash_vec3_distance(clash_vec3 a, clash_vec3 b);   /**< |a - b| */

/** The same direction with length 1. A vector of no length has none: it stays {0, 0, 0}. However short or long, down to the
 *  smallest float, any other gives a length of 1 to within rounding; one that is not finite gives NaN in all three. */
CLASH_API clash_vec3 clash_vec3_normalize(clash_vec3 v);

/** Return where on the line through a and b the foot of the perpendicular from `point` is, as a ratio of the way from a to b that
 *  no end clamps: 0 at a, 1 at b, negative before a, above 1 beyond b. Clamped to 0..1 it is where the segment is closest.
 *  (point - a).(b - a) / |b - a|^2 (C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.2). 0 if a is b, NaN
 *  if a number is not finite. */
CLASH_API double clash_segment_ratio(clash_vec3 point, clash_vec3 a, clash_vec3 b);

/** Distance (m) of a point from the line through `origin` along `direction` (any length), which has no ends. *out_parameter,
 *  if not NULL: the foot is origin + *out_parameter direction. |(point - origin) x direction| / |direction|, which keeps its
 *  digits also far along the line. Without a direction (of length 0) the line is its origin, the parameter 0. Non-finite
 *  input gives NaN and leaves it untouched. */
CLASH_API float clash_point_line_distance(clash_vec3 point, clash_vec3 origin, clash_vec3 direction,
                                          double *out_parameter);

/** The closest points of two lines that have no ends. */
typedef struct clash_line_closest {
    double parameters[2]; /**< each point is origin + parameter direction of its line */
    clash_vec3 points[2]; /**< m */
    bool parallel; /**< exactly, or so nearly that they meet beyond the range of float; or one has no direction */
} clash_line_closest;

/** Distance (m) between the lines through origin_a and origin_b: |(origin_b - origin_a) . n| / |n| with n the cross product
 *  of the directions (any length), exact to rounding also if these are all but parallel (Ericson, section 5.1.8). If
 *  `parallel` is set every point is as close as any, and the two are origin_a and its foot on the other line; a line whose
 *  direction has no length is its origin, and the foot is on the other. `out_closest` may be NULL. Non-finite input, or a
 *  foot beyond the range of float, gives NaN and leaves it untouched. */
CLASH_API float clash_line_distance(clash_vec3 origin_a, clash_vec3 direction_a, clash_vec3 origin_b,
                                    clash_vec3 direction_b, clash_line_closest *out_closest);

/** Return true when all four components are finite and the length differs from 1 by at most `tolerance`. */
CLASH_API bool clash_quat_is_unit(clash_quat q, float tolerance);

/** Rotations one after the other, in any frame: b first, then a. Of unit length, whatever the lengths of a and b; computed in double
 *  precision. NaN if one of them is zero or not finite. The same goes for the two below. */
CLASH_API clash_quat clash_quat_mul(clash_quat a, clash_quat b);

/** The rotation that undoes q. */
CLASH_API clash_quat clash_quat_inverse(clash_quat q);

/** The rotation at `fraction` (0..1; others are clamped) of the way from `from` to `to`, at a constant rate and the short way round:
 *  the orientation of clash_motion_at (pose.h), which says which way a half turn goes. At 1 it may be -to, the same rotation. */
CLASH_API clash_quat clash_quat_slerp(clash_quat from, clash_quat to, double fraction);

CLASH_END_DECLS

#endif

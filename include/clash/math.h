/* Vectors and quaternions as they stand in samples, events and recordings.
 *
 * Right-handed axes as in OpenXR (x right, y up, -z forward), metres. All functions are pure and thread-safe; results
 * depend only on the arguments and are the same bits on every IEEE 754 machine. */
#ifndef CLASH_MATH_H
#define CLASH_MATH_H

#include <clash/base.h>

CLASH_BEGIN_DECLS

/** A point (m), a direction (unit) or a velocity (m/s); the frame is said where it is used. */
typedef struct clash_vec3 {
    float x, y, z;
} clash_vec3;

/** A rotation, Hamilton convention, x y z w in memory as XrQuaternionf. Expected near unit length; every function
 *  normalises it in double precision first, so its rounding does not scale a blade. */
typedef struct clash_quat {
    float x, y, z, w;
} clash_quat;

/** True when all three components are finite. */
CLASH_API bool clash_vec3_is_finite(clash_vec3 v);

/** Euclidean length, computed in double precision so that it neither overflows nor underflows. Unit of `v`. */
CLASH_API float clash_vec3_length(clash_vec3 v);

/** Angle between two directions of any length, radians in 0..pi; 0 where either is zero. Stable for nearly parallel
 *  input: 2 atan2(| |b|a - |a|b |, | |b|a + |a|b |) (W. Kahan, "How Futile are Mindless Assessments of Roundoff in
 *  Floating-Point Computation?", 2006, section 12). */
CLASH_API float clash_vec3_angle(clash_vec3 a, clash_vec3 b);

/** True when all four components are finite and the length differs from 1 by at most `tolerance`. */
CLASH_API bool clash_quat_is_unit(clash_quat q, float tolerance);

CLASH_END_DECLS

#endif

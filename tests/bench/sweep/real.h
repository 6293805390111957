/* Vectors, rotations and the distance of two segments in the precision REAL (float or double), which must be defined
 * before this is included: what the plain contenders are made of. Shares no code with libclash. */
#ifndef CLASHD_BENCH_SWEEP_REAL_H
#define CLASHD_BENCH_SWEEP_REAL_H

#include <clash/sweep.h>
#include <tgmath.h>

typedef REAL real;

typedef struct vec {
    real x, y, z;
} vec;

static inline vec vec_of(clash_vec3 v)
{
    return (vec){(real)v.x, (real)v.y, (real)v.z};
}

static inline vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

/** a + b s */
static inline vec vec_mad(vec a, vec b, real s)
{
    return (vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline real vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline real vec_length(vec a)
{
    return sqrt(vec_dot(a, a));
}

/** fmax and fmin, not comparisons: with finite numbers promised to the compiler they are one instruction and no jump. */
static inline real max_of(real a, real b)
{
    return fmax(a, b);
}

static inline real clamp01(real x)
{
    return fmin(fmax(x, (real)0), (real)1);
}

/** v turned by the unit quaternion q */
static inline vec vec_turn(clash_quat q, vec v)
{
    vec k = {(real)q.x, (real)q.y, (real)q.z};
    vec c = vec_cross(k, v);

    return vec_mad(vec_mad(v, c, 2 * (real)q.w), vec_cross(k, c), 2);
}

static inline vec point_at(const clash_pose *pose, clash_vec3 point)
{
    return vec_mad(vec_turn(pose->orientation, vec_of(point)), vec_of(pose->position), 1);
}

/** 1 / v.v; of a segment of no length any number will do, as all that it is multiplied with is 0. */
static inline real per_square(vec v)
{
    return 1 / max_of(vec_dot(v, v), (real)1e-30);
}

/** Distance of the segments p + s u and q + t v, 0 <= s, t <= 1: s on the lines, clamped; the best t for it, clamped; the
 *  best s for that, clamped (after C. Ericson, "Real-Time Collision Detection", section 5.1.9, without its jumps, which
 *  random segments make mispredicted). per_uu and per_vv are per_square() of u and v, which a rigid motion keeps. */
static inline real segment_distance(vec p, vec u, real per_uu, vec q, vec v, real per_vv)
{
    vec r = vec_sub(p, q);
    real uu = vec_dot(u, u), vv = vec_dot(v, v), uv = vec_dot(u, v), ur = vec_dot(u, r), vr = vec_dot(v, r);
    real s = clamp01((uv * vr - ur * vv) / max_of(uu * vv - uv * uv, (real)1e-30));
    real t = clamp01((uv * s + vr) * per_vv);

    s = clamp01((uv * t - ur) * per_uu);
    return vec_length(vec_mad(vec_mad(r, u, s), v, -t));
}

#endif

/* Double-precision unit quaternions and the short-way rotation between two orientations. */
#ifndef CLASH_GEOMETRY_QUAT_H
#define CLASH_GEOMETRY_QUAT_H

#include "trig.h"
#include "vec.h"

typedef struct dquat {
    dvec v;
    double w;
} dquat;

/** Return q normalised; all NaN for a zero quaternion. */
static inline dquat dquat_from(clash_quat q)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double s = 1.0 / sqrt(x * x + y * y + z * z + w * w);

    return (dquat){{x * s, y * s, z * s}, w * s};
}

static inline clash_quat dquat_round(dquat q)
{
    return (clash_quat){(float)q.v.x, (float)q.v.y, (float)q.v.z, (float)q.w};
}

static inline dquat dquat_conjugate(dquat q)
{
    return (dquat){{-q.v.x, -q.v.y, -q.v.z}, q.w};
}

static inline dquat dquat_mul(dquat a, dquat b)
{
    dvec v = dvec_add_scaled(dvec_scale(b.v, a.w), a.v, b.w);

    return (dquat){dvec_add(v, dvec_cross(a.v, b.v)), a.w * b.w - dvec_dot(a.v, b.v)};
}

/** Return v turned by q: v + 2 w (q.v x v) + 2 q.v x (q.v x v). */
static inline dvec dquat_rotate(dquat q, dvec v)
{
    dvec t = dvec_scale(dvec_cross(q.v, v), 2.0);

    return dvec_add(dvec_add_scaled(v, t, q.w), dvec_cross(q.v, t));
}

/** A rotation as unit axis and angle in [0, pi]; any unit axis if the angle is 0. */
typedef struct rotation {
    dvec axis;
    double angle;
} rotation;

/** Return the short way from `from` to `to`, in stage axes. */
static inline rotation turn_between(dquat from, dquat to)
{
    dquat d = dquat_mul(to, dquat_conjugate(from));
    double s = dvec_length(d.v);
    double sign = d.w < 0.0 ? -1.0 : 1.0;

    if (s == 0.0)
        return (rotation){{0.0, 0.0, 1.0}, 0.0};
    return (rotation){dvec_scale(d.v, sign / s), 2.0 * trig_angle(s, sign * d.w)};
}

/** Return the orientation at `fraction` (0..1) of the short way. */
static inline dquat turn_part(dquat from, dquat to, double fraction)
{
    const rotation way = turn_between(from, to);
    double sine, cosine;

    trig_sincos(way.angle * fraction * 0.5, &sine, &cosine);
    return dquat_mul((dquat){dvec_scale(way.axis, sine), cosine}, from);
}

/** Return v turned about the axis by the angle whose sine and cosine are given (O. Rodrigues). */
static inline dvec turn_apply(dvec axis, double sine, double cosine, dvec v)
{
    dvec along = dvec_scale(axis, dvec_dot(axis, v));
    dvec across = dvec_sub(v, along);
    dvec turned = dvec_add_scaled(dvec_scale(across, cosine), dvec_cross(axis, v), sine);

    return dvec_add(along, turned);
}

#endif

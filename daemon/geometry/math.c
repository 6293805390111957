/* The public functions on vectors and quaternions. Pure. */
#include "quat.h"

#include <clash/clash.h>

const char *clash_version(void)
{
    return CLASH_VERSION_STRING;
}

bool clash_vec3_is_finite(clash_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool clash_vec3_is_within(clash_vec3 v, float bound)
{
    return fabsf(v.x) <= bound && fabsf(v.y) <= bound && fabsf(v.z) <= bound;
}

float clash_vec3_length(clash_vec3 v)
{
    return (float)dvec_length(dvec_from(v));
}

float clash_vec3_angle(clash_vec3 a, clash_vec3 b)
{
    dvec u = dvec_from(a), v = dvec_from(b);
    double lu = dvec_length(u), lv = dvec_length(v);
    dvec p = dvec_scale(u, lv), q = dvec_scale(v, lu);

    if (!(lu > 0.0) || !(lv > 0.0))
        return 0.0f;
    return (float)(2.0 * trig_angle(dvec_length(dvec_sub(p, q)), dvec_length(dvec_add(p, q))));
}

clash_vec3 clash_vec3_add(clash_vec3 a, clash_vec3 b)
{
    return dvec_round(dvec_add(dvec_from(a), dvec_from(b)));
}

clash_vec3 clash_vec3_sub(clash_vec3 a, clash_vec3 b)
{
    return dvec_round(dvec_sub(dvec_from(a), dvec_from(b)));
}

clash_vec3 clash_vec3_scale(clash_vec3 v, float s)
{
    return dvec_round(dvec_scale(dvec_from(v), (double)s));
}

clash_vec3 clash_vec3_add_scaled(clash_vec3 a, clash_vec3 b, double s)
{
    return dvec_round(dvec_add_scaled(dvec_from(a), dvec_from(b), s));
}

float clash_vec3_dot(clash_vec3 a, clash_vec3 b)
{
    return (float)dvec_dot(dvec_from(a), dvec_from(b));
}

clash_vec3 clash_vec3_cross(clash_vec3 a, clash_vec3 b)
{
    return dvec_round(dvec_cross(dvec_from(a), dvec_from(b)));
}

float clash_vec3_distance(clash_vec3 a, clash_vec3 b)
{
    return (float)dvec_length(dvec_sub(dvec_from(a), dvec_from(b)));
}

clash_vec3 clash_vec3_normalize(clash_vec3 v)
{
    double length = dvec_length(dvec_from(v));

    if (!isfinite(length))
        return (clash_vec3){(float)NAN, (float)NAN, (float)NAN};
    return length > 0.0 ? dvec_round(dvec_scale(dvec_from(v), 1.0 / length)) : (clash_vec3){0.0f, 0.0f, 0.0f};
}

bool clash_quat_is_unit(clash_quat q, float tolerance)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double length = sqrt(x * x + y * y + z * z + w * w);

    return isfinite(length) && fabs(length - 1.0) <= (double)tolerance;
}

clash_quat clash_quat_mul(clash_quat a, clash_quat b)
{
    return dquat_round(dquat_mul(dquat_from(a), dquat_from(b)));
}

clash_quat clash_quat_inverse(clash_quat q)
{
    return dquat_round(dquat_conjugate(dquat_from(q)));
}

clash_quat clash_quat_slerp(clash_quat from, clash_quat to, double fraction)
{
    return dquat_round(turn_part(dquat_from(from), dquat_from(to), clamp01(fraction)));
}

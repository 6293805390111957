/* The public functions on vectors and quaternions. Pure. */
#include "quat.h"

bool clash_vec3_is_finite(clash_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
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

bool clash_quat_is_unit(clash_quat q, float tolerance)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double length = sqrt(x * x + y * y + z * z + w * w);

    return isfinite(length) && fabs(length - 1.0) <= (double)tolerance;
}

/* Distance between two segments that do not move: the public face of closest.h. Pure. */
#include <clash/shape.h>

#include "closest.h"

dvec closest_normal(const closest *c, dvec u, dvec v)
{
    double d = sqrt(c->distance_squared);
    double uu = dvec_dot(u, u), vv = dvec_dot(v, v);
    dvec n = dvec_cross(u, v);
    double nn = dvec_dot(n, n);

    if (d > 0.0)
        return dvec_scale(c->w, 1.0 / d);
    if (nn > 1e-24 * uu * vv)
        return dvec_scale(n, 1.0 / sqrt(nn));
    return dvec_across(uu >= vv ? u : v);
}

float clash_segment_distance(clash_vec3 p0, clash_vec3 p1, clash_vec3 q0, clash_vec3 q1, clash_contact *out_closest)
{
    dvec a = dvec_from(p0), b = dvec_from(q0);
    dvec u = dvec_sub(dvec_from(p1), a), v = dvec_sub(dvec_from(q1), b);
    closest c = closest_of_segments(dvec_sub(b, a), u, v);
    float distance = (float)sqrt(c.distance_squared);
    dvec on_a, on_b;

    /* Squares of floats do not overflow a double, so only input that is not finite gives a result that is not: every
     * candidate of the search multiplies every input, and infinity times 0 is NaN. */
    if (!isfinite(c.distance_squared))
        return (float)NAN;
    if (!out_closest)
        return distance;
    on_a = dvec_add_scaled(a, u, c.s);
    on_b = dvec_add_scaled(b, v, c.t);
    *out_closest = (clash_contact){
        .fraction = 0.0,
        .distance = distance,
        .midpoint = dvec_round(dvec_scale(dvec_add(on_a, on_b), 0.5)),
        .points = {dvec_round(on_a), dvec_round(on_b)},
        .normal = dvec_round(closest_normal(&c, u, v)),
        .along = {(float)c.s, (float)c.t},
    };
    return distance;
}

/* Distances between shapes that do not move: the public functions on top of closest.h and the time of impact. Pure. */
#include <clash/time_of_impact.h>

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

    /* Squares of floats do not overflow a double, so only non-finite input gives a non-finite result: every candidate
     * of the search multiplies every input, and infinity times 0 is NaN. */
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

float clash_shape_distance(clash_vec3 p0, clash_vec3 p1, const clash_shape *shape, const clash_pose *pose,
                           clash_toi_output *out_closest)
{
    const clash_pose origin = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
    const clash_motion at_rest = {origin, origin}, there = {*pose, *pose};
    const clash_capsule axis = {p0, p1, 0.0f};
    clash_toi_input in = clash_toi_input_default();
    clash_toi_output c;

    in.colliders[0] = clash_collider_of_capsules(&axis, 1, &at_rest);
    in.colliders[1] = clash_collider_of_shape(shape, &there);
    if (clash_contact_at(&in, 0.0, &c) == CLASH_SWEEP_INVALID)
        return (float)NAN;
    if (out_closest)
        *out_closest = c;
    return c.contact.distance;
}

float clash_point_segment_distance(clash_vec3 point, clash_vec3 a, clash_vec3 b, float *out_along)
{
    clash_contact c = {0};
    float distance = clash_segment_distance(point, point, a, b, &c);

    if (out_along && !isnan(distance))
        *out_along = c.along[1];
    return distance;
}

float clash_capsule_distance(const clash_capsule *a, const clash_capsule *b, clash_contact *out_closest)
{
    dvec base = dvec_from(a->base), u = dvec_sub(dvec_from(a->tip), base);
    dvec other = dvec_from(b->base), v = dvec_sub(dvec_from(b->tip), other);
    closest c = closest_of_segments(dvec_sub(other, base), u, v);
    double gap = sqrt(c.distance_squared) - (double)a->radius - (double)b->radius;

    if (!isfinite(gap) || a->radius < 0.0f || b->radius < 0.0f)
        return (float)NAN;
    if (out_closest)
        clash_segment_distance(a->base, a->tip, b->base, b->tip, out_closest);
    return (float)gap;
}

float clash_sphere_capsule_distance(const clash_sphere *sphere, const clash_capsule *capsule,
                                    clash_contact *out_closest)
{
    clash_capsule ball = {sphere->center, sphere->center, sphere->radius};

    return clash_capsule_distance(&ball, capsule, out_closest);
}

/* Distances and crossings of shapes that do not move: public functions over the same machinery that sweeps. Pure. */
#include <clash/sweep.h>

#include "closest.h"

static const clash_span whole = {0.0, 1.0};

float clash_shape_distance(clash_vec3 p0, clash_vec3 p1, const clash_shape *shape, const clash_pose *pose,
                           clash_surface_contact *out_closest)
{
    const clash_pose still = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
    const clash_body axis = {{p0, p1, 0.0f}, {still, still}};
    const clash_target target = {*shape, {*pose, *pose}};
    clash_surface_contact c;

    if (clash_target_at(&axis, whole, &target, whole, 0.0f, 0.0, &c) == CLASH_SWEEP_INVALID)
        return (float)NAN;
    if (out_closest)
        *out_closest = c;
    return c.contact.distance;
}

float clash_point_segment_distance(clash_vec3 point, clash_vec3 a, clash_vec3 b, float *out_along)
{
    clash_contact c;
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

/* With m from the centre to the origin, d the direction: |m + t d| = r where  t = (-m.d +- sqrt(d.d r^2 - |m x d|^2)) / d.d.
 * The cross product keeps the digits that m.m - r^2 would lose for a distant origin. The parameter of the smaller size comes
 * from the product of both, (m.m - r^2) / d.d, where the sum would cancel. */
int clash_line_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere, double out_parameters[2])
{
    dvec d = dvec_from(direction), m = dvec_sub(dvec_from(origin), dvec_from(sphere->center)),
         across = dvec_cross(m, d);
    double r = (double)sphere->radius, dd = dvec_dot(d, d), md = dvec_dot(m, d), length = dvec_length(m);
    double room = dd * r * r - dvec_dot(across, across), root, far, near;

    if (!isfinite(room) || !isfinite(md) || r < 0.0 || !(dd > 0.0))
        return -1;
    if (room < 0.0)
        return 0;
    root = sqrt(room);
    far = -(md + (md < 0.0 ? -root : root));
    near = far != 0.0 ? (length - r) * (length + r) / far : 0.0;
    far = far / dd;
    out_parameters[0] = min_of(near, far);
    out_parameters[1] = max_of(near, far);
    return 2;
}

int clash_ray_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere, double out_parameters[2])
{
    double both[2];
    int found = clash_line_sphere(origin, direction, sphere, both);

    if (found <= 0)
        return found;
    if (both[1] < 0.0)
        return 0;
    out_parameters[0] = both[0];
    out_parameters[1] = both[1];
    return found;
}

/* Lines and rays against shapes that do not move: see clash/shape.h and clash/ray.h. A line has one interval in common
 * with a convex body, so for everything solid find where that begins and ends. Pure. */
#include <clash/ray.h>

#include "quat.h"
#include "ray_surface.h"
#include "validate.h"

/** What a line and a convex body have in common, as parameters of the line. */
typedef struct ray_span {
    double from, to;
} ray_span;

/* With m from the centre to the origin, d the direction: |m + t d| = r where  t = (-m.d +- sqrt(d.d r^2 - |m x d|^2)) / d.d.
 * The cross product keeps the digits that m.m - r^2 would lose for a distant origin. The parameter of the smaller size comes
 * from the product of both, (m.m - r^2) / d.d, if the sum would cancel. */
static bool span_of_ball(dvec m, dvec d, double r, ray_span *out)
{
    dvec across = dvec_cross(m, d);
    double dd = dvec_dot(d, d), md = dvec_dot(m, d), length = dvec_length(m);
    double room = dd * r * r - dvec_dot(across, across), root, far, near;

    if (!(room >= 0.0))
        return false;
    root = sqrt(room);
    far = -(md + (md < 0.0 ? -root : root));
    near = far != 0.0 ? (length - r) * (length + r) / far : 0.0;
    far = far / dd;
    *out = (ray_span){min_of(near, far), max_of(near, far)};
    return true;
}

/* The same across a cylinder's axis u, which m and d are measured from in units of its length, as a = m x u / |u| and
 * b = d x u / |u|:  |a + t b| = r.  There (a x b) = (m x d).u / |u|, along u. */
static bool span_of_tube(dvec m, dvec d, dvec u, double r, ray_span *out)
{
    double per_length = 1.0 / dvec_length(u);
    dvec a = dvec_scale(dvec_cross(m, u), per_length), b = dvec_scale(dvec_cross(d, u), per_length);
    double bb = dvec_dot(b, b), ab = dvec_dot(a, b), length = dvec_length(a);
    double across = dvec_dot(dvec_cross(m, d), u) * per_length, room = bb * r * r - across * across, root, far, near;

    if (!(bb > 0.0)) { /* along the axis: all of it, or nothing */
        *out = (ray_span){-INFINITY, INFINITY};
        return length <= r;
    }
    if (!(room >= 0.0))
        return false;
    root = sqrt(room);
    far = -(ab + (ab < 0.0 ? -root : root));
    near = far != 0.0 ? (length - r) * (length + r) / far : 0.0;
    far = far / bb;
    *out = (ray_span){min_of(near, far), max_of(near, far)};
    return true;
}

/** Narrow *span to where low <= at + t slope <= high; return false if nothing is left. */
static bool span_between(double at, double slope, double low, double high, ray_span *span)
{
    if (slope == 0.0)
        return at >= low && at <= high;
    span->from = max_of(span->from, ((slope > 0.0 ? low : high) - at) / slope);
    span->to = min_of(span->to, ((slope > 0.0 ? high : low) - at) / slope);
    return span->from <= span->to;
}

static void span_join(ray_span *all, bool *found, ray_span one)
{
    all->from = *found ? min_of(all->from, one.from) : one.from;
    all->to = *found ? max_of(all->to, one.to) : one.to;
    *found = true;
}

/** m: from the base to the line's origin; u: from there to the tip. */
static bool span_of_rod(dvec m, dvec d, dvec u, double r, ray_span *out)
{
    double uu = dvec_dot(u, u);
    bool found = false;
    ray_span one;

    if (span_of_ball(m, d, r, &one))
        span_join(out, &found, one);
    if (!(uu > 0.0))
        return found;
    if (span_of_ball(dvec_sub(m, u), d, r, &one))
        span_join(out, &found, one);
    if (span_of_tube(m, d, u, r, &one) && span_between(dvec_dot(m, u), dvec_dot(d, u), 0.0, uu, &one))
        span_join(out, &found, one);
    return found;
}

/** *out_face: axis 0 to 2 perpendicular to the face by which it enters. */
static bool span_of_box(dvec m, dvec d, dvec half, ray_span *out, int *out_face)
{
    const double at[3] = {m.x, m.y, m.z}, slope[3] = {d.x, d.y, d.z}, size[3] = {half.x, half.y, half.z};

    *out = (ray_span){-INFINITY, INFINITY};
    *out_face = 0;
    for (int k = 0; k < 3; k++) {
        double before = out->from;

        if (!span_between(at[k], slope[k], -size[k], size[k], out))
            return false;
        if (out->from > before)
            *out_face = k;
    }
    return true;
}

static bool is_direction(clash_vec3 d)
{
    return clash_vec3_is_finite(d) && (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f);
}

int clash_line_capsule(clash_vec3 origin, clash_vec3 direction, const clash_capsule *capsule, double out_parameters[2])
{
    const clash_pose at_rest = {{0.0f, 0.0f, 0.0f, 1.0f}, origin};
    const clash_body body = {*capsule, {at_rest, at_rest}};
    dvec base = dvec_from(capsule->base);
    ray_span span;

    if (!body_is_valid(&body) || !is_direction(direction))
        return -1;
    if (!span_of_rod(dvec_sub(dvec_from(origin), base), dvec_from(direction), dvec_sub(dvec_from(capsule->tip), base),
                     (double)capsule->radius, &span))
        return 0;
    out_parameters[0] = span.from;
    out_parameters[1] = span.to;
    return 2;
}

int clash_ray_capsule(clash_vec3 origin, clash_vec3 direction, const clash_capsule *capsule, double out_parameters[2])
{
    double both[2];
    int found = clash_line_capsule(origin, direction, capsule, both);

    if (found <= 0)
        return found;
    if (both[1] < 0.0)
        return 0;
    out_parameters[0] = both[0];
    out_parameters[1] = both[1];
    return found;
}

int clash_line_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere, double out_parameters[2])
{
    const clash_capsule ball = {sphere->center, sphere->center, sphere->radius};

    return clash_line_capsule(origin, direction, &ball, out_parameters);
}

int clash_ray_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere, double out_parameters[2])
{
    const clash_capsule ball = {sphere->center, sphere->center, sphere->radius};

    return clash_ray_capsule(origin, direction, &ball, out_parameters);
}

/** A ray as a shape's device sees it. */
typedef struct ray_query {
    dvec origin, direction;
    double most;
} ray_query;

/** Turn the common span of a solid shape and the line into a hit; return false if it is not on the ray. The caller sets
 *  the normal, unless the ray begins inside. */
static bool begin_hit(const ray_query *q, ray_span span, ray_found *out)
{
    if (span.to < 0.0 || span.from > q->most)
        return false;
    *out = (ray_found){.parameter = max_of(span.from, 0.0), .triangle = CLASH_NO_TRIANGLE, .inside = span.from < 0.0};
    return true;
}

static bool hit_rod(const ray_query *q, dvec base, dvec u, double radius, ray_found *out)
{
    dvec m = dvec_sub(q->origin, base);
    ray_span span;

    if (!span_of_rod(m, q->direction, u, radius, &span) || !begin_hit(q, span, out))
        return false;
    if (!out->inside) {
        dvec at = dvec_add_scaled(m, q->direction, out->parameter);
        double uu = dvec_dot(u, u), along = uu > 0.0 ? clamp01(dvec_dot(at, u) / uu) : 0.0;

        out->normal = dvec_add_scaled(at, u, -along);
    }
    return true;
}

static bool hit_box(const ray_query *q, const clash_box *box, ray_found *out)
{
    dquat device_from_box = dquat_from(box->orientation), back = dquat_conjugate(device_from_box);
    dvec m = dquat_rotate(back, dvec_sub(q->origin, dvec_from(box->center))), d = dquat_rotate(back, q->direction), n;
    ray_span span;
    int face;

    if (!span_of_box(m, d, dvec_from(box->half), &span, &face) || !begin_hit(q, span, out))
        return false;
    n = (dvec){face == 0 ? -d.x : 0.0, face == 1 ? -d.y : 0.0, face == 2 ? -d.z : 0.0};
    if (!out->inside)
        out->normal = dquat_rotate(device_from_box, n);
    return true;
}

static bool hit_shape(const ray_query *q, const clash_shape *shape, ray_found *out)
{
    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        return hit_rod(q, dvec_from(shape->as.sphere.center), (dvec){0.0, 0.0, 0.0}, (double)shape->as.sphere.radius,
                       out);
    case CLASH_SHAPE_CAPSULE:
        return hit_rod(q, dvec_from(shape->as.capsule.base),
                       dvec_sub(dvec_from(shape->as.capsule.tip), dvec_from(shape->as.capsule.base)),
                       (double)shape->as.capsule.radius, out);
    case CLASH_SHAPE_BOX:
        return hit_box(q, &shape->as.box, out);
    case CLASH_SHAPE_MESH:
        return ray_meets_surface(shape->as.mesh, NULL, q->origin, q->direction, q->most, out);
    case CLASH_SHAPE_TERRAIN:
        return ray_meets_surface(NULL, shape->as.terrain, q->origin, q->direction, q->most, out);
    }
    return false;
}

int clash_ray_shape(clash_vec3 origin, clash_vec3 direction, double most, const clash_shape *shape,
                    const clash_pose *pose, clash_ray_hit *out_hit)
{
    dvec from = dvec_from(origin), along = dvec_from(direction);
    dquat stage_from_device, back;
    ray_found found;
    ray_query q;
    clash_ray_hit hit;
    double length;

    if (!shape_is_valid(shape) || !pose_is_valid(pose) || !clash_vec3_is_finite(origin) || !is_direction(direction) ||
        !(most >= 0.0))
        return -1;
    stage_from_device = dquat_from(pose->orientation);
    back = dquat_conjugate(stage_from_device);
    q.origin = dquat_rotate(back, dvec_sub(from, dvec_from(pose->position)));
    q.direction = dquat_rotate(back, along);
    q.most = most;
    if (!hit_shape(&q, shape, &found))
        return 0;
    length = dvec_length(found.normal);
    if (length > 0.0)
        found.normal = dquat_rotate(stage_from_device, dvec_scale(found.normal, 1.0 / length));
    else
        found.normal = dvec_scale(along, -1.0 / dvec_length(along));
    hit = (clash_ray_hit){found.parameter, dvec_round(dvec_add_scaled(from, along, found.parameter)),
                          dvec_round(found.normal), found.triangle, found.inside};
    if (!clash_vec3_is_finite(hit.point))
        return -1;
    if (out_hit)
        *out_hit = hit;
    return 1;
}

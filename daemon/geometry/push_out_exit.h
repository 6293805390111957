/* How far a blade must go in one direction until it is out: convex by convex (a solid, a triangle). A convex's distance
 * is a convex function of the way, so Newton's method approaches its last zero from beyond. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_EXIT_H
#define CLASH_GEOMETRY_PUSH_OUT_EXIT_H

#include "push_out_overlap.h"

/* Steps of Newton's method: it converges in a few. */
#define PUSH_OUT_NEWTON 12
/* Allowed error, m. */
#define PUSH_OUT_EXIT_EXACT 1e-7
/* At most so many convexes are left one after the other. */
#define PUSH_OUT_EXITS 24

/** A convex of an obstacle: a solid, or a triangle. */
typedef struct push_out_convex {
    size_t capsule, obstacle;
    uint32_t triangle; /* CLASH_NO_TRIANGLE: the whole solid */
} push_out_convex;

/** Return the convex that an overlap is with. */
static inline push_out_convex convex_of(const push_out_overlap *o)
{
    return (push_out_convex){o->capsule, o->obstacle, o->touched};
}

/** Return whether the blade is behind or inside a surface but touches nothing. */
static inline bool is_buried(const push_out_task *b, const push_out_overlap *o)
{
    return is_surface(&b->obstacles[o->obstacle]) && o->touched == CLASH_NO_TRIANGLE;
}

/** Return the gap (m, negative inside) between the capsule, moved by x, and a convex, and the unit vector from the
 *  convex to it. For a triangle that the axis goes through: minus the radius, and no vector. */
static inline double convex_gap(push_out_task *b, const push_out_convex *p, dvec x, dvec *out_normal)
{
    target_convex triangle;
    target_near near = {.distance = INFINITY};
    push_out_overlap o;
    push_out_sight v;
    clash_vec3 c[3];

    if (p->triangle == CLASH_NO_TRIANGLE) {
        o = overlap_at(b, p->capsule, p->obstacle, x);
        *out_normal = o.normal;
        return -o.depth;
    }
    surface_pay(&b->left, NEAR_TRIANGLE_WORK);
    v = sight_of(b, p->capsule, &b->obstacles[p->obstacle], 0, x);
    surface_corners(&v.s, p->triangle, c);
    convex_triangle(&triangle, dvec_from(c[0]), dvec_from(c[1]), dvec_from(c[2]));
    convex_nearest(&triangle, v.base, v.u, &near);
    *out_normal = (dvec){0.0, 0.0, 0.0};
    if (near.distance > 0.0)
        *out_normal = dquat_rotate(v.stage_from_shape, dvec_scale(near.w, 1.0 / near.distance));
    return near.distance - v.radius;
}

/** Return a ball around a convex, in stage axes from the blade's origin. */
static inline dvec convex_ball(const push_out_task *b, const push_out_convex *p, double *out_radius)
{
    const clash_obstacle *o = &b->obstacles[p->obstacle];
    const clash_shape *shape = &o->shape;
    const bool is_mesh = shape->kind == CLASH_SHAPE_MESH;
    dvec middle = {0.0, 0.0, 0.0};
    clash_vec3 c[3];
    surface s;

    if (shape->kind == CLASH_SHAPE_SPHERE) {
        middle = dvec_from(shape->as.sphere.center);
        *out_radius = (double)shape->as.sphere.radius;
    } else if (shape->kind == CLASH_SHAPE_CAPSULE) {
        dvec base = dvec_from(shape->as.capsule.base), u = dvec_sub(dvec_from(shape->as.capsule.tip), base);

        middle = dvec_add_scaled(base, u, 0.5);
        *out_radius = (double)shape->as.capsule.radius + 0.5 * dvec_length(u);
    } else if (shape->kind == CLASH_SHAPE_BOX) {
        middle = dvec_from(shape->as.box.center);
        *out_radius = dvec_length(dvec_from(shape->as.box.half));
    } else {
        s = surface_of(is_mesh ? shape->as.mesh : NULL, is_mesh ? NULL : shape->as.terrain);
        surface_corners(&s, p->triangle, c);
        for (int k = 0; k < 3; k++)
            middle = dvec_add_scaled(middle, dvec_from(c[k]), 1.0 / 3.0);
        *out_radius = 0.0;
        for (int k = 0; k < 3; k++)
            *out_radius = max_of(*out_radius, dvec_length(dvec_sub(dvec_from(c[k]), middle)));
    }
    return dvec_add(origin_of(b, o, (dvec){0.0, 0.0, 0.0}), dquat_rotate(dquat_from(o->pose.orientation), middle));
}

/** Return how far along the unit vector `way` from x on the capsule has left a convex for good. */
static inline double exit_of_convex(push_out_task *b, const push_out_convex *p, dvec x, dvec way)
{
    const push_out_axis a = b->axes[p->capsule];
    double around, along, apart, s;
    dvec middle = convex_ball(b, p, &around);

    middle = dvec_sub(middle, dvec_add(x, dvec_add_scaled(a.base, a.u, 0.5)));
    around += a.radius + 0.5 * dvec_length(a.u);
    along = dvec_dot(middle, way);
    apart = around * around - (dvec_dot(middle, middle) - along * along);
    s = along + (apart > 0.0 ? sqrt(apart) : 0.0);
    for (int i = 0; i < PUSH_OUT_NEWTON && b->left > 0; i++) {
        dvec n;
        double gap = convex_gap(b, p, dvec_add_scaled(x, way, s), &n), slope = dvec_dot(n, way);

        if (!(gap > PUSH_OUT_EXIT_EXACT && slope > 0.0))
            break;
        s -= gap / slope;
    }
    return s;
}

/** Return how far along `way` (in the surface's frame, of the length `limit`) a point inside must go. Where it comes
 *  out is the surface, so from there it must go on by the radius. */
static inline double exit_of_point(const push_out_sight *v, bool is_open, dvec from, dvec way, double limit)
{
    const int out = v->side < 0 ? -1 : 1;
    const surface_triangle *triangles;
    double least = INFINITY;
    surface_along along;
    int count;

    along_begin(&along, &v->s, from, way, 0.0);
    while ((count = along_next(&along, v->left, &triangles)) > 0) {
        for (int k = 0; k < count; k++) {
            surface_crossing c;

            if (counts_as(v, &triangles[k], is_open) && surface_crosses(&triangles[k], from, way, &c) && c.way == out)
                along.last = least = min_of(least, c.t);
        }
    }
    return least * limit + v->radius;
}

/** Return how far from x on the last of the first `count` inner points of the overlap has left the surface. */
static inline double exit_of_inner(push_out_task *b, const push_out_overlap *o, int count, dvec x, dvec way,
                                   double limit)
{
    double most = 0.0;
    push_out_sight v;
    dvec along;

    if (o->inner.count == 0)
        return 0.0;
    v = sight_of(b, o->capsule, &b->obstacles[o->obstacle], side_at(b, o->capsule, o->obstacle), x);
    along = dvec_scale(dquat_rotate(dquat_conjugate(v.stage_from_shape), way), limit);
    for (int i = 0; i < o->inner.count && i < count && most <= limit; i++)
        most = max_of(most,
                      exit_of_point(&v, o->inner.is_open, dvec_add_scaled(v.base, v.u, o->inner.at[i]), along, limit));
    return most;
}

/** Return how far along `way` the capsule must go at least, from where it was seen to overlap, to leave the overlap's
 *  core. */
static inline double exit_of_core(const push_out_overlap *o, dvec way)
{
    double along = dvec_dot(o->core, way);
    double root = o->core_radius * o->core_radius - dvec_dot(o->core, o->core) + along * along;

    return root > 0.0 ? along + sqrt(root) : 0.0;
}

/** Return how far from x on it takes at least to undo an overlap; INFINITY if that is more than `limit` or cannot be
 *  told. */
static inline double exit_of(push_out_task *b, const push_out_overlap *o, dvec x, dvec way, double limit)
{
    const push_out_convex convex = convex_of(o);
    double least = exit_of_inner(b, o, o->inner.count, x, way, limit);

    if (o->inner.count == 0 && is_buried(b, o))
        return INFINITY;
    if (least <= limit && !is_buried(b, o))
        least = max_of(least, exit_of_convex(b, &convex, x, way));
    return least;
}

/** Return the distance (m) to the first place along `way` that is outside, apart from surfaces that the blade's axis
 *  has left; INFINITY if there is none up to `limit`. `from` is known to be too near. */
static inline double first_exit(push_out_task *b, dvec way, double from, double limit)
{
    double s = from;

    b->is_rough = true;
    for (int i = 0; i < PUSH_OUT_EXITS && s <= limit; i++) {
        const dvec x = dvec_scale(way, s);
        const push_out_overlap o = deepest_at(b, x);
        double more;

        if (is_outside(&o) || b->left == 0)
            break;
        more = exit_of(b, &o, x, way, limit - s);
        if (!(more > 0.0))
            break;
        s += more + PUSH_OUT_EXIT_EXACT;
    }
    b->is_rough = false;
    return s <= limit && b->left > 0 ? s : INFINITY;
}

#endif

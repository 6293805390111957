/* The planes with which pair_time_of_impact.h and rotating_plane.h prove separation: their normal, how they should
 * turn, and how far a bound allows a step. Pure. */
#ifndef CLASH_GEOMETRY_SEPARATING_PLANE_H
#define CLASH_GEOMETRY_SEPARATING_PLANE_H

#include "pair.h"

/** The plane's view of the four pairs of ends: clearance and rate of each, and the bound on the curvature. */
typedef struct plane_bound {
    f64x4 clearance, rate, curvature;
} plane_bound;

SIMD_INLINE bool inside(double parameter)
{
    return parameter > 0.0 && parameter < 1.0;
}

/** The plane's normal at h = 0, from a to b, and its length, which need not be 1. */
typedef struct plane_normal {
    dvec n;
    double length;
} plane_normal;

/** Return w; if rounding of the closest points matters in its direction (near contact, or nearly parallel), made
 *  perpendicular to the axes again: an error e in that moves the ends' clearances by e times the length. */
SIMD_INLINE plane_normal plane_normal_of(const pair_state *s)
{
    const closest *c = &s->near;
    dvec w = c->w, u = s->u, v = s->v;
    bool on_a = inside(c->s), on_b = inside(c->t), on_both = on_a && on_b;
    double all = on_both ? c->uu * c->vv : 1.0, across = on_both ? all - c->uv * c->uv : 1.0;

    if (s->distance * across >= 1e-5 * (1.0 + c->uu + c->vv) * all)
        return (plane_normal){w, s->distance};
    if (on_both && across > 1e-12 * all) {
        dvec n = dvec_cross(u, v);

        w = dvec_scale(n, dvec_dot(n, w) < 0.0 ? -1.0 : 1.0);
    } else if (on_a && !(on_b && c->vv > c->uu)) {
        w = dvec_add_scaled(w, u, -dvec_dot(w, u) / c->uu);
    } else if (on_b) {
        w = dvec_add_scaled(w, v, -dvec_dot(w, v) / c->vv);
    }
    return (plane_normal){w, dvec_length(w)};
}

/** Return q of the head comment: how the plane should turn to stay parallel to the axes that have their closest point
 *  inside. `along` is the normal's share of the ends' rates. */
SIMD_INLINE dvec plane_turn(const pair_state *s, f64x4 along)
{
    const closest *c = &s->near;
    double nu = along[0] - along[1], nv = along[2] - along[3];
    bool on_a = inside(c->s), on_b = inside(c->t);

    if (on_a && on_b && c->per_det > 0.0 && c->uu * c->vv * c->per_det < 1e8)
        return dvec_add_scaled(dvec_scale(s->u, (nu * c->vv - nv * c->uv) * c->per_det), s->v,
                               (nv * c->uu - nu * c->uv) * c->per_det);
    if (on_a)
        return dvec_scale(s->u, nu / c->uu);
    if (on_b)
        return dvec_scale(s->v, nv / c->vv);
    return (dvec){0.0, 0.0, 0.0};
}

/** Return the differences b - a of the four pairs of ends. */
SIMD_INLINE f64x4_vec end_gaps(const f64x4_vec *e)
{
    return (f64x4_vec){(f64x4){e->x[2], e->x[2], e->x[3], e->x[3]} - (f64x4){e->x[0], e->x[1], e->x[0], e->x[1]},
                       (f64x4){e->y[2], e->y[2], e->y[3], e->y[3]} - (f64x4){e->y[0], e->y[1], e->y[0], e->y[1]},
                       (f64x4){e->z[2], e->z[2], e->z[3], e->z[3]} - (f64x4){e->z[0], e->z[1], e->z[0], e->z[1]}};
}

/** Return the first root of the four bounds, the longest safe step; `horizon` if there is none before it, 0 if one of
 *  them is not positive now. */
SIMD_INLINE double plane_step(const plane_bound *b, double horizon)
{
    f64x4 c = b->clearance, r = b->rate;
    f64x4 root = f64x4_sqrt(r * r + 2.0 * b->curvature * c) - r;
    /* never reached if the root is not positive */
    f64x4 step = f64x4_choose(f64x4_less(2.0 * c, horizon * root), 2.0 * c / root, f64x4_all(horizon));

    return f64x4_least(f64x4_choose(f64x4_less(f64x4_all(0.0), c), step, f64x4_all(0.0)));
}

/** Keep curvature bounds from being negative: a parabola that opens upwards would need its own root formula. */
SIMD_INLINE f64x4 at_least_zero(f64x4 a)
{
    return f64x4_max(a, f64x4_all(0.0));
}

/** Return the rate (or bend) of the vector between the two material points that are closest now. */
SIMD_INLINE dvec closest_points_difference(const f64x4_vec *of_ends, const closest *c)
{
    dvec base_a = f64x4_vec_get(of_ends, 0), base_b = f64x4_vec_get(of_ends, 2);
    dvec at_a = dvec_add_scaled(base_a, dvec_sub(f64x4_vec_get(of_ends, 1), base_a), c->s);
    dvec at_b = dvec_add_scaled(base_b, dvec_sub(f64x4_vec_get(of_ends, 3), base_b), c->t);

    return dvec_sub(at_b, at_a);
}

#endif

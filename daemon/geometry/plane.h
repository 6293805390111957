/* The planes that search.h and patient.h prove separation with: their normal, how they should turn, and how far a bound lets
 * a search step. Pure. */
#ifndef CLASH_GEOMETRY_PLANE_H
#define CLASH_GEOMETRY_PLANE_H

#include "pair.h"

/** The plane's view of the four pairs of ends: clearance and rate of each, and the bound on the curvature. */
typedef struct plane_bound {
    lanes clearance, rate, curvature;
} plane_bound;

LANES_INLINE bool inside(double parameter)
{
    return parameter > 0.0 && parameter < 1.0;
}

/** The plane's normal at h = 0, from a to b, and its length: no need to make that 1. */
typedef struct plane_normal {
    dvec n;
    double length;
} plane_normal;

/** w itself; but where rounding of the closest points tells in its direction (near to contact, or nearly parallel) put back
 *  across the axes: an error e in that moves the ends' clearances by e times the length. */
LANES_INLINE plane_normal plane_normal_of(const pair_state *s)
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

/** q of the head comment: how the plane should turn so as to stay along the axes that carry a closest point inside. `along`
 *  is the normal's share of the ends' rates. */
LANES_INLINE dvec plane_turn(const pair_state *s, lanes along)
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

/** Differences b - a of the four pairs of ends. */
LANES_INLINE lanes3 end_gaps(const lanes3 *e)
{
    return (lanes3){(lanes){e->x[2], e->x[2], e->x[3], e->x[3]} - (lanes){e->x[0], e->x[1], e->x[0], e->x[1]},
                    (lanes){e->y[2], e->y[2], e->y[3], e->y[3]} - (lanes){e->y[0], e->y[1], e->y[0], e->y[1]},
                    (lanes){e->z[2], e->z[2], e->z[3], e->z[3]} - (lanes){e->z[0], e->z[1], e->z[0], e->z[1]}};
}

/** The first root of the four bounds: how far may be stepped; `horizon` where there is none up to there, 0 where one of
 *  them is not positive now. */
LANES_INLINE double plane_step(const plane_bound *b, double horizon)
{
    lanes c = b->clearance, r = b->rate;
    lanes root = lanes_sqrt(r * r + 2.0 * b->curvature * c) - r;
    /* Not reached at all where the root is not positive. */
    lanes step = lanes_choose(2.0 * c < horizon * root, 2.0 * c / root, lanes_all(horizon));

    return lanes_least(lanes_choose(c > 0.0, step, lanes_all(0.0)));
}

/** Curvature bounds are kept from being negative: a parabola that opens upwards would need its own root formula. */
LANES_INLINE lanes at_least_zero(lanes a)
{
    return lanes_max(a, lanes_all(0.0));
}

/** Rate (or bend) of the vector between the two material points that are closest now. */
LANES_INLINE dvec closest_points_difference(const lanes3 *of_ends, const closest *c)
{
    dvec base_a = lanes3_get(of_ends, 0), base_b = lanes3_get(of_ends, 2);
    dvec at_a = dvec_add_scaled(base_a, dvec_sub(lanes3_get(of_ends, 1), base_a), c->s);
    dvec at_b = dvec_add_scaled(base_b, dvec_sub(lanes3_get(of_ends, 3), base_b), c->t);

    return dvec_sub(at_b, at_a);
}

#endif

/* The searches over a pair's interval: conservative advancement of third order. At most CLASH_SWEEP_STEPS_MAX
 * evaluations.
 *
 * Contact. At time x let n be the unit vector between the closest points. A plane with normal m(h) = n + h q separates the
 * axes at x + h as long as, for each of the four pairs of ends, with gap vector g(h),  m(h).g(h) > limit |m(h)|.  Each g is
 * smooth and its third derivative at most `jerk`, so for all h in 0..H
 *     m(h).g(h) - limit |m(h)|  >=  c + r h - k h^2 / 2,    c = n.g - limit,   r = n.g' + q.g,
 *     k = limit |q|^2 - n.g'' - 2 q.g' + H max(0, -q.g'') + (H / 3) jerk (1 + H^2 |q|^2 / 2).
 * Nothing touches before the first root. q = 0 is a plane that keeps its direction; with q chosen so that n stays
 * perpendicular, to first order, to every axis on which the closest point is inside, all ends of that axis have the same c
 * and r, and the root misses the true contact only by a term of higher order, where plain advancement (B. Mirtich,
 * "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996) converges linearly. The better one of the two roots is
 * taken. */
#ifndef CLASH_GEOMETRY_SEARCH_H
#define CLASH_GEOMETRY_SEARCH_H

#include "pair.h"

/* From this many evaluations on the tolerance doubles with each: 64 doublings of 1 nm end any search. */
#define PATIENCE (CLASH_SWEEP_STEPS_MAX / 2)

/* Steps end this much (relatively) before the root, so that rounding never carries them past it. */
#define STEP_SAFETY (1.0 - 1e-12)

typedef struct pair_search {
    double x;         /* where */
    pair_state state; /* there */
} pair_search;

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

/** w itself; but within rounding of contact it has lost its direction: put it back across the axes. */
LANES_INLINE plane_normal plane_normal_of(const pair_state *s)
{
    const closest *c = &s->near;
    dvec w = c->w, u = s->u, v = s->v;
    bool on_a = inside(c->s), on_b = inside(c->t);

    if (s->distance >= 1e-5)
        return (plane_normal){w, s->distance};
    if (on_a && on_b && c->uu * c->vv - c->uv * c->uv > 1e-12 * c->uu * c->vv) {
        dvec n = dvec_cross(u, v);

        w = dvec_scale(n, dvec_dot(n, w) < 0.0 ? -1.0 : 1.0);
    } else if (on_a && !on_b) {
        w = dvec_add_scaled(w, u, -dvec_dot(w, u) / c->uu);
    } else if (on_b && !on_a) {
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
    return lanes_choose(a > 0.0, a, lanes_all(0.0));
}

/** How far nothing can touch from s on; `horizon` where it is all of it. */
LANES_INLINE double safe_step(const pair *p, const pair_state *s, double limit, double horizon)
{
    plane_normal plane = plane_normal_of(s);
    lanes3 n = lanes3_all(plane.n);
    dvec turn = plane_turn(s, lanes3_dot(n, s->rates));
    lanes3 q = lanes3_all(turn), gaps = end_gaps(&s->ends), rates = end_gaps(&s->rates), bends = end_gaps(&s->bends);
    lanes bend = lanes3_dot(bends, n), falling = at_least_zero(-lanes3_dot(bends, q));
    double drift = p->jerk * horizon * (1.0 / 3.0) * plane.length;
    double turn_square = dvec_dot(turn, turn), tilt;
    plane_bound fixed, turned;

    if (!(plane.length > 0.0))
        return 0.0;
    tilt = turn_square / plane.length;
    fixed.clearance = lanes3_dot(gaps, n) - limit * plane.length;
    fixed.rate = lanes3_dot(rates, n);
    fixed.curvature = at_least_zero(drift - bend);
    turned.clearance = fixed.clearance;
    turned.rate = fixed.rate + lanes3_dot(gaps, q);
    turned.curvature = at_least_zero(limit * tilt - bend - 2.0 * lanes3_dot(rates, q) + horizon * falling + drift +
                                     p->jerk * horizon * horizon * horizon * (1.0 / 6.0) * tilt);
    return max_of(plane_step(&fixed, horizon), plane_step(&turned, horizon));
}

/** First x in from..to at which the distance is at most `limit`, to within the tolerance; false where there is none. Steps
 *  are certified for half the tolerance, so that a search ends at the tolerance instead of creeping up to it, and a
 *  touch at the very end of the interval is one. */
LANES_INLINE bool pair_first_within(const pair *p, double limit, double from, double to, pair_search *out_search)
{
    double tolerance = p->tolerance, x = from;

    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance <= limit + tolerance)
            break;
        step = safe_step(p, &out_search->state, limit + 0.5 * p->tolerance, to - x);
        if (step >= to - x)
            return false;
        x += step * STEP_SAFETY;
        if (i >= PATIENCE)
            tolerance *= 2.0;
    }
    out_search->x = x;
    return true;
}

/** Release. The distance at x + h is at most that of the two points which are closest now:
 *     |w + w' h| + bend h^2 / 2 <= limit   where   |w + w' h|^2 <= limit^2 - limit bend h^2,
 *  a quadratic in h with one positive root. Quadratic convergence, since the distance's first derivative is that of the
 *  closest points. */
LANES_INLINE double safe_step_inside(const pair *p, const pair_state *s, double limit)
{
    dvec base_a = lanes3_get(&s->rates, 0), base_b = lanes3_get(&s->rates, 2);
    dvec at_a = dvec_add_scaled(base_a, dvec_sub(lanes3_get(&s->rates, 1), base_a), s->near.s);
    dvec at_b = dvec_add_scaled(base_b, dvec_sub(lanes3_get(&s->rates, 3), base_b), s->near.t);
    dvec rate = dvec_sub(at_b, at_a);
    double square = dvec_dot(rate, rate) + limit * p->bend;
    double slope = dvec_dot(s->near.w, rate);
    double room = max_of(limit * limit - s->near.distance_squared, 0.0);
    double root = slope + sqrt(slope * slope + square * room);

    return root > 0.0 ? room / root : INFINITY;
}

/** First x in from..to at which the distance is at least `limit`, to within the tolerance; false where there is none. */
LANES_INLINE bool pair_first_beyond(const pair *p, double limit, double from, double to, pair_search *out_search)
{
    double tolerance = p->tolerance, x = from;

    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance >= limit - tolerance)
            break;
        step = safe_step_inside(p, &out_search->state, limit - 0.5 * p->tolerance);
        if (step >= to - x)
            return false;
        x += step * STEP_SAFETY;
        if (i >= PATIENCE)
            tolerance *= 2.0;
    }
    out_search->x = x;
    return true;
}

#endif

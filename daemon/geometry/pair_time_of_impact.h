/* The searches over a pair's interval: conservative advancement of third order. At most CLASH_SWEEP_STEPS_MAX
 * evaluations.
 *
 * Contact. At time x let n be the unit vector between the closest points. A plane with normal m(h) = n + h q separates the
 * axes at x + h as long as, for each of the four pairs of ends, with gap vector g(h),  m(h).g(h) > limit |m(h)|.  Each g is
 * smooth and its third derivative at most `jerk`, so for all h in 0..H
 *     m(h).g(h) - limit |m(h)|  >=  c + r h - k h^2 / 2,    c = n.g - limit,   r = n.g' + q.g,
 *     k = limit |q|^2 - n.g'' - 2 q.g' + H max(0, -q.g'') + (H / 3) jerk (1 + H^2 |q|^2 / 2).
 * Nothing touches before the first root. q is chosen so that n stays perpendicular, to first order, to every axis on which the
 * closest point is inside: all ends of that axis then have the same c and r, and the root misses the true contact only by
 * a term of higher order, where plain advancement (B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems",
 * 1996) converges linearly. */
#ifndef CLASH_GEOMETRY_PAIR_TIME_OF_IMPACT_H
#define CLASH_GEOMETRY_PAIR_TIME_OF_IMPACT_H

#include "rotating_plane.h"

/* From this many evaluations on, look for a longer step. */
#define PLAIN_STEPS 12

/* From STEPS_UNTIL_DOUBLING evaluations on the tolerance doubles with every STEPS_PER_DOUBLING: 64 doublings of 1 nm end any search. */
#define STEPS_UNTIL_DOUBLING (CLASH_SWEEP_STEPS_MAX / 2)
#define STEPS_PER_DOUBLING (CLASH_SWEEP_STEPS_MAX / 128)

/* Steps end this much (relatively) before the root, so that rounding never carries them past it. */
#define STEP_SAFETY (1.0 - 1e-12)

typedef struct pair_toi {
    double x;         /* where */
    pair_state state; /* there */
} pair_toi;

/** Return how far from s on nothing can touch; `horizon` if it is all of it. */
SIMD_INLINE double safe_step(const pair *p, const pair_state *s, double limit, double horizon)
{
    plane_normal plane = plane_normal_of(s);
    f64x4_vec n = f64x4_vec_all(plane.n);
    dvec turn = plane_turn(s, f64x4_vec_dot(n, s->rates));
    f64x4_vec q = f64x4_vec_all(turn), gaps = end_gaps(&s->ends), rates = end_gaps(&s->rates),
              bends = end_gaps(&s->bends);
    f64x4 bend = f64x4_vec_dot(bends, n), falling = at_least_zero(-f64x4_vec_dot(bends, q));
    double drift = p->jerk * horizon * (1.0 / 3.0) * plane.length;
    double tilt = dvec_dot(turn, turn) / plane.length;
    plane_bound bound;

    if (!(plane.length > 0.0))
        return 0.0;
    bound.clearance = f64x4_vec_dot(gaps, n) - limit * plane.length;
    bound.rate = f64x4_vec_dot(rates, n) + f64x4_vec_dot(gaps, q);
    bound.curvature = at_least_zero(limit * tilt - bend - 2.0 * f64x4_vec_dot(rates, q) + horizon * falling + drift +
                                    p->jerk * horizon * horizon * horizon * (1.0 / 6.0) * tilt);
    return plane_step(&bound, horizon);
}

/** Return whether to look for a longer step: there have been many, or rounding leaves nothing of this one. */
SIMD_INLINE bool is_poor(double x, double step, int evaluations)
{
    return evaluations >= PLAIN_STEPS || x + step * STEP_SAFETY == x;
}

/** Take a step. Return true if the tolerance must double: too many evaluations, or rounding leaves nothing of the
 *  step. */
SIMD_INLINE bool advance(double *x, double step, int evaluations)
{
    double before = *x;

    *x += step * STEP_SAFETY;
    return *x == before || (evaluations >= STEPS_UNTIL_DOUBLING && evaluations % STEPS_PER_DOUBLING == 0);
}

/** First x in from..to at which the distance is at most `limit`, to within the tolerance; false if there is none. Steps
 *  are certified for half the tolerance, so that a search ends at the tolerance instead of creeping up to it, and a
 *  touch at the very end of the interval is one. */
SIMD_LONG bool pair_first_within(const pair *p, double limit, double from, double to, pair_toi *out_search)
{
    double tolerance = p->tolerance, x = from;

    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance <= limit + tolerance)
            break;
        step = safe_step(p, &out_search->state, limit + 0.5 * p->tolerance, to - x);
        if (step < to - x && is_poor(x, step, i))
            step = rotating_step(p, &out_search->state, limit + 0.5 * p->tolerance, step, to - x);
        if (step >= to - x)
            return false;
        if (advance(&x, step, i))
            tolerance *= 2.0;
    }
    out_search->x = x;
    return true;
}

/** Release. The distance at x + h is at most that of the two points which are closest now:
 *     |w + w' h| + bend h^2 / 2 <= limit   where   |w + w' h|^2 <= limit^2 - limit bend h^2,
 *  a quadratic in h with one positive root. Quadratic convergence, since the distance's first derivative is that of the
 *  closest points. */
SIMD_INLINE double safe_step_inside(const pair *p, const pair_state *s, double limit)
{
    dvec rate = closest_points_difference(&s->rates, &s->near);
    double square = dvec_dot(rate, rate) + limit * p->bend;
    double slope = dvec_dot(s->near.w, rate);
    double room = max_of(limit * limit - s->near.distance_squared, 0.0);
    double root = slope + sqrt(slope * slope + square * room);

    return root > 0.0 ? room / root : INFINITY;
}

/** First x in from..to at which the distance is at least `limit`, to within the tolerance; false if there is none. */
SIMD_LONG bool pair_first_beyond(const pair *p, double limit, double from, double to, pair_toi *out_search)
{
    double tolerance = p->tolerance, x = from;

    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance >= limit - tolerance)
            break;
        step = safe_step_inside(p, &out_search->state, limit - 0.5 * p->tolerance);
        if (step < to - x && is_poor(x, step, i))
            step = rotating_step_inside(p, &out_search->state, limit - 0.5 * p->tolerance, step, to - x);
        if (step >= to - x)
            return false;
        if (advance(&x, step, i))
            tolerance *= 2.0;
    }
    out_search->x = x;
    return true;
}

#endif

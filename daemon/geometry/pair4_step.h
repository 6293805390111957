/* The state of four pairs at their times, and how far each may step: pair_at of pair.h, separating_plane.h and safe_step of pair_time_of_impact.h for
 * four pairs in lanes, operation for operation. Pure. */
#ifndef CLASH_GEOMETRY_PAIR4_STEP_H
#define CLASH_GEOMETRY_PAIR4_STEP_H

#include "pair4_closest.h"
#include "separating_plane.h"

/** As pair_state; rates and bends come as differences b - a of the four pairs of ends. */
typedef struct pair4_state {
    f64x4_vec gaps[4], rates[4], bends[4];
    f64x4_vec end_rates[ENDS];
    f64x4_vec base, u, v; /* a's base; the axes */
    pair4_closest near;
    f64x4 distance;
} pair4_state;

#define TURN_SINE(s, c)                            \
    {                                              \
        1.0 / (s), 1.0 / (s), 1.0 / (s), 1.0 / (s) \
    }
#define TURN_COSINE(s, c)                          \
    {                                              \
        1.0 / (c), 1.0 / (c), 1.0 / (c), 1.0 / (c) \
    }

SIMD_INLINE f64x4 pair4_series(const turn_series *series, f64x4 y, f64x4_mask small)
{
    f64x4 sum = turn_series_small(series, y);

    return pair4_any(~small) ? f64x4_choose(small, sum, turn_series_whole(series, y)) : sum;
}

/** The ends of one body at `phase`, from its origin, and their first two derivatives by x. */
SIMD_INLINE void pair4_turn_ends(const pair4_pairs *p, int first, f64x4 phase, f64x4 rate, f64x4_vec *ends,
                                 f64x4_vec *rates, f64x4_vec *bends)
{
    const turn_series sine_series = TURN_SERIES(TURN_SINE), cosine_series = TURN_SERIES(TURN_COSINE);
    f64x4 y = phase * phase;
    f64x4 sine = pair4_series(&sine_series, y, p->small) * phase, cosine = pair4_series(&cosine_series, y, p->small);

    for (int i = first; i < first + 2; i++) {
        f64x4_vec arm = f64x4_vec_mad(f64x4_vec_scale(p->across[i], cosine), p->ahead[i], sine);

        ends[i] = f64x4_vec_add(p->fixed[i], arm);
        bends[i] = f64x4_vec_scale(arm, -rate * rate);
        rates[i] = f64x4_vec_mad(f64x4_vec_scale(p->ahead[i], cosine), p->across[i], -sine);
    }
}

/** As end_gaps. */
SIMD_INLINE void pair4_gaps(f64x4_vec out[4], const f64x4_vec ends[ENDS])
{
    out[0] = f64x4_vec_sub(ends[BASE_B], ends[BASE_A]);
    out[1] = f64x4_vec_sub(ends[BASE_B], ends[TIP_A]);
    out[2] = f64x4_vec_sub(ends[TIP_B], ends[BASE_A]);
    out[3] = f64x4_vec_sub(ends[TIP_B], ends[TIP_A]);
}

/** As pair_at. */
SIMD_INLINE void pair4_at(const pair4_pairs *p, f64x4 x, pair4_state *s)
{
    f64x4_vec zero = {{0}, {0}, {0}}, moved = f64x4_vec_mad(p->gap, p->gap_step, x), ends[ENDS], rates[ENDS],
              bends[ENDS];

    pair4_turn_ends(p, BASE_A, p->phase_a + p->rate_a * x, p->rate_a, ends, rates, bends);
    pair4_turn_ends(p, BASE_B, p->phase_b + p->rate_b * x, p->rate_b, ends, rates, bends);
    for (int i = 0; i < ENDS; i++) {
        bool of_b = i >= BASE_B;

        ends[i] = f64x4_vec_add(ends[i], of_b ? moved : zero);
        rates[i] = f64x4_vec_mad(of_b ? p->gap_step : zero, rates[i], of_b ? p->rate_b : p->rate_a);
        s->end_rates[i] = rates[i];
    }
    s->base = ends[BASE_A];
    s->u = f64x4_vec_sub(ends[TIP_A], ends[BASE_A]);
    s->v = f64x4_vec_sub(ends[TIP_B], ends[BASE_B]);
    pair4_gaps(s->gaps, ends);
    pair4_gaps(s->rates, rates);
    pair4_gaps(s->bends, bends);
    s->near = pair4_closest_of(s->gaps[0], s->u, s->v);
    s->distance = f64x4_sqrt(s->near.distance_squared);
}

/** As plane_normal, with what decides how it turns. */
typedef struct pair4_plane {
    f64x4_vec n;
    f64x4 length;
    f64x4_mask on_a, on_b; /* whose closest point is inside */
} pair4_plane;

SIMD_INLINE f64x4_vec pair4_along_removed(f64x4_vec w, f64x4_vec u, f64x4 uu)
{
    return f64x4_vec_mad(w, u, -f64x4_vec_dot(w, u) / uu);
}

/** As plane_normal_of. */
SIMD_INLINE pair4_plane pair4_plane_of(const pair4_state *s)
{
    const pair4_closest *c = &s->near;
    f64x4 zero = f64x4_all(0.0), one = f64x4_all(1.0);
    pair4_plane p = {c->w, s->distance, f64x4_less(zero, c->s) & f64x4_less(c->s, one),
                     f64x4_less(zero, c->t) & f64x4_less(c->t, one)};
    f64x4_mask both = p.on_a & p.on_b, simple, crossing, by_a;
    f64x4 all = f64x4_choose(both, c->uu * c->vv, one);
    f64x4 across = f64x4_choose(both, all - c->uv * c->uv, one);
    f64x4_vec n;

    simple = f64x4_at_most(1e-5 * (1.0 + c->uu + c->vv) * all, s->distance * across);
    if (!pair4_any(~simple))
        return p;
    crossing = both & f64x4_less(1e-12 * all, across);
    by_a = p.on_a & ~(p.on_b & f64x4_less(c->uu, c->vv));
    n = f64x4_vec_cross(s->u, s->v);
    n = f64x4_vec_scale(n, f64x4_choose(f64x4_less(f64x4_vec_dot(n, c->w), zero), f64x4_all(-1.0), one));
    n = pair4_choose(crossing, n,
                     pair4_choose(by_a, pair4_along_removed(c->w, s->u, c->uu),
                                  pair4_choose(p.on_b, pair4_along_removed(c->w, s->v, c->vv), c->w)));
    p.n = pair4_choose(simple, c->w, n);
    p.length = f64x4_choose(simple, s->distance, pair4_length(n));
    return p;
}

/** As plane_turn. */
SIMD_INLINE f64x4_vec pair4_plane_turn(const pair4_state *s, const pair4_plane *p)
{
    const pair4_closest *c = &s->near;
    f64x4 zero = f64x4_all(0.0), along[ENDS], nu, nv, of_u, of_v;
    f64x4_mask both =
        p->on_a & p->on_b & f64x4_less(zero, c->per_det) & f64x4_less(c->uu * c->vv * c->per_det, f64x4_all(1e8));
    f64x4_vec turn;

    for (int i = 0; i < ENDS; i++)
        along[i] = f64x4_vec_dot(p->n, s->end_rates[i]);
    nu = along[BASE_A] - along[TIP_A];
    nv = along[BASE_B] - along[TIP_B];
    of_u = f64x4_choose(both, (nu * c->vv - nv * c->uv) * c->per_det, nu / c->uu);
    of_v = f64x4_choose(both, (nv * c->uu - nu * c->uv) * c->per_det, nv / c->vv);
    turn = pair4_choose(p->on_a, f64x4_vec_scale(s->u, of_u), f64x4_vec_scale(s->v, of_v));
    turn = pair4_choose(both, f64x4_vec_mad(turn, s->v, of_v), turn);
    return pair4_choose(p->on_a | p->on_b, turn, (f64x4_vec){zero, zero, zero});
}

SIMD_INLINE f64x4 pair4_least(const f64x4 of[4])
{
    return f64x4_min(f64x4_min(of[0], of[2]), f64x4_min(of[1], of[3]));
}

/** plane_step for one of the four bounds. */
SIMD_INLINE f64x4 pair4_root(f64x4 clearance, f64x4 rate, f64x4 curvature, f64x4 horizon)
{
    f64x4 root = f64x4_sqrt(rate * rate + 2.0 * curvature * clearance) - rate;
    f64x4 step = f64x4_choose(f64x4_less(2.0 * clearance, horizon * root), 2.0 * clearance / root, horizon);

    return f64x4_choose(f64x4_less(f64x4_all(0.0), clearance), step, f64x4_all(0.0));
}

/** As safe_step. */
SIMD_INLINE f64x4 pair4_safe_step(const pair4_pairs *p, const pair4_state *s, f64x4 limit, f64x4 horizon)
{
    pair4_plane plane = pair4_plane_of(s);
    f64x4_vec n = plane.n, q = pair4_plane_turn(s, &plane);
    f64x4 drift = p->jerk * horizon * (1.0 / 3.0) * plane.length, tilt = f64x4_vec_dot(q, q) / plane.length;
    f64x4 twist = p->jerk * horizon * horizon * horizon * (1.0 / 6.0) * tilt, steps[4];

    for (int i = 0; i < 4; i++) {
        f64x4 clearance = f64x4_vec_dot(s->gaps[i], n) - limit * plane.length;
        f64x4 rate = f64x4_vec_dot(s->rates[i], n) + f64x4_vec_dot(s->gaps[i], q);
        f64x4 bend = f64x4_vec_dot(s->bends[i], n), falling = at_least_zero(-f64x4_vec_dot(s->bends[i], q));
        f64x4 curvature = at_least_zero(limit * tilt - bend - 2.0 * f64x4_vec_dot(s->rates[i], q) + horizon * falling +
                                        drift + twist);

        steps[i] = pair4_root(clearance, rate, curvature, horizon);
    }
    return f64x4_choose(f64x4_less(f64x4_all(0.0), plane.length), pair4_least(steps), f64x4_all(0.0));
}

#endif

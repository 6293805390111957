/* The state of four pairs at their times, and how far each may step: pair_at of pair.h, plane.h and safe_step of search.h for
 * four pairs in lanes, operation for operation. Pure. */
#ifndef CLASH_GEOMETRY_FOUR_STEP_H
#define CLASH_GEOMETRY_FOUR_STEP_H

#include "four_closest.h"
#include "plane.h"

/** As pair_state; rates and bends come as differences b - a of the four pairs of ends. */
typedef struct four_state {
    lanes3 gaps[4], rates[4], bends[4];
    lanes3 end_rates[ENDS];
    lanes3 base, u, v; /* a's base; the axes */
    four_closest near;
    lanes distance;
} four_state;

#define TURN_SINE(s, c)                            \
    {                                              \
        1.0 / (s), 1.0 / (s), 1.0 / (s), 1.0 / (s) \
    }
#define TURN_COSINE(s, c)                          \
    {                                              \
        1.0 / (c), 1.0 / (c), 1.0 / (c), 1.0 / (c) \
    }

LANES_INLINE lanes four_series(const turn_series *series, lanes y, lanes_mask small)
{
    lanes sum = turn_series_small(series, y);

    return four_any(~small) ? lanes_choose(small, sum, turn_series_whole(series, y)) : sum;
}

/** The ends of one body at `phase`, from its origin, and their first two derivatives by x. */
LANES_INLINE void four_turn_ends(const four_pairs *p, int first, lanes phase, lanes rate, lanes3 *ends, lanes3 *rates,
                                 lanes3 *bends)
{
    const turn_series sine_series = TURN_SERIES(TURN_SINE), cosine_series = TURN_SERIES(TURN_COSINE);
    lanes y = phase * phase;
    lanes sine = four_series(&sine_series, y, p->small) * phase, cosine = four_series(&cosine_series, y, p->small);

    for (int i = first; i < first + 2; i++) {
        lanes3 arm = lanes3_mad(lanes3_scale(p->across[i], cosine), p->ahead[i], sine);

        ends[i] = lanes3_add(p->still[i], arm);
        bends[i] = lanes3_scale(arm, -rate * rate);
        rates[i] = lanes3_mad(lanes3_scale(p->ahead[i], cosine), p->across[i], -sine);
    }
}

/** As end_gaps. */
LANES_INLINE void four_gaps(lanes3 out[4], const lanes3 ends[ENDS])
{
    out[0] = lanes3_sub(ends[BASE_B], ends[BASE_A]);
    out[1] = lanes3_sub(ends[BASE_B], ends[TIP_A]);
    out[2] = lanes3_sub(ends[TIP_B], ends[BASE_A]);
    out[3] = lanes3_sub(ends[TIP_B], ends[TIP_A]);
}

/** As pair_at. */
LANES_INLINE void four_at(const four_pairs *p, lanes x, four_state *s)
{
    lanes3 zero = {{0}, {0}, {0}}, moved = lanes3_mad(p->gap, p->gap_step, x), ends[ENDS], rates[ENDS], bends[ENDS];

    four_turn_ends(p, BASE_A, p->phase_a + p->rate_a * x, p->rate_a, ends, rates, bends);
    four_turn_ends(p, BASE_B, p->phase_b + p->rate_b * x, p->rate_b, ends, rates, bends);
    for (int i = 0; i < ENDS; i++) {
        bool of_b = i >= BASE_B;

        ends[i] = lanes3_add(ends[i], of_b ? moved : zero);
        rates[i] = lanes3_mad(of_b ? p->gap_step : zero, rates[i], of_b ? p->rate_b : p->rate_a);
        s->end_rates[i] = rates[i];
    }
    s->base = ends[BASE_A];
    s->u = lanes3_sub(ends[TIP_A], ends[BASE_A]);
    s->v = lanes3_sub(ends[TIP_B], ends[BASE_B]);
    four_gaps(s->gaps, ends);
    four_gaps(s->rates, rates);
    four_gaps(s->bends, bends);
    s->near = four_closest_of(s->gaps[0], s->u, s->v);
    s->distance = lanes_sqrt(s->near.distance_squared);
}

/** As plane_normal, with what decides how it turns. */
typedef struct four_plane {
    lanes3 n;
    lanes length;
    lanes_mask on_a, on_b; /* whose closest point is inside */
} four_plane;

LANES_INLINE lanes3 four_along_removed(lanes3 w, lanes3 u, lanes uu)
{
    return lanes3_mad(w, u, -lanes3_dot(w, u) / uu);
}

/** As plane_normal_of. */
LANES_INLINE four_plane four_plane_of(const four_state *s)
{
    const four_closest *c = &s->near;
    four_plane p = {c->w, s->distance, (c->s > 0.0) & (c->s < 1.0), (c->t > 0.0) & (c->t < 1.0)};
    lanes_mask both = p.on_a & p.on_b, simple, crossing, by_a;
    lanes one = lanes_all(1.0), all = lanes_choose(both, c->uu * c->vv, one);
    lanes across = lanes_choose(both, all - c->uv * c->uv, one);
    lanes3 n;

    simple = s->distance * across >= 1e-5 * (1.0 + c->uu + c->vv) * all;
    if (!four_any(~simple))
        return p;
    crossing = both & (across > 1e-12 * all);
    by_a = p.on_a & ~(p.on_b & (c->vv > c->uu));
    n = lanes3_cross(s->u, s->v);
    n = lanes3_scale(n, lanes_choose(lanes3_dot(n, c->w) < 0.0, lanes_all(-1.0), one));
    n = four_choose(crossing, n,
                    four_choose(by_a, four_along_removed(c->w, s->u, c->uu),
                                four_choose(p.on_b, four_along_removed(c->w, s->v, c->vv), c->w)));
    p.n = four_choose(simple, c->w, n);
    p.length = lanes_choose(simple, s->distance, four_length(n));
    return p;
}

/** As plane_turn. */
LANES_INLINE lanes3 four_plane_turn(const four_state *s, const four_plane *p)
{
    const four_closest *c = &s->near;
    lanes zero = lanes_all(0.0), along[ENDS], nu, nv, of_u, of_v;
    lanes_mask both = p->on_a & p->on_b & (c->per_det > 0.0) & (c->uu * c->vv * c->per_det < 1e8);
    lanes3 turn;

    for (int i = 0; i < ENDS; i++)
        along[i] = lanes3_dot(p->n, s->end_rates[i]);
    nu = along[BASE_A] - along[TIP_A];
    nv = along[BASE_B] - along[TIP_B];
    of_u = lanes_choose(both, (nu * c->vv - nv * c->uv) * c->per_det, nu / c->uu);
    of_v = lanes_choose(both, (nv * c->uu - nu * c->uv) * c->per_det, nv / c->vv);
    turn = four_choose(p->on_a, lanes3_scale(s->u, of_u), lanes3_scale(s->v, of_v));
    turn = four_choose(both, lanes3_mad(turn, s->v, of_v), turn);
    return four_choose(p->on_a | p->on_b, turn, (lanes3){zero, zero, zero});
}

LANES_INLINE lanes four_least(const lanes of[4])
{
    return lanes_min(lanes_min(of[0], of[2]), lanes_min(of[1], of[3]));
}

/** plane_step for one of the four bounds. */
LANES_INLINE lanes four_root(lanes clearance, lanes rate, lanes curvature, lanes horizon)
{
    lanes root = lanes_sqrt(rate * rate + 2.0 * curvature * clearance) - rate;
    lanes step = lanes_choose(2.0 * clearance < horizon * root, 2.0 * clearance / root, horizon);

    return lanes_choose(clearance > 0.0, step, lanes_all(0.0));
}

/** As safe_step. */
LANES_INLINE lanes four_safe_step(const four_pairs *p, const four_state *s, lanes limit, lanes horizon)
{
    four_plane plane = four_plane_of(s);
    lanes3 n = plane.n, q = four_plane_turn(s, &plane);
    lanes drift = p->jerk * horizon * (1.0 / 3.0) * plane.length, tilt = lanes3_dot(q, q) / plane.length;
    lanes twist = p->jerk * horizon * horizon * horizon * (1.0 / 6.0) * tilt, steps[4];

    for (int i = 0; i < 4; i++) {
        lanes clearance = lanes3_dot(s->gaps[i], n) - limit * plane.length;
        lanes rate = lanes3_dot(s->rates[i], n) + lanes3_dot(s->gaps[i], q);
        lanes bend = lanes3_dot(s->bends[i], n), falling = at_least_zero(-lanes3_dot(s->bends[i], q));
        lanes curvature =
            at_least_zero(limit * tilt - bend - 2.0 * lanes3_dot(s->rates[i], q) + horizon * falling + drift + twist);

        steps[i] = four_root(clearance, rate, curvature, horizon);
    }
    return lanes_choose(plane.length > 0.0, four_least(steps), lanes_all(0.0));
}

#endif

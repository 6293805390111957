/* pair_first_within of pair_time_of_impact.h for many pairs, four at a time in lanes, over whole motions, as long as
 * plain steps suffice. Two groups of four take turns, so that one computes while the other waits for its results. A
 * search that takes more than PLAIN_STEPS steps, or that rounding stops, is left to pair_time_of_impact.h, which starts
 * it again. Pure. */
#ifndef CLASH_GEOMETRY_PAIR4_TIME_OF_IMPACT_H
#define CLASH_GEOMETRY_PAIR4_TIME_OF_IMPACT_H

#include "pair4_step.h"
#include "pair_time_of_impact.h"

/** Four searches in progress. Each lane has one of `active`, `hit` and `apart` set, or none if pair_time_of_impact.h
 *  must do it. */
typedef struct pair4_group {
    pair4_pairs pairs;
    pair4_state state;
    f64x4 limit, x, steps;
    f64x4_mask active, hit, apart;
    struct {
        f64x4 x, s, t, distance;
        f64x4_vec base, u, v, w; /* a's base, the axes, and the difference of the closest points */
    } at;                        /* the contacts */
} pair4_group;

SIMD_INLINE void pair4_begin(pair4_group *g, const clash_body *const a[FOUR], const clash_body *const b[FOUR], f64x4 x,
                             f64x4 steps, f64x4_mask active)
{
    pair4_bodies of_a, of_b;

    pair4_load(&of_a, a);
    pair4_load(&of_b, b);
    g->limit = of_a.radius + of_b.radius;
    g->x = x;
    g->steps = steps;
    g->active = active;
    g->hit = g->apart = (f64x4_mask){0, 0, 0, 0};
    pair4_prepare(&g->pairs, &of_a, &of_b);
}

SIMD_INLINE void pair4_note_hits(pair4_group *g, f64x4_mask hit)
{
    const pair4_state *s = &g->state;

    g->hit |= hit;
    g->active &= ~hit;
    g->at.x = f64x4_choose(hit, g->x, g->at.x);
    g->at.s = f64x4_choose(hit, s->near.s, g->at.s);
    g->at.t = f64x4_choose(hit, s->near.t, g->at.t);
    g->at.distance = f64x4_choose(hit, s->distance, g->at.distance);
    g->at.base = pair4_choose(hit, s->base, g->at.base);
    g->at.u = pair4_choose(hit, s->u, g->at.u);
    g->at.v = pair4_choose(hit, s->v, g->at.v);
    g->at.w = pair4_choose(hit, s->near.w, g->at.w);
}

SIMD_LONG void pair4_look(pair4_group *g)
{
    f64x4_mask hit;

    pair4_at(&g->pairs, g->x, &g->state);
    hit = g->active & f64x4_at_most(g->state.distance, g->limit + g->pairs.tolerance);
    if (pair4_any(hit))
        pair4_note_hits(g, hit);
}

SIMD_LONG void pair4_go(pair4_group *g)
{
    f64x4 horizon = 1.0 - g->x;
    f64x4 step = pair4_safe_step(&g->pairs, &g->state, g->limit + 0.5 * g->pairs.tolerance, horizon);
    f64x4 next = g->x + step * STEP_SAFETY;

    g->apart |= g->active & f64x4_at_most(horizon, step);
    g->steps += 1.0;
    g->active &= ~g->apart & (next != g->x) & f64x4_less(g->steps, f64x4_all(PLAIN_STEPS));
    g->x = f64x4_choose(g->active, next, g->x);
}

SIMD_INLINE int pair4_count(f64x4_mask where)
{
#if defined(__AVX__)
    return __builtin_popcount((unsigned)_mm256_movemask_pd((__m256d)where));
#elif defined(F64X4_HALVES)
    return __builtin_popcount(F64X4_BITS(where));
#else
    return -(int)(where[0] + where[1] + where[2] + where[3]);
#endif
}

/** Continue until each group has at most `few` searches in progress. */
SIMD_INLINE void pair4_run(pair4_group groups[2], int few)
{
    bool first = pair4_count(groups[0].active) > few, second = pair4_count(groups[1].active) > few;

    while (first || second) {
        if (first)
            pair4_look(&groups[0]);
        if (second)
            pair4_look(&groups[1]);
        if (first)
            pair4_go(&groups[0]);
        if (second)
            pair4_go(&groups[1]);
        first = pair4_count(groups[0].active) > few;
        second = pair4_count(groups[1].active) > few;
    }
}

#endif

/* pair_first_within of search.h for many pairs, four at a time in lanes, over whole motions, for as long as its plain steps do.
 * Two groups of four take turns, so that one computes while the other waits for its own results. A search that takes more
 * than HASTE steps, or that rounding stops, is left to search.h, which begins it anew. Pure. */
#ifndef CLASH_GEOMETRY_FOUR_SEARCH_H
#define CLASH_GEOMETRY_FOUR_SEARCH_H

#include "four_step.h"
#include "search.h"

/** Four searches under way. In each lane one of `active`, `hit` and `apart` is set, or none where search.h must do it. */
typedef struct four_group {
    four_pairs pairs;
    four_state state;
    lanes limit, x, steps;
    lanes_mask active, hit, apart;
    struct {
        lanes x, s, t, distance;
        lanes3 base, u, v, w; /* a's base, the axes, and the difference of the closest points */
    } at;                     /* the contacts */
} four_group;

LANES_INLINE void four_begin(four_group *g, const clash_body *const a[FOUR], const clash_body *const b[FOUR], lanes x,
                             lanes steps, lanes_mask active)
{
    four_bodies of_a, of_b;

    four_load(&of_a, a);
    four_load(&of_b, b);
    g->limit = of_a.radius + of_b.radius;
    g->x = x;
    g->steps = steps;
    g->active = active;
    g->hit = g->apart = (lanes_mask){0, 0, 0, 0};
    four_prepare(&g->pairs, &of_a, &of_b);
}

LANES_INLINE void four_note_hits(four_group *g, lanes_mask hit)
{
    const four_state *s = &g->state;

    g->hit |= hit;
    g->active &= ~hit;
    g->at.x = lanes_choose(hit, g->x, g->at.x);
    g->at.s = lanes_choose(hit, s->near.s, g->at.s);
    g->at.t = lanes_choose(hit, s->near.t, g->at.t);
    g->at.distance = lanes_choose(hit, s->distance, g->at.distance);
    g->at.base = four_choose(hit, s->base, g->at.base);
    g->at.u = four_choose(hit, s->u, g->at.u);
    g->at.v = four_choose(hit, s->v, g->at.v);
    g->at.w = four_choose(hit, s->near.w, g->at.w);
}

LANES_INLINE void four_look(four_group *g)
{
    lanes_mask hit;

    four_at(&g->pairs, g->x, &g->state);
    hit = g->active & (g->state.distance <= g->limit + g->pairs.tolerance);
    if (four_any(hit))
        four_note_hits(g, hit);
}

LANES_INLINE void four_go(four_group *g)
{
    lanes horizon = 1.0 - g->x;
    lanes step = four_safe_step(&g->pairs, &g->state, g->limit + 0.5 * g->pairs.tolerance, horizon);
    lanes next = g->x + step * STEP_SAFETY;

    g->apart |= g->active & (step >= horizon);
    g->steps += 1.0;
    g->active &= ~g->apart & (next != g->x) & (g->steps < HASTE);
    g->x = lanes_choose(g->active, next, g->x);
}

LANES_INLINE int four_count(lanes_mask where)
{
#if defined(__AVX__)
    return __builtin_popcount((unsigned)_mm256_movemask_pd((__m256d)where));
#else
    return -(int)(where[0] + where[1] + where[2] + where[3]);
#endif
}

/** Goes on until each group has at most `few` searches under way. */
LANES_INLINE void four_run(four_group groups[2], int few)
{
    bool first = four_count(groups[0].active) > few, second = four_count(groups[1].active) > few;

    while (first || second) {
        if (first)
            four_look(&groups[0]);
        if (second)
            four_look(&groups[1]);
        if (first)
            four_go(&groups[0]);
        if (second)
            four_go(&groups[1]);
        first = four_count(groups[0].active) > few;
        second = four_count(groups[1].active) > few;
    }
}

#endif

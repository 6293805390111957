/* The sweep of an axis over a surface: the interval is halved until few triangles are in reach of a part of it, parts are
 * taken in order of time, and each triangle in reach is swept by itself (target_time_of_impact.h). Which triangle is swept when must
 * not show in the answer: what a part finds is swept again over the whole interval, and the first of these touches counts. A
 * triangle is left out only if it is proven to stay beyond what that sweep would take for a touch. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_TIME_OF_IMPACT_H
#define CLASH_GEOMETRY_SURFACE_TIME_OF_IMPACT_H

#include "surface_closest.h"
#include "surface_hull.h"
#include "target_time_of_impact.h"

/* With so few triangles sweep them one by one rather than halve the time. */
#define SURFACE_FEW 24
/* How often the interval may be halved: 2^-12 of a swing of 2 m is 0.5 mm. */
#define SURFACE_HALVINGS 12
/* If the axis moves less in a part than this share of its reach, halving would hardly leave out any triangle. */
#define SURFACE_WORTH 0.06

/** The triangles that a hull may reach, a few at a time. */
typedef struct surface_reached {
    const surface *s;
    surface_hull hull;
    surface_ref stack[SURFACE_STACK];
    int top; /* 0: there are no more */
    surface_triangle found[SURFACE_FEW];
    int count;
} surface_reached;

static inline void reached_begin(surface_reached *r, const surface *s)
{
    r->s = s;
    r->stack[0] = surface_root(s);
    r->top = 1;
}

SIMD_INLINE void reached_leaf(surface_reached *r, surface_ref ref)
{
    surface_triangle store[2];
    const surface_triangle *triangles;
    int count = surface_leaf(r->s, ref, store, &triangles);
    surface_boxes boxes;
    unsigned in_reach;

    surface_boxes_of(triangles, count, &boxes);
    in_reach = hull_reaches_boxes(&r->hull, &boxes);
    for (int k = 0; k < count; k++) {
        if ((in_reach >> k & 1u) && hull_reaches_triangle(&r->hull, &triangles[k]))
            r->found[r->count++] = triangles[k];
    }
}

SIMD_INLINE void reached_node(surface_reached *r, surface_ref ref)
{
    const surface_boxes *boxes;
    surface_boxes store;
    surface_ref refs[SURFACE_WAYS];
    unsigned in_reach = surface_children(r->s, ref, &store, &boxes, refs);

    in_reach &= hull_reaches_boxes(&r->hull, boxes);
    for (int k = 0; k < SURFACE_WAYS; k++) {
        if (in_reach >> k & 1u)
            r->stack[r->top++] = refs[k];
    }
}

/** Collect the next few in r->found. */
static inline void reached_next(surface_reached *r)
{
    r->count = 0;
    while (r->top > 0 && r->count + SURFACE_LEAF <= SURFACE_FEW) {
        surface_ref ref = r->stack[--r->top];

        if (surface_is_leaf(r->s, ref))
            reached_leaf(r, ref);
        else
            reached_node(r, ref);
    }
}

typedef struct surface_search {
    const target_motion *m;
    double limit;
    const target_state *from;
    double to;
    bool found;
    target_toi first; /* the first touch so far */
} surface_search;

/** Sweep a triangle that is in reach from `low` to `high`; the proof covers more than the tolerance. */
static inline void surface_try(surface_search *q, const surface_triangle *t, const target_state *low, double high)
{
    target_convex convex;
    target_toi search;

    if (q->found)
        high = min_of(high, q->first.state.x);
    convex_of_triangle(&convex, t);
    if ((low->x > q->from->x || high < q->to) &&
        !convex_first_within(&convex, q->m, q->limit + q->m->tolerance, low, high, &search))
        return;
    if (!convex_first_within(&convex, q->m, q->limit, q->from, q->to, &search) ||
        (q->found && search.state.x >= q->first.state.x))
        return;
    q->first = search;
    q->found = true;
}

/** Return whether the axis touches at the start: then that is the first touch, and nothing needs sweeping. */
static inline bool surface_touches(surface_search *q, const surface *s)
{
    const target_state *from = q->from;

    if (!surface_nearest(s, f64x4_vec_get(&from->ends, 0), from->u, q->limit + q->m->tolerance, &q->first.near))
        return false;
    q->first.state = *from;
    return q->found = true;
}

/** Sweep everything in reach from `low` to `high`; return false if that is too much and the time should be halved. */
static inline bool surface_try_part(surface_search *q, const surface *s, const target_state *low,
                                    const target_state *high, bool may_halve)
{
    surface_reached reached;

    reached_begin(&reached, s);
    hull_of(&reached.hull, s, q->m, low, high, q->limit + 2.0 * q->m->tolerance);
    reached_next(&reached);
    if (low->x == q->from->x && high->x == q->to && reached.count > 0 && surface_touches(q, s))
        return true;
    if (reached.top > 0 && may_halve && reached.hull.moved > SURFACE_WORTH * reached.hull.wide)
        return false;
    for (;;) {
        for (int k = 0; k < reached.count; k++)
            surface_try(q, &reached.found[k], low, high->x);
        if (reached.top == 0)
            return true;
        reached_next(&reached);
    }
}

/** Try part by part, the earliest first. */
static inline void surface_try_parts(surface_search *q, const surface *s)
{
    double ends[SURFACE_HALVINGS + 2] = {q->to}, least = (q->to - q->from->x) / (1 << SURFACE_HALVINGS);
    target_state low = *q->from, high;
    int top = 0;

    while (top >= 0) {
        double end = q->found ? min_of(ends[top], q->first.state.x) : ends[top];
        bool may_halve = end - low.x > least && top <= SURFACE_HALVINGS;

        target_at(q->m, end, &high);
        if (!surface_try_part(q, s, &low, &high, may_halve)) {
            ends[++top] = 0.5 * (low.x + end);
            continue;
        }
        if (q->found && q->first.state.x <= end)
            return;
        low = high;
        top--;
    }
}

/** Find the first x in from->x .. to at which the axis is within `limit` of the surface, to within the motion's
 *  tolerance, and its closest triangle then; false if there is none. The same bits for the same triangles, however they
 *  are stored. */
static inline bool surface_first_within(const surface *s, const target_motion *m, double limit,
                                        const target_state *from, double to, target_toi *out_search)
{
    surface_search q = {.m = m, .limit = limit, .from = from, .to = to, .found = false};

    surface_try_parts(&q, s);
    if (!q.found)
        return false;
    *out_search = q.first;
    if (q.first.state.x > from->x)
        surface_nearest(s, f64x4_vec_get(&q.first.state.ends, 0), q.first.state.u, q.first.near.distance,
                        &out_search->near);
    return true;
}

#endif

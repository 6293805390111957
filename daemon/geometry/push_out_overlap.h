/* How deep a blade is in what does not yield, at a place: the deepest of all pairs of a capsule and an obstacle. Skips
 * pairs that were too far apart at the start to overlap at that place. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_OVERLAP_H
#define CLASH_GEOMETRY_PUSH_OUT_OVERLAP_H

#include "push_out_solid.h"
#include "push_out_surface.h"

/** Return the pair's entry, or NULL if it is not remembered. */
static inline push_out_pair *pair_of(push_out_task *b, size_t capsule, size_t obstacle)
{
    const size_t index = capsule * b->obstacle_count + obstacle;

    return index < b->measured ? &b->pairs[index] : NULL;
}

static inline int side_at(push_out_task *b, size_t capsule, size_t obstacle)
{
    const push_out_pair *known = pair_of(b, capsule, obstacle);

    if (!b->is_sided)
        return 0;
    return known ? known->side : b->obstacles[obstacle].shape.kind == CLASH_SHAPE_TERRAIN;
}

/** Return the overlap of the capsule moved by x; surfaces count up to `within` from it. */
static inline push_out_overlap overlap_within(push_out_task *b, size_t capsule, size_t obstacle, dvec x, double within)
{
    const clash_obstacle *o = &b->obstacles[obstacle];
    push_out_overlap found;

    if (is_surface(o)) {
        const push_out_sight sight = sight_of(b, capsule, o, side_at(b, capsule, obstacle), x);

        found = out_of_surface(&sight, within);
    } else {
        found = out_of_solid(b, capsule, o, x);
    }
    found.capsule = capsule;
    found.obstacle = obstacle;
    return found;
}

static inline push_out_overlap overlap_at(push_out_task *b, size_t capsule, size_t obstacle, dvec x)
{
    return overlap_within(b, capsule, obstacle, x, 0.0);
}

/** Return the deepest overlap when moved by x, or any if the task is rough. If the work is spent on the way, the blade
 *  counts as not outside. */
static inline push_out_overlap deepest_at(push_out_task *b, dvec x)
{
    push_out_overlap deepest = {
        .depth = -INFINITY, .normal = {0.0, 1.0, 0.0}, .triangle = CLASH_NO_TRIANGLE, .touched = CLASH_NO_TRIANGLE};
    const double moved = dvec_length(x);

    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < b->obstacle_count && b->left > 0; k++) {
            const push_out_pair *known = pair_of(b, i, k);
            push_out_overlap o;

            if (known && known->gap > moved)
                continue;
            o = overlap_at(b, i, k, x);
            if (o.depth > deepest.depth)
                deepest = o;
            if (b->is_rough && !is_outside(&o))
                return o;
        }
    }
    if (b->left == 0)
        deepest.depth = INFINITY;
    return deepest;
}

/** Return the side of a surface on which a blade should be that is where it began: above a terrain, unless all of it is
 *  below; for an open surface the side that it is on, or the outer one if it goes through. */
static inline int side_to_keep(push_out_task *b, size_t capsule, const clash_obstacle *o)
{
    target_near near;
    push_out_sight v;

    if (!is_surface(o))
        return 0;
    v = sight_of(b, capsule, o, 1, (dvec){0.0, 0.0, 0.0});
    if (!has_open(&v))
        return 0;
    if (!sight_nearest(&v, v.base, v.u, v.radius, &near))
        return v.s.terrain ? (is_enclosed(&v) ? -1 : 1) : 0;
    if (!(near.distance > PUSH_OUT_SURFACE_MEETING))
        return 1;
    if (v.s.terrain)
        return is_enclosed(&v) ? -1 : 1;
    return triangle_is_closed(&v, near.triangle) ? 0 : side_of(&v, &near);
}

/** Return a lower bound on the pair's gap, m, by the boxes around both. */
static inline double gap_of_boxes(const push_out_task *b, size_t capsule, const clash_obstacle *o)
{
    const push_out_sight v = sight_of((push_out_task *)b, capsule, o, 0, (dvec){0.0, 0.0, 0.0});
    const clash_vec3 low = v.s.mesh ? v.s.mesh->low : v.s.terrain->low,
                     high = v.s.mesh ? v.s.mesh->high : v.s.terrain->high;
    dvec tip = dvec_add(v.base, v.u);
    double gap = -INFINITY;

    gap = max_of(gap, max_of((double)low.x - max_of(v.base.x, tip.x), min_of(v.base.x, tip.x) - (double)high.x));
    gap = max_of(gap, max_of((double)low.y - max_of(v.base.y, tip.y), min_of(v.base.y, tip.y) - (double)high.y));
    gap = max_of(gap, max_of((double)low.z - max_of(v.base.z, tip.z), min_of(v.base.z, tip.z) - (double)high.z));
    return gap - v.radius - 1e-9 * v.s.size;
}

/** Remember at most so many overlapping pairs: the deepest. */
#define PUSH_OUT_REASONS 6

/** What each pair that overlaps at the start says by itself about the ways out. */
typedef struct push_out_reasons {
    push_out_overlap overlaps[PUSH_OUT_REASONS], deepest;
    int count;
    double least; /* m: no way out is shorter */
} push_out_reasons;

static inline void note_reason(push_out_reasons *r, const push_out_overlap *o)
{
    int k;

    if (o->depth > r->deepest.depth)
        r->deepest = *o;
    if (is_outside(o))
        return;
    r->least = max_of(r->least, o->is_least ? o->depth : 0.0);
    for (k = r->count < PUSH_OUT_REASONS ? r->count++ : PUSH_OUT_REASONS - 1;
         k > 0 && r->overlaps[k - 1].depth < o->depth; k--)
        r->overlaps[k] = r->overlaps[k - 1];
    r->overlaps[k] = *o;
}

/** Set the sides: all of a blade keeps to the outer side of a surface if some of it is on that side. */
static inline void choose_sides(push_out_task *b)
{
    for (size_t k = 0; k < b->obstacle_count; k++) {
        bool any = false;

        if (!is_surface(&b->obstacles[k]))
            continue;
        for (size_t n = k; n < b->measured; n += b->obstacle_count) {
            b->pairs[n].side = side_to_keep(b, n / b->obstacle_count, &b->obstacles[k]);
            any = any || b->pairs[n].side > 0;
            b->has_sides = b->has_sides || b->pairs[n].side != 0;
        }
        for (size_t n = k; n < b->measured && any; n += b->obstacle_count)
            b->pairs[n].side = b->pairs[n].side < 0 ? 1 : b->pairs[n].side;
    }
}

/** Examine all pairs at the start, or those up to one that the blade cannot leave within `reach` (m). */
static inline push_out_reasons measure_pairs(push_out_task *b, double reach)
{
    const dvec here = {0.0, 0.0, 0.0};
    const size_t all = b->count * b->obstacle_count;
    push_out_reasons r = {.deepest = {.depth = -INFINITY}};

    b->measured = all < PUSH_OUT_PAIRS ? all : PUSH_OUT_PAIRS;
    for (size_t n = 0; n < b->measured; n++)
        b->pairs[n] = (push_out_pair){.side = 0};
    choose_sides(b);
    for (size_t n = 0; n < all && r.least <= reach; n++) {
        const size_t i = n / b->obstacle_count, k = n % b->obstacle_count;
        const clash_obstacle *o = &b->obstacles[k];
        push_out_overlap found;

        if (n < b->measured)
            b->pairs[n].gap = is_surface(o) ? gap_of_boxes(b, i, o) : 0.0;
        if (n < b->measured && b->pairs[n].gap > 0.0)
            continue;
        found = overlap_at(b, i, k, here);
        if (n < b->measured && !is_surface(o))
            b->pairs[n].gap = -found.depth;
        note_reason(&r, &found);
    }
    return r;
}

#endif

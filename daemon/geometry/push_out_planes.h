/* From a place to one that is outside, and from there to one nearer to the start. Both use planes, each of which keeps
 * the blade out of one thing, and the least move that all planes allow. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_PLANES_H
#define CLASH_GEOMETRY_PUSH_OUT_PLANES_H

#include "push_out_exit.h"
#include "push_out_solve.h"

/* Looks before a place is given up: a corner takes a few, something round some more. */
#define PUSH_OUT_LOOKS 48
/* Remember at most so many walls, to try behind each. */
#define PUSH_OUT_SIDES 5
/* Normals with at least this cosine belong to one wall. */
#define PUSH_OUT_SAME 0.99
/* How often a way is shortened, and by what share to be worth it. */
#define PUSH_OUT_SHORTENED 10
#define PUSH_OUT_SHORTER 1e-3
/* Halvings of the way to locate where it comes out. */
#define PUSH_OUT_HALVINGS 12

/** Walls that kept a blade in, and what it takes from the origin to be on either side of each. */
typedef struct push_out_sides {
    push_out_plane front[PUSH_OUT_SIDES], behind[PUSH_OUT_SIDES];
    int count;
} push_out_sides;

static inline void note_side(push_out_sides *s, const push_out_overlap *o, dvec x)
{
    double at = dvec_dot(o->normal, x);

    if (o->behind <= 0.0 || s->count == PUSH_OUT_SIDES)
        return;
    for (int i = 0; i < s->count; i++)
        if (dvec_dot(s->front[i].normal, o->normal) > PUSH_OUT_SAME)
            return;
    s->front[s->count] = (push_out_plane){o->normal, at + o->depth};
    s->behind[s->count++] = (push_out_plane){dvec_scale(o->normal, -1.0), o->behind - at};
}

/** Find the least move from `start` that leads outside. Notes the walls in `sides`, if not NULL. */
static inline bool push_out_task_from(push_out_task *b, dvec start, push_out_sides *sides, dvec *out_x)
{
    push_out_plane planes[PUSH_OUT_PLANES_MAX];
    dvec x = start;
    int count = 0;

    for (int i = 0; i < PUSH_OUT_LOOKS && b->left > 0; i++) {
        push_out_overlap o = deepest_at(b, x);
        dvec step;

        *out_x = x;
        if (is_outside(&o))
            return true;
        if (count == PUSH_OUT_PLANES_MAX)
            return false;
        if (sides)
            note_side(sides, &o, x);
        planes[count++] = (push_out_plane){o.normal, dvec_dot(o.normal, dvec_sub(x, start)) + o.depth};
        if (!push_out_solve(planes, count, &step))
            return false;
        x = dvec_add(start, step);
    }
    return false;
}

/** Find what is between x, which is outside, and y, where the blade is inside something without touching it. */
static inline bool find_between(push_out_task *b, dvec x, dvec y, push_out_overlap *out_met)
{
    for (int i = 0; i < PUSH_OUT_HALVINGS && b->left > 0; i++) {
        const dvec middle = dvec_scale(dvec_add(x, y), 0.5);

        *out_met = deepest_at(b, middle);
        if (is_outside(out_met))
            x = middle;
        else if (is_buried(b, out_met))
            y = middle;
        else
            return true;
    }
    return false;
}

/** Return a plane that keeps the blade, outside at x, from coming nearer to what it met: all of a convex is behind the
 *  plane that touches it at its nearest point. Return false if there is none. */
static inline bool plane_before(push_out_task *b, const push_out_overlap *met, dvec x, push_out_plane *out_plane)
{
    const push_out_convex convex = convex_of(met);
    double gap;

    if (is_buried(b, met))
        return false;
    gap = convex_gap(b, &convex, x, &out_plane->normal);
    out_plane->least = dvec_dot(out_plane->normal, x) - max_of(gap, 0.0);
    return dvec_dot(out_plane->normal, out_plane->normal) > 0.5;
}

/** Find the least move that the planes before everything met allow, as seen from x, which is outside. Return false if there is
 *  none. */
static inline bool nearer_than(push_out_task *b, dvec x, dvec *out_y)
{
    push_out_plane planes[PUSH_OUT_PLANES_MAX];
    dvec y = {0.0, 0.0, 0.0};

    for (int count = 0; count < PUSH_OUT_PLANES_MAX && b->left > 0;) {
        push_out_overlap met = deepest_at(b, y);

        if (is_outside(&met)) {
            *out_y = y;
            return true;
        }
        if (is_buried(b, &met) && !find_between(b, x, y, &met))
            return false;
        if (!plane_before(b, &met, x, &planes[count]) || push_out_allows(&planes[count], y))
            return false;
        count++;
        if (!push_out_solve(planes, count, &y))
            return false;
    }
    return false;
}

/** Bring a place outside nearer to the start, as long as it is worth it. */
static inline dvec shortened(push_out_task *b, dvec x)
{
    b->is_rough = true;
    for (int i = 0; i < PUSH_OUT_SHORTENED && b->left > 0; i++) {
        const double length = dvec_length(x);
        dvec y;

        if (!nearer_than(b, x, &y))
            break;
        if (dvec_length(y) < length)
            x = y;
        if (dvec_length(y) > (1.0 - PUSH_OUT_SHORTER) * length)
            break;
    }
    b->is_rough = false;
    return x;
}

#endif

/* The search for the least way out: by planes from where the blade is, then from where it comes out in directions all
 * around, beginning with those that have the least way to go; each result is shortened as far as possible. Every place
 * found goes through take_place(): a caller that knows a better one to begin with, such as where the blade came from,
 * passes it there first. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_SEARCH_H
#define CLASH_GEOMETRY_PUSH_OUT_SEARCH_H

#include "push_out_planes.h"

/* Directions from the middle of a cube of 5 by 5 by 5 points to those on its outside. */
#define PUSH_OUT_DIRECTIONS 98
/* A way longer than the best so far by more than this factor is not shortened. */
#define PUSH_OUT_PROMISING 1.6
/* The best is good enough if it exceeds the lower bound of all ways out by no more than this share. */
#define PUSH_OUT_GOOD_ENOUGH 0.05
/* A direction is worth trying if it may beat the best by this share. */
#define PUSH_OUT_WORTH 0.01

/** The least way out found so far within reach. */
typedef struct push_out_best {
    double reach, length; /* INFINITY: none */
    dvec x;
} push_out_best;

typedef struct push_out_direction {
    dvec way;
    double least; /* at least so far to go that way, m */
} push_out_direction;

static inline bool has_place(const push_out_best *best)
{
    return best->length < INFINITY;
}

static inline bool is_good_enough(const push_out_best *best, const push_out_reasons *r)
{
    return best->length <= (1.0 + PUSH_OUT_GOOD_ENOUGH) * r->least;
}

/** Take x, which is outside, or a nearer place, if it is the best so far. */
static inline void take_place(push_out_task *b, dvec x, push_out_best *best)
{
    if (dvec_length(x) < PUSH_OUT_PROMISING * min_of(best->length, best->reach))
        x = shortened(b, x);
    if (dvec_length(x) <= best->reach && dvec_length(x) < best->length) {
        best->length = dvec_length(x);
        best->x = x;
    }
}

static inline void try_from(push_out_task *b, dvec start, push_out_sides *sides, push_out_best *best)
{
    dvec x;

    if (push_out_task_from(b, start, sides, &x))
        take_place(b, x, best);
}

/** Insert a direction after those that need less. */
static inline void note_direction(push_out_direction *ways, int count, push_out_direction d)
{
    for (; count > 0 && ways[count - 1].least > d.least; count--)
        ways[count] = ways[count - 1];
    ways[count] = d;
}

/** Return a lower bound, cheap to compute, on how far the blade must go that way. */
static inline double least_along(push_out_task *b, const push_out_reasons *r, dvec way, double limit)
{
    const dvec here = {0.0, 0.0, 0.0};
    double least = 0.0;

    for (int m = 0; m < r->count; m++)
        least = max_of(least, exit_of_core(&r->overlaps[m], way));
    for (int m = 0; m < r->count && least <= limit; m++)
        least = max_of(least, exit_of_inner(b, &r->overlaps[m], 1, here, way, limit));
    return least;
}

/** List the directions in which it may be out before `limit`, in the order of their lower bounds. */
static inline int order_directions(push_out_task *b, const push_out_reasons *r, double limit,
                                   push_out_direction out[PUSH_OUT_DIRECTIONS])
{
    int count = 0;

    for (int n = 0; n < 125 && b->left > 0; n++) {
        const int i = n % 5 - 2, j = n / 5 % 5 - 2, k = n / 25 - 2;
        const dvec way = {(double)i, (double)j, (double)k};
        push_out_direction d;

        if (i * i < 4 && j * j < 4 && k * k < 4)
            continue;
        d.way = dvec_scale(way, 1.0 / dvec_length(way));
        d.least = least_along(b, r, d.way, limit);
        if (d.least <= limit)
            note_direction(out, count++, d);
    }
    return count;
}

/** Return where the blade comes out that way, if before `limit`; else INFINITY. */
static inline double way_along(push_out_task *b, const push_out_reasons *r, const push_out_direction *d, double limit)
{
    const dvec here = {0.0, 0.0, 0.0};
    double s = d->least;

    for (int m = 0; m < r->count && s <= limit; m++)
        s = max_of(s, exit_of(b, &r->overlaps[m], here, d->way, limit));
    return s <= limit ? first_exit(b, d->way, s, limit) : INFINITY;
}

static inline void try_directions(push_out_task *b, const push_out_reasons *r, push_out_best *best)
{
    push_out_direction ways[PUSH_OUT_DIRECTIONS];
    const int count = order_directions(b, r, min_of(best->reach, best->length), ways);

    for (int i = 0; i < count && b->left > 0 && !is_good_enough(best, r); i++) {
        const double limit = (1.0 - PUSH_OUT_WORTH) * min_of(best->reach, best->length);
        double s;

        if (ways[i].least > limit)
            break;
        s = way_along(b, r, &ways[i], limit);
        if (s <= limit)
            try_from(b, dvec_scale(ways[i].way, s), NULL, best);
    }
}

/** Try straight up from a terrain, or down from below it: cheap, and seldom much longer than the least way. Not
 *  shortened, so that there is a place however little work is left. */
static inline void try_up(push_out_task *b, const push_out_reasons *r, push_out_best *best)
{
    for (int m = 0; m < r->count; m++) {
        const push_out_overlap *o = &r->overlaps[m];
        const clash_obstacle *from = &b->obstacles[o->obstacle];
        const double up = side_at(b, o->capsule, o->obstacle) < 0 ? -1.0 : 1.0;
        push_out_direction d = {.least = 0.0};
        double s;
        dvec x;

        if (from->shape.kind != CLASH_SHAPE_TERRAIN)
            continue;
        d.way = dquat_rotate(dquat_from(from->pose.orientation), (dvec){0.0, up, 0.0});
        s = way_along(b, r, &d, best->reach);
        if (s <= best->reach && push_out_task_from(b, dvec_scale(d.way, s), NULL, &x) &&
            dvec_length(x) <= best->reach) {
            best->length = dvec_length(x);
            best->x = x;
        }
        return;
    }
}

/** Try from places all around, half and all of `reach` away. */
static inline void try_around(push_out_task *b, push_out_sides *sides, push_out_best *best)
{
    for (int k = 0; k < 27 * 2 && b->left > 0; k++) {
        dvec way = {(double)(k % 3 - 1), (double)(k / 3 % 3 - 1), (double)(k / 9 % 3 - 1)};
        double length = dvec_length(way);

        if (length > 0.0)
            try_from(b, dvec_scale(way, (k < 27 ? 0.5 : 1.0) * best->reach / length), sides, best);
    }
}

/** Try from behind one wall or several, and before the others: if it is too narrow between walls there is no other
 *  way. More walls may be met on it. */
static inline void try_behind(push_out_task *b, push_out_sides *sides, push_out_best *best)
{
    for (unsigned which = 1; which < 1U << sides->count && b->left > 0; which++) {
        push_out_sides chosen = *sides;
        dvec x;

        for (int k = 0; k < chosen.count; k++)
            if (which >> k & 1U)
                chosen.front[k] = chosen.behind[k];
        if (push_out_solve(chosen.front, chosen.count, &x) && dvec_length(x) <= 2.0 * best->reach)
            try_from(b, x, sides, best);
    }
}

/** Find the least way out, first as if open surfaces had only an outer side; if that fails, as if they had none. */
static inline void search(push_out_task *b, const push_out_reasons *reasons, push_out_best *best)
{
    const dvec here = {0.0, 0.0, 0.0};
    push_out_sides sides = {.count = 0};
    push_out_reasons others = *reasons;

    if (reasons->least <= best->reach) {
        try_up(b, reasons, best);
        try_from(b, here, &sides, best);
        if (!is_good_enough(best, reasons))
            try_directions(b, reasons, best);
    }
    if (has_place(best) || b->left == 0)
        return;
    if (b->has_sides) {
        b->is_sided = false;
        others = measure_pairs(b, best->reach);
        if (others.least <= best->reach)
            try_from(b, here, &sides, best);
    }
    if (has_place(best) || others.least > best->reach)
        return;
    try_around(b, &sides, best);
    try_behind(b, &sides, best);
}

#endif

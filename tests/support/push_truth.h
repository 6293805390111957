/* The truth for push-out's moves: the least move out of a union of shapes, by trying all directions. In one direction
 * Newton's method finds when each convex piece (a triangle, a ball, a capsule) is left, since the distance of convex
 * bodies is a convex function of the way; what is inside a closed surface is found by counting the crossings of a ray.
 * Tries a grid of directions over the sphere, then turns the best of them little by little. In plain double precision
 * with libm, sharing no code with libclash. */
#ifndef CLASHD_TESTS_PUSH_TRUTH_H
#define CLASHD_TESTS_PUSH_TRUTH_H

#include "support/surface_pair.h"

#include <stdbool.h>
#include <stdint.h>

enum { PUSH_TRUTH_PIECES = 2048, PUSH_TRUTH_WAYS = 1500, PUSH_TRUTH_KEPT = 8 };

/** A triangle, segment or point in stage space, with a radius; `body`: of whose closed surface it is part, or -1. */
typedef struct push_piece {
    int corners, body;
    ref_vec c[3], middle;
    double radius, around;
} push_piece;

typedef struct push_truth {
    push_piece pieces[PUSH_TRUTH_PIECES];
    int count, bodies;
    ref_vec axes[4][2]; /* of the blade's capsules, stage */
    double radii[4];
    int axis_count;
    int last[2]; /* what was in the way last: tried first */
} push_truth;

typedef struct push_near {
    double gap;
    ref_vec out; /* unit, from the piece to the axis; 0 if they meet */
} push_near;

static inline void push_truth_add(push_truth *t, int corners, const ref_vec *c, double radius, int body)
{
    push_piece *p = &t->pieces[t->count++];

    *p = (push_piece){.corners = corners, .body = body, .radius = radius};
    for (int k = 0; k < corners; k++) {
        p->c[k] = c[k];
        p->middle = ref_mad(p->middle, c[k], 1.0 / corners);
    }
    for (int k = 0; k < corners; k++)
        p->around = fmax(p->around, ref_length(surface_from_to(p->middle, c[k])));
    if (body >= t->bodies)
        t->bodies = body + 1;
}

static inline push_near push_truth_near(const push_piece *p, const ref_vec axis[2], double radius)
{
    surface_pair pair = {.distance = HUGE_VAL};
    push_near near = {.out = {0, 0, 0}};

    if (p->corners == 3) {
        pair = surface_pair_of(axis, p->c);
    } else if (p->corners == 2) {
        pair = surface_edge_pair(axis, p->c[0], p->c[1]);
    } else {
        surface_consider(&pair, surface_on_segment(p->c[0], axis[0], axis[1]), p->c[0]);
    }
    near.gap = pair.distance - radius - p->radius;
    if (pair.distance > 0) {
        near.out = surface_from_to(pair.on_triangle, pair.on_axis);
        near.out = ref_mad((ref_vec){0, 0, 0}, near.out, 1 / pair.distance);
    }
    return near;
}

static inline void push_truth_axis(const push_truth *t, int i, ref_vec x, ref_vec out[2])
{
    out[0] = ref_mad(t->axes[i][0], x, 1);
    out[1] = ref_mad(t->axes[i][1], x, 1);
}

/** Return whether the piece is too far from the axis to matter, by the balls around both. */
static inline bool push_truth_is_far(const push_piece *p, const ref_vec axis[2], double radius)
{
    ref_vec middle = ref_mad(ref_mad((ref_vec){0, 0, 0}, axis[0], 0.5), axis[1], 0.5);
    double half = 0.5 * ref_length(surface_from_to(axis[0], axis[1]));

    return ref_length(surface_from_to(p->middle, middle)) > p->around + p->radius + half + radius;
}

/** Return how far the axis goes along `way` until it has left the piece for good. */
static inline double push_truth_exit(const push_truth *t, int i, const push_piece *p, ref_vec way)
{
    double low = HUGE_VAL, high = -HUGE_VAL, s;
    ref_vec axis[2];

    for (int k = 0; k < 2; k++)
        low = fmin(low, ref_dot(t->axes[i][k], way));
    for (int k = 0; k < p->corners; k++)
        high = fmax(high, ref_dot(p->c[k], way));
    s = high - low + t->radii[i] + p->radius;
    for (int k = 0; k < 60; k++) {
        push_near near;
        double slope;

        push_truth_axis(t, i, (ref_vec){way.x * s, way.y * s, way.z * s}, axis);
        near = push_truth_near(p, axis, t->radii[i]);
        slope = ref_dot(near.out, way);
        if (near.gap < 1e-9 || slope <= 0)
            break;
        s -= near.gap / slope;
    }
    return s;
}

/** Return whether a point is inside the body, by a ray in a direction that hits no edge. */
static inline bool push_truth_inside(const push_truth *t, int body, ref_vec from)
{
    const ref_vec way = {0.5377003413, 0.6210238103, 0.5702612917};
    int winding = 0;

    for (int k = 0; k < t->count; k++) {
        const push_piece *p = &t->pieces[k];
        ref_vec e, f, n, w, cross;
        double det, u, v;

        if (p->body != body)
            continue;
        e = surface_from_to(p->c[0], p->c[1]);
        f = surface_from_to(p->c[0], p->c[2]);
        w = surface_from_to(p->c[0], from);
        n = ref_cross(way, f);
        det = ref_dot(e, n);
        cross = ref_cross(w, e);
        u = ref_dot(w, n) / det;
        v = ref_dot(way, cross) / det;
        if (det != 0 && u >= 0 && v >= 0 && u + v <= 1 && ref_dot(f, cross) / det > 0)
            winding += det > 0 ? -1 : 1;
    }
    return winding > 0;
}

/** Return a piece that is in the way of capsule i at x; -1: none. */
static inline int push_truth_blocked(push_truth *t, int i, ref_vec x)
{
    ref_vec axis[2];

    push_truth_axis(t, i, x, axis);
    for (int k = -2; k < t->count; k++) {
        const int at = k < 0 ? t->last[k + 2] : k;

        if (push_truth_is_far(&t->pieces[at], axis, t->radii[i]) ||
            push_truth_near(&t->pieces[at], axis, t->radii[i]).gap >= -1e-8)
            continue;
        if (k >= 0) {
            t->last[0] = t->last[1];
            t->last[1] = at;
        }
        return at;
    }
    return -1;
}

/** Return how far capsule i, which touches nothing at x, must go at least to leave a body that it is inside; 0: it is
 *  in none. */
static inline double push_truth_buried(const push_truth *t, int i, ref_vec x)
{
    ref_vec axis[2];

    push_truth_axis(t, i, x, axis);
    for (int body = 0; body < t->bodies; body++) {
        double least = HUGE_VAL;

        if (!push_truth_inside(t, body, axis[0]))
            continue;
        for (int k = 0; k < t->count; k++)
            if (t->pieces[k].body == body)
                least = fmin(least, push_truth_near(&t->pieces[k], axis, 0).gap);
        return fmax(least, 1e-4);
    }
    return 0;
}

/** Return how far to go on from x along `way` until what is in the way there has been left; 0: nothing is. */
static inline double push_truth_more(push_truth *t, ref_vec way, double s)
{
    const ref_vec x = {way.x * s, way.y * s, way.z * s};

    for (int i = 0; i < t->axis_count; i++) {
        int piece = push_truth_blocked(t, i, x);
        double buried = piece < 0 ? push_truth_buried(t, i, x) : 0;

        if (piece >= 0)
            return fmax(push_truth_exit(t, i, &t->pieces[piece], way) - s, 1e-7);
        if (buried > 0)
            return buried;
    }
    return 0;
}

/** Return the first place outside along `way`, m; HUGE_VAL if there is none up to `limit`. */
static inline double push_truth_first_free(push_truth *t, ref_vec way, double limit)
{
    double s = 0;

    while (s <= limit) {
        double more = push_truth_more(t, way, s);

        if (!(more > 0))
            return s;
        s += more;
    }
    return HUGE_VAL;
}

static inline ref_vec push_truth_unit(ref_vec v)
{
    return ref_mad((ref_vec){0, 0, 0}, v, 1 / ref_length(v));
}

/** Turn `way` little by little to where the way out is shorter. */
static inline double push_truth_refined(push_truth *t, ref_vec way, double length, ref_vec *out_way)
{
    for (double turn = 0.06; turn > 4e-4;) {
        ref_vec side = push_truth_unit(ref_cross(way, fabs(way.x) < 0.6 ? (ref_vec){1, 0, 0} : (ref_vec){0, 1, 0}));
        ref_vec other = ref_cross(way, side), best = way;

        for (int k = 0; k < 8; k++) {
            double angle = 0.785398 * k + 0.3 * turn;
            ref_vec to = push_truth_unit(ref_mad(ref_mad(way, side, turn * cos(angle)), other, turn * sin(angle)));
            double found = push_truth_first_free(t, to, length * 0.9999);

            if (found < length) {
                length = found;
                best = to;
            }
        }
        if (best.x == way.x && best.y == way.y && best.z == way.z)
            turn *= 0.4;
        way = best;
    }
    *out_way = way;
    return length;
}

/** Return the least move out found within `limit`, m; HUGE_VAL: none. */
static inline double push_truth_least(push_truth *t, double limit, int ways, ref_vec *out_x)
{
    double kept[PUSH_TRUTH_KEPT], least = HUGE_VAL;
    ref_vec kept_ways[PUSH_TRUTH_KEPT], refined = {0, 0, 0};
    int count = 0;

    for (int k = 0; k < ways; k++) { /* a spiral with the golden angle covers the sphere evenly */
        double y = 1 - (2 * k + 1.0) / ways, across = sqrt(1 - y * y), turn = 2.399963229728653 * k;
        ref_vec way = {across * cos(turn), y, across * sin(turn)};
        double found = push_truth_first_free(t, way, fmin(limit, least * 1.15));
        int at;

        if (!(found < HUGE_VAL) || (count == PUSH_TRUTH_KEPT && found >= kept[count - 1]))
            continue;
        least = fmin(least, found);
        for (at = count < PUSH_TRUTH_KEPT ? count++ : count - 1; at > 0 && kept[at - 1] > found; at--) {
            kept[at] = kept[at - 1];
            kept_ways[at] = kept_ways[at - 1];
        }
        kept[at] = found;
        kept_ways[at] = way;
    }
    for (int k = 0; k < count; k++) {
        double length = kept[k] < least * 1.15 ? push_truth_refined(t, kept_ways[k], kept[k], &refined) : HUGE_VAL;

        if (length <= least) {
            least = length;
            *out_x = ref_mad((ref_vec){0, 0, 0}, refined, length);
        }
    }
    return least;
}

#endif

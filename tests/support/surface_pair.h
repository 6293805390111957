/* A segment and a triangle: how near they are, and where, by trying every feature of both; part of the truth for meshes
 * and terrains. Plain double precision, sharing no code with libclash. */
#ifndef CLASHD_TESTS_SURFACE_PAIR_H
#define CLASHD_TESTS_SURFACE_PAIR_H

#include "support/reference.h"

typedef struct surface_pair {
    double distance;
    /** If the segment crosses the triangle: the least move that could undo it, else 0. It crosses as long as its ends
     *  stay off the triangle and it stays off the triangle's edges: so neither can be nearer than that. */
    double depth;
    ref_vec on_axis, on_triangle;
    int edge; /* the nearest, from this corner on */
} surface_pair;

static inline ref_vec surface_from_to(ref_vec from, ref_vec to)
{
    return ref_mad(to, from, -1);
}

static inline void surface_consider(surface_pair *best, ref_vec p, ref_vec q)
{
    double d = ref_length(surface_from_to(p, q));

    if (!(d < best->distance))
        return;
    best->distance = d;
    best->on_axis = p;
    best->on_triangle = q;
}

/** Return where a line perpendicular to the triangle's plane through p meets the triangle; false if it does not. By
 *  areas: for a sliver a kilometre long, squares of its sides would leave nothing of its width. */
static inline bool surface_foot(ref_vec p, const ref_vec c[3], ref_vec *out_foot)
{
    ref_vec e = surface_from_to(c[0], c[1]), f = surface_from_to(c[0], c[2]), w = surface_from_to(c[0], p);
    ref_vec n = ref_cross(e, f);
    double nn = ref_dot(n, n), u = ref_dot(ref_cross(w, f), n) / nn, v = ref_dot(ref_cross(e, w), n) / nn;

    if (!(nn > 0 && u >= 0 && v >= 0 && u + v <= 1))
        return false;
    *out_foot = ref_mad(p, n, -ref_dot(n, w) / nn);
    return true;
}

static inline ref_vec surface_on_segment(ref_vec p, ref_vec a, ref_vec b)
{
    ref_vec d = surface_from_to(a, b);
    double dd = ref_dot(d, d), u = dd > 0 ? ref_dot(surface_from_to(a, p), d) / dd : 0;

    return ref_mad(a, d, fmin(fmax(u, 0), 1));
}

/** Return the pair of the axis and one edge: an end with the other, or where they cross. */
static inline surface_pair surface_edge_pair(const ref_vec a[2], ref_vec c, ref_vec d)
{
    surface_pair best = {.distance = HUGE_VAL};
    ref_vec u = surface_from_to(a[0], a[1]), v = surface_from_to(c, d), r = surface_from_to(a[0], c),
            n = ref_cross(u, v);
    double nn = ref_dot(n, n), s = ref_dot(ref_cross(r, v), n) / nn, t = ref_dot(ref_cross(r, u), n) / nn;

    for (int i = 0; i < 2; i++)
        surface_consider(&best, a[i], surface_on_segment(a[i], c, d));
    surface_consider(&best, surface_on_segment(c, a[0], a[1]), c);
    surface_consider(&best, surface_on_segment(d, a[0], a[1]), d);
    if (nn > 0 && s >= 0 && s <= 1 && t >= 0 && t <= 1)
        surface_consider(&best, ref_mad(a[0], u, s), ref_mad(c, v, t));
    return best;
}

/** `a`: the segment's ends; `c`: the triangle's corners. */
static inline surface_pair surface_pair_of(const ref_vec a[2], const ref_vec c[3])
{
    ref_vec n = ref_cross(surface_from_to(c[0], c[1]), surface_from_to(c[0], c[2])), u = surface_from_to(a[0], a[1]);
    double first = ref_dot(n, surface_from_to(c[0], a[0])), last = ref_dot(n, surface_from_to(c[0], a[1]));
    surface_pair best = {.distance = HUGE_VAL};
    ref_vec foot, through = ref_mad(a[0], u, first / (first - last));

    for (int k = 0; k < 3; k++) {
        surface_pair edge = surface_edge_pair(a, c[k], c[(k + 1) % 3]);

        edge.edge = k;
        best = edge.distance < best.distance ? edge : best;
    }
    for (int i = 0; i < 2; i++)
        if (surface_foot(a[i], c, &foot))
            surface_consider(&best, a[i], foot);
    if (first * last < 0 && surface_foot(through, c, &foot)) {
        best.depth = best.distance;
        surface_consider(&best, through, foot);
    }
    return best;
}

#endif

/* The truth that sweeps with meshes and terrains are held against: exhaustive search over all triangles and the whole
 * interval, in double precision with libm, sharing no code with libclash. The distance of the axis from a triangle is the
 * least over the features of both; a part of the interval is left out for those triangles alone that are further away in its
 * middle than anything moves in half of it. */
#ifndef CLASHD_TESTS_SURFACE_TRUTH_H
#define CLASHD_TESTS_SURFACE_TRUTH_H

#include <stdlib.h>

#include "support/reference.h"

typedef struct surface_truth {
    const clash_body *blade;
    const clash_motion *motion; /* of the surface */
    const ref_vec (*corners)[3];
    uint32_t count;
    double speed; /* of the axis as the surface sees it, at most */
    double size;
    long looks;      /* beyond SURFACE_LOOKS_MAX a search gives up */
    uint32_t *lists; /* of triangles: working memory, `count` for each depth */
} surface_truth;

enum { SURFACE_DEPTH = 60 };
#define SURFACE_LOOKS_MAX 12000000

static inline ref_vec surface_from_to(ref_vec from, ref_vec to)
{
    return ref_mad(to, from, -1);
}

static inline double surface_angle(const clash_motion *m)
{
    ref_quat f = ref_unit(m->from.orientation), t = ref_unit(m->to.orientation);

    return 2 * acos(fmin(1, fabs(f.w * t.w + ref_dot(f.v, t.v)) * (1 - 1e-15))) + 1e-7;
}

/** `lists`: room for SURFACE_DEPTH * count. */
static inline surface_truth surface_truth_of(const clash_body *blade, const clash_motion *motion,
                                             const ref_vec (*corners)[3], uint32_t count, uint32_t *lists)
{
    surface_truth t = {.blade = blade, .motion = motion, .corners = corners, .count = count, .lists = lists};
    double reach = fmax(ref_length(ref_of(blade->shape.base)), ref_length(ref_of(blade->shape.tip)));
    ref_vec gap = surface_from_to(ref_of(motion->from.position), ref_of(blade->motion.from.position));
    double steps = ref_length(surface_from_to(ref_of(blade->motion.from.position), ref_of(blade->motion.to.position))) +
                   ref_length(surface_from_to(ref_of(motion->from.position), ref_of(motion->to.position)));
    double far = ref_length(gap) + steps + reach;

    t.speed = steps + surface_angle(&blade->motion) * reach + surface_angle(motion) * far + 1e-12;
    t.size = far;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            t.size = fmax(t.size, far + ref_length(corners[i][k]));
    return t;
}

/** The axis at one time, as the surface sees it. */
static inline void surface_axis_at(const surface_truth *t, double time, ref_vec out[2])
{
    ref_quat q, blade_q;
    ref_vec p, blade_p, ends[2] = {ref_of(t->blade->shape.base), ref_of(t->blade->shape.tip)};

    ref_pose_at(t->motion, time, &q, &p);
    ref_pose_at(&t->blade->motion, time, &blade_q, &blade_p);
    q.v = (ref_vec){-q.v.x, -q.v.y, -q.v.z};
    for (int i = 0; i < 2; i++)
        out[i] = ref_turn(q, ref_mad(surface_from_to(p, blade_p), ref_turn(blade_q, ends[i]), 1));
}

/** Distance of a point from where a line across the triangle's plane through it meets the triangle; no less than the true
 *  distance, and the true one where that is the closest point. */
static inline double surface_below(ref_vec p, const ref_vec c[3])
{
    ref_vec e = surface_from_to(c[0], c[1]), f = surface_from_to(c[0], c[2]), w = surface_from_to(c[0], p);
    double ee = ref_dot(e, e), ff = ref_dot(f, f), ef = ref_dot(e, f), we = ref_dot(w, e), wf = ref_dot(w, f);
    double det = ee * ff - ef * ef, u = (we * ff - wf * ef) / det, v = (wf * ee - we * ef) / det;

    if (!(det > 0 && u >= 0 && v >= 0 && u + v <= 1))
        return HUGE_VAL;
    return ref_length(surface_from_to(ref_mad(ref_mad(c[0], e, u), f, v), p));
}

static inline double surface_triangle_distance(const ref_vec a[2], const ref_vec c[3])
{
    ref_vec n = ref_cross(surface_from_to(c[0], c[1]), surface_from_to(c[0], c[2])), u = surface_from_to(a[0], a[1]);
    double first = ref_dot(n, surface_from_to(c[0], a[0])), last = ref_dot(n, surface_from_to(c[0], a[1]));
    double d = fmin(surface_below(a[0], c), surface_below(a[1], c));

    for (int k = 0; k < 3; k++)
        d = fmin(d, ref_segments(a[0], a[1], c[k], c[(k + 1) % 3]));
    if (first * last < 0)
        d = fmin(d, surface_below(ref_mad(a[0], u, first / (first - last)), c));
    return d;
}

/** Of all triangles; *out_triangle, if not NULL, is the closest. */
static inline double surface_distance_at(const surface_truth *t, double time, uint32_t *out_triangle)
{
    ref_vec axis[2];
    double least = HUGE_VAL;

    surface_axis_at(t, time, axis);
    for (uint32_t i = 0; i < t->count; i++) {
        double d = surface_triangle_distance(axis, t->corners[i]);

        if (d < least && out_triangle)
            *out_triangle = i;
        least = fmin(least, d);
    }
    return least;
}

typedef struct surface_first {
    bool found;
    double low, high;
} surface_first;

/** First time within low..high at which one of the listed triangles is within `limit`, to within `slack`. */
static inline surface_first surface_first_of(surface_truth *t, const uint32_t *list, uint32_t count, int depth,
                                             double limit, double slack, double low, double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), least = HUGE_VAL;
    uint32_t *near = &t->lists[(size_t)depth * t->count], near_count = 0;
    ref_vec axis[2];
    surface_first first;

    surface_axis_at(t, middle, axis);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangle = list ? list[i] : i;
        double d = surface_triangle_distance(axis, t->corners[triangle]);

        least = fmin(least, d);
        if (d - t->speed * half <= limit)
            near[near_count++] = triangle;
    }
    t->looks += count;
    if (near_count == 0)
        return (surface_first){false, 0, 0};
    if (t->speed * half < slack || depth == SURFACE_DEPTH - 1 || t->looks > SURFACE_LOOKS_MAX)
        return (surface_first){least <= limit + slack, low, high};
    first = surface_first_of(t, near, near_count, depth + 1, limit, slack, low, middle);
    return first.found ? first : surface_first_of(t, near, near_count, depth + 1, limit, slack, middle, high);
}

static inline surface_first surface_first_within(surface_truth *t, double limit, double slack, double low, double high)
{
    return surface_first_of(t, NULL, t->count, 0, limit, slack, low, high);
}

typedef enum surface_verdict {
    SURFACE_AGREES,
    SURFACE_MISS,
    SURFACE_FALSE,
    SURFACE_STATE,
    SURFACE_TIME,
    SURFACE_GAP,
    SURFACE_CONTACT,
    SURFACE_OPEN, /* the search gave up */
    SURFACE_VERDICTS
} surface_verdict;

static const char *const surface_verdict_names[SURFACE_VERDICTS] = {
    "agrees",     "misses a contact",   "false contact", "wrong state",
    "wrong time", "gap at the contact", "wrong contact", "not decided"};

/** Nearer to the limit than this the search is not asked, m. */
static inline double surface_doubt(const surface_truth *t)
{
    return 2e-7 + 1e-11 * t->size;
}

/** To float rounding: distance, triangle and points are those of that time. */
static inline bool surface_contact_is_right(const surface_truth *t, const clash_surface_contact *s)
{
    const clash_contact *c = &s->contact;
    double least = surface_distance_at(t, c->fraction, NULL), slack;
    ref_vec axis[2], p, q, from, n = ref_of(c->normal), points[2] = {ref_of(c->points[0]), ref_of(c->points[1])};
    ref_quat turn;

    ref_pose_at(t->motion, c->fraction, &turn, &from);
    slack = 4e-7 * (t->size + ref_length(from)) + 1e-8;
    turn.v = (ref_vec){-turn.v.x, -turn.v.y, -turn.v.z};
    p = ref_turn(turn, surface_from_to(from, points[0]));
    q = ref_turn(turn, surface_from_to(from, points[1]));
    surface_axis_at(t, c->fraction, axis);
    return s->triangle < t->count && fabs((double)c->distance - least) <= 1e-7 * least + surface_doubt(t) &&
           surface_triangle_distance(axis, t->corners[s->triangle]) <= least + surface_doubt(t) &&
           ref_point_segment(p, axis[0], axis[1]) <= slack &&
           surface_triangle_distance((ref_vec[2]){q, q}, t->corners[s->triangle]) <= slack &&
           fabs(ref_length(surface_from_to(p, q)) - least) <= slack && fabs(ref_length(n) - 1) <= 3e-7 &&
           fabs(ref_length(ref_of(s->surface_normal)) - 1) <= 3e-7 &&
           fabs(ref_dot(n, surface_from_to(points[0], points[1])) - least) <= 2 * slack;
}

static inline surface_verdict surface_judge(surface_truth *t, clash_sweep_result result, const clash_surface_contact *s,
                                            double *out_gap)
{
    double doubt = surface_doubt(t), limit = (double)t->blade->shape.radius, fraction = s->contact.fraction;
    surface_first may = surface_first_within(t, limit + doubt, doubt / 3, 0, 1);
    surface_first must = may.found ? surface_first_within(t, limit - doubt, doubt / 3, may.low, 1) : may;
    bool overlap = result == CLASH_SWEEP_OVERLAP;

    *out_gap = 0;
    if (t->looks > SURFACE_LOOKS_MAX)
        return SURFACE_OPEN;
    if (result == CLASH_SWEEP_APART)
        return must.found ? SURFACE_MISS : SURFACE_AGREES;
    if (!may.found)
        return result == CLASH_SWEEP_INVALID ? SURFACE_STATE : SURFACE_FALSE;
    *out_gap = overlap ? 0 : surface_distance_at(t, fraction, NULL) - limit;
    if (result == CLASH_SWEEP_INVALID || (overlap && surface_distance_at(t, 0, NULL) - limit > doubt))
        return SURFACE_STATE;
    if (fraction < may.low || (must.found && fraction > must.high) || overlap != (fraction == 0))
        return SURFACE_TIME;
    if (fabs(*out_gap) > doubt)
        return SURFACE_GAP;
    return surface_contact_is_right(t, s) ? SURFACE_AGREES : SURFACE_CONTACT;
}

#endif

/* The truth for sweeps with meshes and terrains: exhaustive search over all triangles and the whole interval, in double
 * precision with libm, sharing no code with libclash. A part of the interval skips only triangles that are further away
 * in its middle than anything moves in half of it, or that a moving plane provably separates from the axis
 * (target_truth.h). An axis without thickness touches if it crosses a triangle by more than rounding. */
#ifndef CLASHD_TESTS_SURFACE_TRUTH_H
#define CLASHD_TESTS_SURFACE_TRUTH_H

#include <stdlib.h>

#include "support/surface_pair.h"
#include "support/target_truth.h"

typedef struct surface_truth {
    const clash_body *blade;
    const clash_motion *motion; /* of the surface */
    const ref_vec (*corners)[3];
    uint32_t count;
    double speed; /* of the axis as the surface sees it, at most */
    double size;
    truth_target plane; /* bounds on the motion; its corners are those of the triangle that is looked at */
    long looks;         /* beyond SURFACE_LOOKS_MAX a search gives up */
    uint32_t *lists;    /* of triangles: working memory, `count` for each depth */
} surface_truth;

enum { SURFACE_DEPTH = 60 };
#define SURFACE_LOOKS_MAX 12000000

static inline double surface_angle(const clash_motion *m)
{
    ref_quat f = ref_unit(m->from.orientation), t = ref_unit(m->to.orientation);

    return 2 * acos(fmin(1, fabs(f.w * t.w + ref_dot(f.v, t.v)) * (1 - 1e-15))) + 1e-7;
}

/** Return the bounds of target_truth.h for a triangle: the target is a ball of no size, of which only the motion
 *  counts. */
static inline truth_target surface_plane(const clash_body *blade, const clash_motion *motion, double size)
{
    const clash_span whole = {0, 1};
    impact_target point = {{CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 0}}}, *motion};
    truth_target t = truth_target_of(blade, whole, &point, whole);

    t.target = NULL;
    t.corner_count = 3;
    t.size = size;
    return t;
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
    t.plane = surface_plane(blade, motion, t.size);
    return t;
}

/** Both at one time: poses and the axis' ends in the stage, and the ends as the surface sees them. */
typedef struct surface_moment {
    truth_moment stage;
    ref_vec axis[2];
} surface_moment;

static inline surface_moment surface_moment_at(const surface_truth *t, double time)
{
    surface_moment m;
    ref_quat blade_q, back;
    ref_vec blade_p, ends[2] = {ref_of(t->blade->shape.base), ref_of(t->blade->shape.tip)};

    ref_pose_at(t->motion, time, &m.stage.q, &m.stage.p);
    ref_pose_at(&t->blade->motion, time, &blade_q, &blade_p);
    back = (ref_quat){m.stage.q.w, {-m.stage.q.v.x, -m.stage.q.v.y, -m.stage.q.v.z}};
    for (int i = 0; i < 2; i++) {
        ref_vec end = ref_turn(blade_q, ends[i]);

        m.stage.ends[i] = ref_mad(blade_p, end, 1);
        m.axis[i] = ref_turn(back, ref_mad(surface_from_to(m.stage.p, blade_p), end, 1));
    }
    return m;
}

static inline double surface_triangle_distance(const ref_vec a[2], const ref_vec c[3])
{
    return surface_pair_of(a, c).distance;
}

/** Of all triangles. */
static inline double surface_distance_at(const surface_truth *t, double time)
{
    surface_moment m = surface_moment_at(t, time);
    double least = HUGE_VAL;

    for (uint32_t i = 0; i < t->count; i++)
        least = fmin(least, surface_triangle_distance(m.axis, t->corners[i]));
    return least;
}

/** Return whether a plane shows that the triangle stays farther away than `limit` for half a width either way. */
static inline bool surface_stays_away(surface_truth *t, const surface_moment *at, const truth_motion *d,
                                      const surface_pair *pair, const ref_vec c[3], double half, double limit)
{
    truth_moment m = at->stage;

    limit = fmax(limit, 0);
    if (!(pair->distance > limit) || t->plane.jerk * half * half * half > 6 * (pair->distance - limit))
        return false;
    for (int k = 0; k < 3; k++)
        t->plane.corners[k] = c[(pair->edge + k) % 3];
    m.core_distance = pair->distance;
    m.on_axis = ref_turn(m.q, pair->on_axis);
    m.on_core = ref_turn(m.q, pair->on_triangle);
    return truth_best_bound(&t->plane, &m, d, half, limit) > limit;
}

/** Return the triangle's distance for a limit: negative if the axis crosses it and the limit is negative. */
static inline double surface_value(const surface_pair *pair, double limit)
{
    return limit < 0 && pair->depth > 0 ? -pair->depth : pair->distance;
}

/** List those of the listed triangles (all if NULL) that may come within `limit`; *out_least: the nearest of all. */
static inline uint32_t surface_near_list(surface_truth *t, const uint32_t *list, uint32_t count, double limit,
                                         double middle, double half, uint32_t *out, double *out_least)
{
    surface_moment m = surface_moment_at(t, middle);
    truth_motion d = truth_motion_at(&t->plane, &m.stage, middle);
    uint32_t near_count = 0;

    *out_least = HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangle = list ? list[i] : i;
        surface_pair pair = surface_pair_of(m.axis, t->corners[triangle]);
        double value = surface_value(&pair, limit);

        *out_least = fmin(*out_least, value);
        if (value - t->speed * half <= limit &&
            !surface_stays_away(t, &m, &d, &pair, t->corners[triangle], half, limit))
            out[near_count++] = triangle;
    }
    t->looks += (long)count;
    return near_count;
}

typedef struct surface_first {
    bool found;
    double low, high;
} surface_first;

/** Find the first time within low..high at which one of the listed triangles is within `limit`, to within `slack`. */
static inline surface_first surface_first_of(surface_truth *t, const uint32_t *list, uint32_t count, int depth,
                                             double limit, double slack, double low, double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), least;
    uint32_t *near = &t->lists[(size_t)depth * t->count];
    uint32_t near_count = surface_near_list(t, list, count, limit, middle, half, near, &least);
    surface_first first;

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

static inline void surface_least_of(surface_truth *t, const uint32_t *list, uint32_t count, int depth, double slack,
                                    double low, double high, double *least)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), here;
    uint32_t *near = &t->lists[(size_t)depth * t->count];
    uint32_t near_count = surface_near_list(t, list, count, fmax(*least - slack, 0), middle, half, near, &here);

    *least = fmin(*least, here);
    if (near_count == 0 || *least <= 0 || t->speed * half < slack || depth == SURFACE_DEPTH - 1 ||
        t->looks > SURFACE_LOOKS_MAX / 100)
        return;
    surface_least_of(t, near, near_count, depth + 1, slack, low, middle, least);
    surface_least_of(t, near, near_count, depth + 1, slack, middle, high, least);
}

/** Return the least distance over the whole interval, to within `slack` (more if the search gives up). */
static inline double surface_least(surface_truth *t, double slack)
{
    double least = fmin(surface_distance_at(t, 0), surface_distance_at(t, 1));

    surface_least_of(t, NULL, t->count, 0, slack, 0, 1, &least);
    t->looks = 0;
    return least;
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

/** Nearer to the limit than this, m, the search is not asked. */
static inline double surface_doubt(const surface_truth *t)
{
    return 2e-7 + 1e-11 * t->size;
}

/** To float rounding: distance, triangle and points are those of that time. */
static inline bool surface_contact_is_right(const surface_truth *t, const clash_toi_output *s)
{
    const clash_contact *c = &s->contact;
    double least = surface_distance_at(t, c->fraction), slack;
    surface_moment m = surface_moment_at(t, c->fraction);
    ref_vec p, q, from, n = ref_of(c->normal), points[2] = {ref_of(c->points[0]), ref_of(c->points[1])};
    ref_quat turn = m.stage.q;

    from = m.stage.p;
    slack = 4e-7 * (t->size + ref_length(from)) + 1e-8;
    turn.v = (ref_vec){-turn.v.x, -turn.v.y, -turn.v.z};
    p = ref_turn(turn, surface_from_to(from, points[0]));
    q = ref_turn(turn, surface_from_to(from, points[1]));
    return s->triangle < t->count && fabs((double)c->distance - least) <= 1e-7 * least + surface_doubt(t) &&
           surface_triangle_distance(m.axis, t->corners[s->triangle]) <= least + surface_doubt(t) &&
           ref_point_segment(p, m.axis[0], m.axis[1]) <= slack &&
           surface_triangle_distance((ref_vec[2]){q, q}, t->corners[s->triangle]) <= slack &&
           fabs(ref_length(surface_from_to(p, q)) - least) <= slack && fabs(ref_length(n) - 1) <= 3e-7 &&
           fabs(ref_length(ref_of(s->surface_normal)) - 1) <= 3e-7 &&
           fabs(ref_dot(n, surface_from_to(points[0], points[1])) - least) <= 2 * slack;
}

static inline surface_verdict surface_judge(surface_truth *t, clash_sweep_result result, const clash_toi_output *s,
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
    *out_gap = overlap ? 0 : surface_distance_at(t, fraction) - limit;
    if (result == CLASH_SWEEP_INVALID || (overlap && surface_distance_at(t, 0) - limit > doubt))
        return SURFACE_STATE;
    if (fraction < may.low || (must.found && fraction > must.high) || overlap != (fraction == 0))
        return SURFACE_TIME;
    if (fabs(*out_gap) > doubt)
        return SURFACE_GAP;
    return surface_contact_is_right(t, s) ? SURFACE_AGREES : SURFACE_CONTACT;
}

#endif

/* One sweep of a blade with a solid target, judged by exhaustive search (target_truth.h). */
#ifndef CLASHD_TESTS_TARGET_JUDGE_H
#define CLASHD_TESTS_TARGET_JUDGE_H

#include "support/target_queries.h"

typedef enum target_verdict {
    TARGET_AGREES,
    TARGET_MISS,
    TARGET_FALSE_CONTACT,
    TARGET_STATE,
    TARGET_TIME,
    TARGET_GAP,
    TARGET_CONTACT,
    TARGET_UNDECIDED,
    TARGET_VERDICTS
} target_verdict;

static const char *const target_verdict_names[TARGET_VERDICTS] = {
    "agrees",     "misses a contact",   "false contact", "wrong state",
    "wrong time", "gap at the contact", "wrong contact", "not decided"};

/** Nearer to the limit than this, m, exhaustive search is not asked. */
static inline double target_doubt(const truth_target *t)
{
    return 1e-7 + 3e-12 * t->size;
}

/** To float rounding: points on axis and shape, at the reported distance, the normal from one to the other. */
static inline bool target_contact_is_right(const truth_target *t, const clash_toi_output *s)
{
    const clash_contact *c = &s->contact;
    truth_moment m = truth_at(t, c->fraction);
    ref_vec p = ref_of(c->points[0]), q = ref_of(c->points[1]), n = ref_of(c->normal), way = truth_from_to(p, q);
    ref_quat back = {m.q.w, {-m.q.v.x, -m.q.v.y, -m.q.v.z}};
    double size = fmax(fmax(ref_length(m.ends[0]), ref_length(m.ends[1])), ref_length(m.p)) + t->size;
    double slack = 4e-7 * size + 1e-8,
           off = truth_core_distance(t, truth_into_core(t, ref_turn(back, truth_from_to(m.p, q))));
    ref_vec there = ref_mad(m.ends[0], truth_from_to(m.ends[0], m.ends[1]), (double)c->along[0]);
    bool on_surface = m.distance > 2 * slack ? fabs(off - t->radius) <= slack : off <= t->radius + slack;

    return fabs((double)c->distance - m.distance) <= 1e-7 * m.distance + target_doubt(t) && on_surface &&
           ref_length(truth_from_to(there, p)) <= slack && fabs(ref_length(n) - 1) <= 3e-7 &&
           fabs(ref_length(way) - m.distance) <= slack && fabs(ref_dot(n, way) - m.distance) <= 2 * slack &&
           ref_length(ref_mad(n, ref_of(s->surface_normal), 1)) == 0 && s->triangle == CLASH_NO_TRIANGLE &&
           ref_length(ref_mad(ref_of(c->midpoint), ref_mad(p, q, 1), -0.5)) <= slack && c->along[1] == 0;
}

static inline target_verdict target_judge(const target_query *q, clash_sweep_result result, const clash_toi_output *s,
                                          double *out_gap)
{
    const clash_span whole = {0, 1};
    truth_target t = truth_target_of(&q->blade, whole, &q->target, whole);
    double doubt = target_doubt(&t), limit = (double)q->blade.shape.radius, start = truth_at(&t, 0).distance - limit;
    truth_first may = truth_first_within(&t, limit + doubt, doubt / 3, 0, 1);
    truth_first must = may.found ? truth_first_within(&t, limit - doubt, doubt / 3, may.low, 1) : may;
    const clash_contact *c = &s->contact;

    if (t.looks > TRUTH_LOOKS_MAX)
        return TARGET_UNDECIDED;
    *out_gap = result == CLASH_SWEEP_HIT ? truth_at(&t, c->fraction).distance - limit : 0;
    if (result == CLASH_SWEEP_APART)
        return must.found ? TARGET_MISS : TARGET_AGREES;
    if (!may.found)
        return result == CLASH_SWEEP_INVALID ? TARGET_STATE : TARGET_FALSE_CONTACT;
    if (result == CLASH_SWEEP_INVALID || (result == CLASH_SWEEP_OVERLAP && start > doubt) ||
        (result == CLASH_SWEEP_HIT && start < -doubt))
        return TARGET_STATE;
    if (c->fraction < may.low || (must.found && c->fraction > must.high) ||
        (result == CLASH_SWEEP_OVERLAP) != (c->fraction == 0))
        return TARGET_TIME;
    if (fabs(*out_gap) > doubt)
        return TARGET_GAP;
    return target_contact_is_right(&t, s) ? TARGET_AGREES : TARGET_CONTACT;
}

#endif

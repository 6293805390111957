/* Compare one answer of the sweep with exhaustive search, as sharply as sweep.h words it: touching is a distance of at
 * most the limit to within 1 nm (plus 1e-14 of the sizes); anything nearer must be found, anything further must not. */
#ifndef CLASHD_TESTS_TRUTH_H
#define CLASHD_TESTS_TRUTH_H

#include "support/exhaustive.h"

typedef enum truth_verdict {
    TRUTH_AGREES,
    TRUTH_MISS,    /* exhaustive search finds a contact, the sweep none */
    TRUTH_FALSE,   /* the sweep finds one, exhaustive search none */
    TRUTH_STATE,   /* overlap for hit or the other way round, or invalid */
    TRUTH_TIME,    /* a contact, but not the first, or before there is one */
    TRUTH_GAP,     /* at the reported time the distance is not the limit */
    TRUTH_CONTACT, /* points, normal, along or distance are not those of that time */
    TRUTH_VERDICTS
} truth_verdict;

static const char *const truth_names[TRUTH_VERDICTS] = {
    "agrees", "misses a contact", "false contact", "wrong state", "wrong time", "gap at the contact", "wrong contact"};

/** Return what sweep.h allows at most, m, and a little for the rounding of this search. */
static inline double truth_tolerance(const exhaustive_pair *p)
{
    return 1.01e-9 + 1.2e-14 * p->size;
}

static inline bool truth_near_axis(ref_vec point, ref_vec base, ref_vec tip, double at, double slack)
{
    ref_vec there = ref_mad(base, ref_mad(tip, base, -1), at);

    return ref_length(ref_mad(point, there, -1)) <= slack && at >= 0 && at <= 1;
}

/** To float rounding: of the coordinates for what stands in stage space, of the distance for itself. */
static inline bool truth_contact_is_right(const clash_body *a, clash_span span_a, const clash_body *b,
                                          clash_span span_b, const clash_contact *c)
{
    double at_a = span_a.from + c->fraction * (span_a.to - span_a.from);
    double at_b = span_b.from + c->fraction * (span_b.to - span_b.from), distance, size, slack;
    ref_vec e[4], p = ref_of(c->points[0]), q = ref_of(c->points[1]), n = ref_of(c->normal), m = ref_mad(p, q, 1);

    ref_axis_at(a, at_a, &e[0], &e[1]);
    ref_axis_at(b, at_b, &e[2], &e[3]);
    distance = ref_length(exhaustive_gap(e));
    size = fmax(fmax(ref_length(e[0]), ref_length(e[1])), fmax(ref_length(e[2]), ref_length(e[3])));
    slack = 4e-7 * size + 1e-9;
    return truth_near_axis(p, e[0], e[1], (double)c->along[0], slack) &&
           truth_near_axis(q, e[2], e[3], (double)c->along[1], slack) &&
           fabs((double)c->distance - distance) <= 1e-7 * distance + 2e-9 + 2e-14 * size &&
           ref_length(ref_mad(ref_of(c->midpoint), m, -0.5)) <= slack && fabs(ref_length(n) - 1) <= 3e-7 &&
           fabs(ref_dot(n, ref_mad(q, p, -1)) - distance) <= 2 * slack;
}

/** `c` is what the sweep wrote, if it did. *out_gap is the distance left at a hit, minus the limit. */
static inline truth_verdict truth_judge(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b,
                                        double limit, clash_sweep_result result, const clash_contact *c,
                                        double *out_gap)
{
    exhaustive_pair p = exhaustive_pair_of(a, span_a, b, span_b);
    double tolerance = truth_tolerance(&p), slack = 2e-10 + 2e-15 * p.size, start = exhaustive_distance(&p, 0) - limit;
    exhaustive_first may = exhaustive_first_within(&p, limit + tolerance, slack, 0, 1);
    exhaustive_first must = may.found ? exhaustive_first_within(&p, limit, slack, may.low, 1) : may;

    *out_gap = result == CLASH_SWEEP_HIT ? exhaustive_distance(&p, c->fraction) - limit : 0;
    if (result == CLASH_SWEEP_APART)
        return must.found ? TRUTH_MISS : TRUTH_AGREES;
    if (!may.found)
        return result == CLASH_SWEEP_INVALID ? TRUTH_STATE : TRUTH_FALSE;
    if (result == CLASH_SWEEP_INVALID || (result == CLASH_SWEEP_OVERLAP && start > tolerance) ||
        (result == CLASH_SWEEP_HIT && start < -slack))
        return TRUTH_STATE;
    if (c->fraction < may.low || (must.found && c->fraction > must.high) ||
        (result == CLASH_SWEEP_OVERLAP) != (c->fraction == 0))
        return TRUTH_TIME;
    if (*out_gap > tolerance || *out_gap < -tolerance)
        return TRUTH_GAP;
    return truth_contact_is_right(a, span_a, b, span_b, c) ? TRUTH_AGREES : TRUTH_CONTACT;
}

#endif

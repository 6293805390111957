/* Sweeps of blades with solid targets: every shape, the seven plain kinds of queries and the hard ones in equal parts, each
 * against exhaustive search. ctest runs a short form; CLASHD_MILLION=1 at least 100,000 queries for each shape. Prints for
 * each shape and kind how many contacts there were, what was wrong, and the largest gap left at a contact. A mistake prints
 * seed, shape, kind and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/target_queries.h"

typedef enum verdict { AGREES, MISS, FALSE_CONTACT, STATE, TIME, GAP, CONTACT, UNDECIDED, VERDICTS } verdict;

static const char *const verdict_names[VERDICTS] = {"agrees",     "misses a contact",   "false contact", "wrong state",
                                                    "wrong time", "gap at the contact", "wrong contact", "not decided"};

typedef struct tally {
    long queries, hits, overlaps, verdicts[VERDICTS];
    double worst_gap;
} tally;

static const clash_span whole = {0, 1};

/** Nearer to the limit than this exhaustive search is not asked, m. */
static double doubt_of(const truth_target *t)
{
    return 1e-7 + 3e-12 * t->size;
}

/** To float rounding: points on axis and shape, at the distance that is said, the normal from one to the other. */
static bool contact_is_right(const truth_target *t, const clash_surface_contact *s)
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

    return fabs((double)c->distance - m.distance) <= 1e-7 * m.distance + doubt_of(t) && on_surface &&
           ref_length(truth_from_to(there, p)) <= slack && fabs(ref_length(n) - 1) <= 3e-7 &&
           fabs(ref_length(way) - m.distance) <= slack && fabs(ref_dot(n, way) - m.distance) <= 2 * slack &&
           ref_length(ref_mad(n, ref_of(s->surface_normal), 1)) == 0 && s->triangle == CLASH_NO_TRIANGLE &&
           ref_length(ref_mad(ref_of(c->midpoint), ref_mad(p, q, 1), -0.5)) <= slack && c->along[1] == 0;
}

static verdict judge(const target_query *q, clash_sweep_result result, const clash_surface_contact *s, double *out_gap)
{
    truth_target t = truth_target_of(&q->blade, whole, &q->target, whole);
    double doubt = doubt_of(&t), limit = (double)q->blade.shape.radius, start = truth_at(&t, 0).distance - limit;
    truth_first may = truth_first_within(&t, limit + doubt, doubt / 3, 0, 1);
    truth_first must = may.found ? truth_first_within(&t, limit - doubt, doubt / 3, may.low, 1) : may;
    const clash_contact *c = &s->contact;

    if (t.looks > TRUTH_LOOKS_MAX)
        return UNDECIDED;
    *out_gap = result == CLASH_SWEEP_HIT ? truth_at(&t, c->fraction).distance - limit : 0;
    if (result == CLASH_SWEEP_APART)
        return must.found ? MISS : AGREES;
    if (!may.found)
        return result == CLASH_SWEEP_INVALID ? STATE : FALSE_CONTACT;
    if (result == CLASH_SWEEP_INVALID || (result == CLASH_SWEEP_OVERLAP && start > doubt) ||
        (result == CLASH_SWEEP_HIT && start < -doubt))
        return STATE;
    if (c->fraction < may.low || (must.found && c->fraction > must.high) ||
        (result == CLASH_SWEEP_OVERLAP) != (c->fraction == 0))
        return TIME;
    if (fabs(*out_gap) > doubt)
        return GAP;
    return contact_is_right(&t, s) ? AGREES : CONTACT;
}

static void look(uint64_t seed, int kind, int shape, long i, tally *t)
{
    target_query q = target_query_of(seed, kind, shape, i);
    clash_surface_contact s = {0};
    clash_sweep_result result = clash_sweep_target(&q.blade, whole, &q.target, whole, 0, &s);
    double gap = 0;
    verdict v = judge(&q, result, &s, &gap);

    t->queries++;
    t->hits += result == CLASH_SWEEP_HIT;
    t->overlaps += result == CLASH_SWEEP_OVERLAP;
    t->verdicts[v]++;
    t->worst_gap = fmax(t->worst_gap, fabs(gap));
    if (v != AGREES && v != UNDECIDED && t->verdicts[v] <= 3)
        print_error("seed %llu, %s, %s, case %ld: %s (%d at %.12g, gap %g)\n", (unsigned long long)seed,
                    target_shape_names[shape], target_query_name(kind), i, verdict_names[v], (int)result,
                    s.contact.fraction, gap);
}

static void print_tally(const char *shape, const char *name, const tally *t)
{
    const long *v = t->verdicts;

    printf("%-8s %-16s %9ld %9ld %9ld %6ld %6ld %6ld %6ld %6ld %6ld %6ld %11.3g\n", shape, name, t->queries, t->hits,
           t->overlaps, v[MISS], v[FALSE_CONTACT], v[STATE], v[TIME], v[GAP], v[CONTACT], v[UNDECIDED], t->worst_gap);
    fflush(stdout);
}

static void add(tally *sum, const tally *t)
{
    sum->queries += t->queries;
    sum->hits += t->hits;
    sum->overlaps += t->overlaps;
    for (int i = 0; i < VERDICTS; i++)
        sum->verdicts[i] += t->verdicts[i];
    sum->worst_gap = fmax(sum->worst_gap, t->worst_gap);
}

static void no_miss_and_no_false_contact(void **state)
{
    const char *million = getenv("CLASHD_MILLION");
    bool all = million && strtol(million, NULL, 10) == 1;
    long each = all ? 100000 / TARGET_QUERY_KINDS + 1 : random_cases(40), wrong = 0;
    uint64_t seed = random_seed(1000033);

    (void)state;
    printf("%-8s %-16s %9s %9s %9s %6s %6s %6s %6s %6s %6s %6s %11s\n", "shape", "kind", "queries", "hits", "overlaps",
           "missed", "false", "state", "time", "gap", "points", "open", "worst gap m");
    for (int shape = 0; shape < TARGET_SHAPES; shape++) {
        tally sum = {0};

        for (int kind = 0; kind < TARGET_QUERY_KINDS; kind++) {
            tally t = {0};

            for (long i = 0; i < each; i++)
                look(seed, kind, shape, i, &t);
            print_tally(target_shape_names[shape], target_query_name(kind), &t);
            add(&sum, &t);
        }
        print_tally(target_shape_names[shape], "all", &sum);
        assert_true(sum.hits > 0 && sum.overlaps > 0);
        wrong += sum.queries - sum.verdicts[AGREES] - sum.verdicts[UNDECIDED];
        assert_true(200 * sum.verdicts[UNDECIDED] <= sum.queries);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_miss_and_no_false_contact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

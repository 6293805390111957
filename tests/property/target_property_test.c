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

#include "support/target_judge.h"

typedef struct tally {
    long queries, hits, overlaps, verdicts[TARGET_VERDICTS];
    double worst_gap;
} tally;

static const clash_span whole = {0, 1};

static void look(uint64_t seed, int kind, int shape, long i, tally *t)
{
    target_query q = target_query_of(seed, kind, shape, i);
    clash_toi_output s = {0};
    clash_sweep_result result = impact_sweep_target(&q.blade, whole, &q.target, whole, 0, &s);
    double gap = 0;
    target_verdict v = target_judge(&q, result, &s, &gap);

    t->queries++;
    t->hits += result == CLASH_SWEEP_HIT;
    t->overlaps += result == CLASH_SWEEP_OVERLAP;
    t->verdicts[v]++;
    t->worst_gap = fmax(t->worst_gap, fabs(gap));
    if (v != TARGET_AGREES && v != TARGET_UNDECIDED && t->verdicts[v] <= 3)
        print_error("seed %llu, %s, %s, case %ld: %s (%d at %.12g, gap %g)\n", (unsigned long long)seed,
                    target_shape_names[shape], target_query_name(kind), i, target_verdict_names[v], (int)result,
                    s.contact.fraction, gap);
}

static void print_tally(const char *shape, const char *name, const tally *t)
{
    const long *v = t->verdicts;

    printf("%-8s %-16s %9ld %9ld %9ld %6ld %6ld %6ld %6ld %6ld %6ld %6ld %11.3g\n", shape, name, t->queries, t->hits,
           t->overlaps, v[TARGET_MISS], v[TARGET_FALSE_CONTACT], v[TARGET_STATE], v[TARGET_TIME], v[TARGET_GAP],
           v[TARGET_CONTACT], v[TARGET_UNDECIDED], t->worst_gap);
    fflush(stdout);
}

static void add(tally *sum, const tally *t)
{
    sum->queries += t->queries;
    sum->hits += t->hits;
    sum->overlaps += t->overlaps;
    for (int i = 0; i < TARGET_VERDICTS; i++)
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
        assert_true(sum.hits > random_enough(0) && sum.overlaps > random_enough(0));
        wrong += sum.queries - sum.verdicts[TARGET_AGREES] - sum.verdicts[TARGET_UNDECIDED];
        assert_true(200 * sum.verdicts[TARGET_UNDECIDED] <= sum.queries);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_miss_and_no_false_contact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

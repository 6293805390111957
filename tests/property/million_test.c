/* A million swept queries, the seven plain kinds and the hard ones in equal parts, each against exhaustive search with a
 * tolerance of nanometres. ctest runs a short form of it; CLASHD_MILLION=1 the whole. Prints for each kind how many
 * contacts there were, what was wrong, and the largest gap left at a contact. A mistake prints seed, kind and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/queries_hard.h"
#include "support/truth.h"

enum { KINDS = QUERY_KINDS + HARD_KINDS };

typedef struct tally {
    long queries, contacts, overlaps, verdicts[TRUTH_VERDICTS];
    double worst_gap;
} tally;

static const clash_span whole = {0, 1};

static bool touches(const query *q)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);

    return exhaustive_first_within(&p, (double)q->a.shape.radius + (double)q->b.shape.radius, 1e-6, 0, 1).found;
}

static query plain_query(random_state *r, int kind)
{
    query q = query_make(r, kind);

    while (kind == QUERY_HITS && !touches(&q))
        q = query_make(r, kind);
    if (kind == QUERY_GRAZING) {
        exhaustive_pair p = exhaustive_whole(&q.a, &q.b);
        double gap = random_in(r, 3e-5, 1e-3), least = exhaustive_distance(&p, 0.5);

        exhaustive_least(&p, 1e-7, 0, 1, &least);
        query_graze(&q, least, random_below(r, 2) ? gap : -gap);
    }
    return q;
}

/** Half of the hard ones with their radii within 1 mm down to 2 nm of the least distance. */
static query hard_query(random_state *r, int kind)
{
    query q = hard_make(r, (hard_kind)kind);

    if (random_below(r, 2) && kind != HARD_DYADIC && kind != HARD_LINES)
        hard_tighten(&q, hard_either_way(r, -9, -3, 1e-9));
    return q;
}

/** The query's own seed, so that each can be had alone. */
static query any_query(uint64_t seed, int kind, long i)
{
    random_state r = {seed + ((uint64_t)kind << 40) + ((uint64_t)i << 8)};

    random_bits(&r);
    return kind < QUERY_KINDS ? plain_query(&r, kind) : hard_query(&r, kind - QUERY_KINDS);
}

static const char *name_of(int kind)
{
    return kind < QUERY_KINDS ? query_names[kind] : hard_names[kind - QUERY_KINDS];
}

static void look(uint64_t seed, int kind, long i, tally *t)
{
    query q = any_query(seed, kind, i);
    clash_contact c = {0};
    clash_sweep_result result = clash_sweep(&q.a, &q.b, &c);
    double gap, limit = (double)q.a.shape.radius + (double)q.b.shape.radius;
    truth_verdict verdict = truth_judge(&q.a, whole, &q.b, whole, limit, result, &c, &gap);

    t->queries++;
    t->contacts += result == CLASH_SWEEP_HIT;
    t->overlaps += result == CLASH_SWEEP_OVERLAP;
    t->verdicts[verdict]++;
    t->worst_gap = fmax(t->worst_gap, fabs(gap));
    if (verdict != TRUTH_AGREES && t->verdicts[verdict] <= 3)
        print_error("seed %llu, %s, case %ld: %s (%d at %.12g, gap %g)\n", (unsigned long long)seed, name_of(kind), i,
                    truth_names[verdict], (int)result, c.fraction, gap);
}

static long mistakes_of(const tally *t)
{
    return t->queries - t->verdicts[TRUTH_AGREES];
}

static void print_tally(const char *name, const tally *t)
{
    const long *v = t->verdicts;

    printf("%-16s %9ld %9ld %9ld %6ld %6ld %6ld %6ld %6ld %6ld %11.3g\n", name, t->queries, t->contacts, t->overlaps,
           v[TRUTH_MISS], v[TRUTH_FALSE], v[TRUTH_STATE], v[TRUTH_TIME], v[TRUTH_GAP], v[TRUTH_CONTACT], t->worst_gap);
    fflush(stdout);
}

static void add(tally *sum, const tally *t)
{
    sum->queries += t->queries;
    sum->contacts += t->contacts;
    sum->overlaps += t->overlaps;
    for (int i = 0; i < TRUTH_VERDICTS; i++)
        sum->verdicts[i] += t->verdicts[i];
    sum->worst_gap = fmax(sum->worst_gap, t->worst_gap);
}

static void no_miss_and_no_false_contact(void **state)
{
    const char *million = getenv("CLASHD_MILLION");
    bool all = million && strtol(million, NULL, 10) == 1;
    long each = all ? (1000000 + KINDS - 1) / KINDS : random_cases(400);
    uint64_t seed = random_seed(1000003);
    tally sum = {0};

    (void)state;
    printf("%-16s %9s %9s %9s %6s %6s %6s %6s %6s %6s %11s\n", "kind", "queries", "hits", "overlaps", "missed", "false",
           "state", "time", "gap", "points", "worst gap m");
    for (int kind = 0; kind < KINDS; kind++) {
        tally t = {0};

        for (long i = 0; i < each; i++)
            look(seed, kind, i, &t);
        print_tally(name_of(kind), &t);
        assert_true(t.contacts + t.overlaps > random_enough(0));
        add(&sum, &t);
    }
    print_tally("all", &sum);
    assert_int_equal(mistakes_of(&sum), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_miss_and_no_false_contact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

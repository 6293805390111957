/* The bound on distance evaluations, counted: the core is compiled in here once more, with each evaluation going through a
 * counter, and gives the same bits as libclash's own. The hardest generators, then a climb from the hardest that they gave
 * to harder ones: no search takes more than CLASH_SWEEP_STEPS_MAX. A failure prints seed and case; CLASHD_SEED runs it
 * again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/pair.h"

static long taken;

#define pair_at(p, x, out_state) (taken++, (pair_at)(p, x, out_state))
#define CORE_NAME core_counted
// NOLINTBEGIN(bugprone-suspicious-include): that is what this test is
#include "geometry/core.c"
#include "geometry/core_batch.c"
#include "geometry/core_parts.c"
#include "geometry/core_surface.c"
#include "geometry/core_target.c"
// NOLINTEND(bugprone-suspicious-include)
#undef pair_at

#include "support/any_query.h"
#include "support/bits.h"

static uint64_t seed;

/** How long the searches of one query were. */
typedef struct effort {
    long sweep, within, beyond;
} effort;

static long most_of(effort e)
{
    return e.sweep > e.within ? (e.sweep > e.beyond ? e.sweep : e.beyond) : e.within > e.beyond ? e.within : e.beyond;
}

static long count_sweep(const query *q)
{
    clash_contact counted, own;
    clash_sweep_result result, expected = clash_sweep(&q->a, &q->b, &own);

    taken = 0;
    result = core_counted.sweep(&q->a, &q->b, any_limit(q), &counted);
    if (result != expected ||
        ((result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP) && !bits_contact_same(&counted, &own)))
        return -1;
    return taken;
}

/** Of the sweep as it is called, and of the two searches of the tracker without a look before them. */
static effort efforts_of(const query *q)
{
    effort e = {.sweep = count_sweep(q)};
    pair_toi search;
    pair p;

    pair_prepare(&p, &q->a, whole, &q->b, whole);
    taken = 0;
    pair_first_within(&p, any_limit(q), 0.0, 1.0, &search);
    e.within = taken;
    taken = 0;
    pair_first_beyond(&p, any_limit(q), 0.0, 1.0, &search);
    e.beyond = taken;
    return e;
}

static void check(effort e, long i)
{
    if (e.sweep < 0)
        fail_msg("seed %llu case %ld: the counted core gives other bits", (unsigned long long)seed, i);
    if (most_of(e) > CLASH_SWEEP_STEPS_MAX)
        fail_msg("seed %llu case %ld: %ld, %ld and %ld evaluations", (unsigned long long)seed, i, e.sweep, e.within,
                 e.beyond);
}

/** The limit is put to within what the search can tell of the least distance, or of the greatest, or of one in between. */
static query hardest(random_state *r)
{
    query q =
        any_query(r, random_below(r, 4) ? QUERY_KINDS + random_below(r, HARD_KINDS) : random_below(r, QUERY_KINDS));
    double depth = hard_either_way(r, -12, -8, 0);

    if (random_below(r, 3))
        hard_tighten(&q, depth);
    else
        query_graze(&q, ref_distance_at(&q.a, &q.b, random_below(r, 3) / 2.0), depth);
    return q;
}

static void spread(long *histogram, long count)
{
    int decade = 0;

    for (; count >= 4 && decade < 7; count /= 4)
        decade++;
    histogram[decade]++;
}

static query hardest_found;

static void the_hardest_queries(void **state)
{
    random_state r = {seed};
    long most = 0, histogram[8] = {0};

    (void)state;
    for (long i = 0; i < random_cases(1500); i++) {
        query q = hardest(&r);
        effort e = efforts_of(&q);

        check(e, i);
        spread(histogram, e.within);
        if (most_of(e) <= most)
            continue;
        most = most_of(e);
        hardest_found = q;
    }
    print_message("at most %ld evaluations; of below 4, 16, 64 .. there were", most);
    for (int i = 0; i < 8; i++)
        print_message(" %ld", histogram[i]);
    print_message("\n");
    assert_true(most > PLAIN_STEPS);
}

/** One number a little other, or the limit. */
static query changed(random_state *r, query q)
{
    clash_body *body = random_below(r, 2) ? &q.a : &q.b;
    float *numbers = (float *)body, by = (float)hard_either_way(r, -9, -1, 0);
    int which = random_below(r, (int)(sizeof *body / sizeof(float)));

    numbers[which] += by * (random_below(r, 2) ? numbers[which] : 1.0f);
    body->shape.radius = fabsf(body->shape.radius);
    if (random_below(r, 2))
        hard_tighten(&q, hard_either_way(r, -12, -8, 0));
    return q;
}

static bool is_valid(const query *q)
{
    return clash_sweep(&q->a, &q->b, NULL) != CLASH_SWEEP_INVALID;
}

static void and_harder_ones(void **state)
{
    random_state r = {seed + 1};
    query best = hardest_found;
    long most = most_of(efforts_of(&best));

    (void)state;
    for (long i = 0; i < random_cases(1000); i++) {
        query q = changed(&r, best);
        effort e;

        if (!is_valid(&q))
            continue;
        e = efforts_of(&q);
        check(e, i);
        if (most_of(e) >= most) {
            most = most_of(e);
            best = q;
        }
    }
    print_message("at most %ld evaluations\n", most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hardest_queries),
        cmocka_unit_test(and_harder_ones),
    };

    seed = random_seed(16384);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The same motion told otherwise must give the same contact: orientations of any length and sign, the motion cut at any
 * point or into many, another duration. On plain and hard queries; a failure prints seed, kind and case, and CLASHD_SEED
 * runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/contact.h>

#include "support/queries_hard.h"
#include "support/truth.h"

enum { KINDS = QUERY_KINDS + HARD_KINDS };

static uint64_t seed;
static const clash_span whole = {0, 1};

#define FAIL(kind, i, ...)                                                                    \
    do {                                                                                      \
        print_error("seed %llu, %s, case %ld: ", (unsigned long long)seed, name_of(kind), i); \
        fail_msg(__VA_ARGS__);                                                                \
    } while (0)

static const char *name_of(int kind)
{
    return kind < QUERY_KINDS ? query_names[kind] : hard_names[kind - QUERY_KINDS];
}

static query any_query(random_state *r, int kind)
{
    return kind < QUERY_KINDS ? query_make(r, kind) : hard_make(r, (hard_kind)(kind - QUERY_KINDS));
}

static double limit_of(const query *q)
{
    return (double)q->a.shape.radius + (double)q->b.shape.radius;
}

static clash_quat stretched(random_state *r, clash_quat q)
{
    float by = (float)hard_sign(r), half = random_below(r, 2) ? 2.0f : 0.5f;

    for (int i = random_below(r, 50); i > 0; i--)
        by *= half;
    return (clash_quat){q.x * by, q.y * by, q.z * by, q.w * by};
}

/* Powers of two change no digit, so it is the same motion to the last bit of its numbers. */
static void orientations_of_any_length(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        random_state r = {seed + (uint64_t)kind};

        for (long i = 0; i < random_cases(100); i++) {
            query q = any_query(&r, kind);
            clash_body *const bodies[2] = {&q.a, &q.b};
            clash_sweep_result result;
            truth_verdict verdict;
            clash_contact c;
            double gap;

            for (int k = 0; k < 2; k++) {
                clash_motion *m = &bodies[k]->motion;

                m->from.orientation = stretched(&r, m->from.orientation);
                m->to.orientation = stretched(&r, m->to.orientation);
            }
            result = clash_sweep(&q.a, &q.b, &c);
            verdict = truth_judge(&q.a, whole, &q.b, whole, limit_of(&q), result, &c, &gap);
            if (verdict != TRUTH_AGREES)
                FAIL(kind, i, "%s (%d, gap %g)", truth_names[verdict], (int)result, gap);
        }
    }
}

/* Giants whose distance no double says to within 0.01 mm: the least distance is found all the same, in time. */
static void the_least_distance_of_giants(void **state)
{
    const clash_pose at = {{0, 0, 0, 1}, {0, 0, 0}}, beside = {{0, 0, 0, 1}, {3e12f, 0, 0}};
    const clash_body a = {{{0, 0, 0}, {0, 0, 0}, 2e12f}, {at, at}}, b = {a.shape, {beside, beside}};
    const clash_parts pa = {&a.shape, 1, a.motion}, pb = {&b.shape, 1, b.motion};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state track = {0}, of_parts = {0};

    (void)state;
    assert_int_equal(clash_contact_advance(&track, (clash_contact_settings){0, 0}, &a, whole, &b, whole, changes), 1);
    assert_true(track.touching && track.min_distance == 3e12f);
    assert_int_equal(clash_parts_advance(&of_parts, (clash_contact_settings){0, 0}, &pa, whole, &pb, whole, changes),
                     1);
    assert_true(of_parts.touching && of_parts.min_distance == 3e12f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_of_any_length),
        cmocka_unit_test(the_least_distance_of_giants),
    };

    seed = random_seed(1618033);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sweeps whose every number is at its bound (CLASH_COORDINATE_MAX): blades as long and as thick as the world, that cross it
 * within one interval, corner to corner, turning by up to half a turn; and small ones at its very edge. Each against exhaustive
 * search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/queries.h"
#include "support/truth.h"

static const clash_span whole = {0, 1};
static const float bound = CLASH_COORDINATE_MAX;

/** Each coordinate at a bound or at 0. */
static clash_vec3 corner(random_state *r)
{
    float n[3];

    for (int i = 0; i < 3; i++)
        n[i] = (float)((int)random_below(r, 3) - 1) * bound;
    return (clash_vec3){n[0], n[1], n[2]};
}

static clash_vec3 anywhere(random_state *r)
{
    return random_below(r, 2) ? corner(r) : random_box(r, (double)bound);
}

static clash_body huge(random_state *r)
{
    static const float radii[] = {0, 0.01f, 1, CLASH_COORDINATE_MAX};

    return (clash_body){{anywhere(r), anywhere(r), radii[random_below(r, 4)]},
                        {{random_turn(r, 3.1), anywhere(r)}, {random_turn(r, 3.1), anywhere(r)}}};
}

static float clamped(float n)
{
    return fminf(fmaxf(n, -bound), bound);
}

/** A sword whose device is at the edge before or after. */
static clash_body at_the_edge(random_state *r, clash_vec3 where)
{
    clash_vec3 near = query_add(where, random_box(r, 1));
    clash_body b = {{{0, 0, 0}, {0, 0, -1}, 0.02f}, {{random_turn(r, 3.1), near}, {random_turn(r, 3.1), where}}};

    b.motion.from.position = (clash_vec3){clamped(near.x), clamped(near.y), clamped(near.z)};
    return b;
}

static void judge(const query *q, long i, long verdicts[TRUTH_VERDICTS], long *touching)
{
    clash_contact c = {0};
    clash_sweep_result result = clash_sweep(&q->a, &q->b, &c), turned = clash_sweep(&q->b, &q->a, NULL);
    double gap, limit = (double)q->a.shape.radius + (double)q->b.shape.radius;
    truth_verdict verdict = truth_judge(&q->a, whole, &q->b, whole, limit, result, &c, &gap);

    assert_int_equal(result, turned);
    verdicts[verdict]++;
    *touching += result == CLASH_SWEEP_HIT;
    if (verdict != TRUTH_AGREES)
        print_error("case %ld: %s (%d at %.12g, gap %g)\n", i, truth_names[verdict], (int)result, c.fraction, gap);
}

static void nothing_is_missed_or_invented_at_the_bound(void **state)
{
    random_state r = {random_seed(10007)};
    long verdicts[TRUTH_VERDICTS] = {0}, touching = 0, cases = random_cases(3000);

    (void)state;
    for (long i = 0; i < cases; i++) {
        clash_vec3 edge = corner(&r);
        query q = i % 2 ? (query){huge(&r), huge(&r)} : (query){at_the_edge(&r, edge), at_the_edge(&r, edge)};

        judge(&q, i, verdicts, &touching);
    }
    assert_int_equal(verdicts[TRUTH_AGREES], cases);
    assert_true(touching > cases / 10);
}

static void within_is_within(void **state)
{
    const float beyond = nextafterf(bound, INFINITY);

    (void)state;
    assert_true(clash_vec3_is_within((clash_vec3){bound, -bound, bound}, bound));
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float n[3] = {0, 0, 0};

            n[axis] = (float)sign * beyond;
            assert_false(clash_vec3_is_within((clash_vec3){n[0], n[1], n[2]}, bound));
            n[axis] = NAN;
            assert_false(clash_vec3_is_within((clash_vec3){n[0], n[1], n[2]}, bound));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missed_or_invented_at_the_bound),
                                       cmocka_unit_test(within_is_within)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The bounds that every step rests on, held against what they bound: no end of a blade accelerates by more than `bend` and
 * none of its accelerations changes faster than `jerk`, as the other blade and as a target sees it. A step that is a little
 * too long is hardly ever a wrong answer, so that only this test would notice a bound that does not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/separating_plane.h"
#include "geometry/target_motion.h"

#include "support/any_query.h"

enum { PLACES = 9 };

static const clash_span whole_span = {0, 1};
static uint64_t seed;

/* Any part of either motion; now and then all of it. */
static clash_span any_span(random_state *r)
{
    clash_span span = whole_span;

    if (random_below(r, 2)) {
        span.from = random_in(r, 0, 0.5);
        span.to = random_in(r, 0.5, 1);
    }
    return span;
}

/** The longest of the ends' (not the axis') second derivatives. */
static double longest(const f64x4_vec *bends)
{
    double most = 0;

    for (int i = 0; i < 4; i++)
        most = fmax(most, dvec_length(f64x4_vec_get(bends, i)));
    return most;
}

/** How much the second derivatives differ, by the time between them: no more than the third can be. */
static double change(const f64x4_vec *before, const f64x4_vec *after, double time)
{
    f64x4_vec difference = f64x4_vec_sub(*after, *before);

    return longest(&difference) / time;
}

static void as_the_other_blade_sees_it(void **state)
{
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++) {
        query q = any_query(&r, (int)(i % ANY_KINDS));
        clash_span of_a = any_span(&r), of_b = any_span(&r);
        pair_state s, before;
        pair p;

        pair_prepare(&p, &q.a, of_a, &q.b, of_b);
        for (int k = 0; k < PLACES; k++) {
            f64x4_vec gaps;

            pair_at(&p, k / (PLACES - 1.0), &s);
            gaps = end_gaps(&s.bends);
            if (longest(&gaps) > p.bend * (1 + 1e-9) + 1e-9)
                fail_msg("seed %llu case %ld: accelerates by %g, at most %g", (unsigned long long)seed, i,
                         longest(&gaps), p.bend);
            if (k > 0) {
                f64x4_vec earlier = end_gaps(&before.bends);

                if (change(&earlier, &gaps, 1 / (PLACES - 1.0)) > p.jerk * (1 + 1e-9) + 1e-6)
                    fail_msg("seed %llu case %ld: jerks by more than %g", (unsigned long long)seed, i, p.jerk);
            }
            before = s;
        }
    }
}

static void as_a_target_sees_it(void **state)
{
    random_state r = {seed + 1};

    (void)state;
    for (long i = 0; i < random_cases(4000); i++) {
        query q = any_query(&r, (int)(i % ANY_KINDS));
        clash_span of_a = any_span(&r), of_b = any_span(&r);
        target_frame frame = {dvec_from(random_box(&r, 0.3)), {{0, 0, 0}, 1}};
        target_state s, before;
        target_motion m;

        target_prepare(&m, &q.a, of_a, &q.b.motion, of_b, frame, 0.3);
        for (int k = 0; k < PLACES; k++) {
            target_at(&m, k / (PLACES - 1.0), &s);
            if (longest(&s.bends) > m.bend * (1 + 1e-9) + 1e-9)
                fail_msg("seed %llu case %ld: accelerates by %g, at most %g", (unsigned long long)seed, i,
                         longest(&s.bends), m.bend);
            if (k > 0 && change(&before.bends, &s.bends, 1 / (PLACES - 1.0)) > m.jerk * (1 + 1e-9) + 1e-6)
                fail_msg("seed %llu case %ld: jerks by more than %g", (unsigned long long)seed, i, m.jerk);
            before = s;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_other_blade_sees_it),
        cmocka_unit_test(as_a_target_sees_it),
    };

    seed = random_seed(314);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

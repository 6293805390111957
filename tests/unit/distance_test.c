/* Segment distance: cases known by hand, degenerate ones, and random ones against trying every feature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/near.h"
#include "support/random.h"
#include "support/reference.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static void check(clash_vec3 p0, clash_vec3 p1, clash_vec3 q0, clash_vec3 q1, double expected)
{
    clash_contact c;
    float d = clash_segment_distance(p0, p1, q0, q1, &c);
    double between = ref_length(ref_mad(ref_of(c.points[1]), ref_of(c.points[0]), -1));

    assert_near(d, expected, 1e-6);
    assert_near(c.distance, d, 0);
    assert_near(between, expected, 1e-6);
    assert_near(ref_length(ref_of(c.normal)), 1.0, 1e-6);
    assert_near(ref_point_segment(ref_of(c.midpoint), ref_of(p0), ref_of(p1)), expected / 2, 1e-6);
    assert_near(ref_point_segment(ref_of(c.midpoint), ref_of(q0), ref_of(q1)), expected / 2, 1e-6);
    assert_true(c.along[0] >= 0 && c.along[0] <= 1 && c.along[1] >= 0 && c.along[1] <= 1);
    assert_near(clash_segment_distance(q0, q1, p0, p1, NULL), d, 1e-7);
}

static void known_cases(void **state)
{
    (void)state;
    check(V(-1, 0, 0), V(1, 0, 0), V(0, -1, 0.5), V(0, 1, 0.5), 0.5);  /* crossing */
    check(V(-1, 0, 0), V(1, 0, 0), V(0, -1, 0), V(0, 1, 0), 0.0);      /* meeting */
    check(V(0, 0, 0), V(1, 0, 0), V(2, 0, 0), V(3, 0, 0), 1.0);        /* collinear, apart */
    check(V(0, 0, 0), V(1, 0, 0), V(0.5, 0, 0), V(3, 0, 0), 0.0);      /* collinear, overlapping */
    check(V(0, 0, 0), V(1, 0, 0), V(0.25, 0.3, 0), V(2, 0.3, 0), 0.3); /* parallel, overlapping */
    check(V(0, 0, 0), V(1, 0, 0), V(4, 4, 0), V(9, 4, 0), 5.0);        /* parallel, apart */
    check(V(0, 0, 0), V(1, 0, 0), V(0.25, 0.3, 0), V(-2, 0.3, 0), 0.3);
    check(V(0, 0, 0), V(0, 0, 0), V(3, 4, 0), V(3, 4, 0), 5.0); /* two points */
    check(V(1, 1, 1), V(1, 1, 1), V(1, 1, 1), V(1, 1, 1), 0.0); /* one point */
    check(V(0.5, 2, 0), V(0.5, 2, 0), V(0, 0, 0), V(1, 0, 0), 2.0);
    check(V(0, 0, 0), V(1, 0, 0), V(0.5, 2, 0), V(0.5, 2, 0), 2.0);
}

static void normal_points_from_first_to_second(void **state)
{
    clash_contact c;

    (void)state;
    clash_segment_distance(V(-1, 0, 0), V(1, 0, 0), V(0, -1, 0.5), V(0, 1, 0.5), &c);
    assert_near(c.normal.z, 1.0, 1e-6);
    assert_near(c.along[0], 0.5, 1e-6);
    clash_segment_distance(V(0, -1, 0.5), V(0, 1, 0.5), V(-1, 0, 0), V(1, 0, 0), &c);
    assert_near(c.normal.z, -1.0, 1e-6);
    clash_segment_distance(V(-1, 0, 0), V(1, 0, 0), V(0, -1, 0), V(0, 1, 0), &c);
    assert_near(c.normal.z, 1.0, 1e-6); /* they meet: across both */
}

/** Of two axes that lie in each other, the longer one `axis` long. */
static void check_parallel_normal(clash_vec3 axis, clash_vec3 expected)
{
    const clash_vec3 zero = {0}, shorter = {axis.x / 2, axis.y / 2, axis.z / 2};
    clash_contact c;

    clash_segment_distance(zero, axis, zero, shorter, &c);
    assert_near(ref_length(ref_mad(ref_of(c.normal), ref_of(expected), -1)), 0, 1e-6);
    clash_segment_distance(shorter, zero, zero, axis, &c);
    assert_near(ref_length(ref_mad(ref_of(c.normal), ref_of(expected), -1)), 0, 1e-6);
}

/** The longer axis x the coordinate axis that it runs least along. */
static void normal_of_parallel_axes_that_meet(void **state)
{
    (void)state;
    check_parallel_normal(V(0, 3, 4), V(0, 0.8, -0.6));
    check_parallel_normal(V(3, 0, 4), V(-0.8, 0, 0.6));
    check_parallel_normal(V(3, 4, 0), V(0.8, -0.6, 0));
    check_parallel_normal(V(2, 0, 0), V(0, 0, 1)); /* of y and z the first */
    check_parallel_normal(V(0, 2, 0), V(0, 0, -1));
    check_parallel_normal(V(0, 0, 2), V(0, 1, 0));
    check_parallel_normal(V(0, 0, 0), V(0, 1, 0));
}

static void non_finite_gives_nan(void **state)
{
    clash_contact c = {.distance = 7.0f};

    (void)state;
    assert_true(isnan(clash_segment_distance(V(0, 0, 0), V(1, 0, 0), V(0, NAN, 0), V(0, 1, 0), &c)));
    assert_true(isnan(clash_segment_distance(V(0, 0, 0), V(INFINITY, 0, 0), V(0, 0, 0), V(0, 1, 0), &c)));
    assert_near(c.distance, 7.0, 0);
}

/** Nearly parallel, tiny and huge segments among them. */
static void random_cases_agree(void **state)
{
    uint64_t seed = random_seed(11);
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(200000); i++) {
        double size = pow(10.0, random_in(&r, -3, 3));
        clash_vec3 p0 = random_box(&r, size), p1 = random_box(&r, size), q0 = random_box(&r, size);
        clash_vec3 q1 = random_box(&r, size);
        double tilt = pow(10.0, random_in(&r, -9, 0)) * size, expected, d;

        if (random_below(&r, 2)) {
            clash_vec3 t = random_box(&r, tilt);

            q1 = (clash_vec3){q0.x + p1.x - p0.x + t.x, q0.y + p1.y - p0.y + t.y, q0.z + p1.z - p0.z + t.z};
        }
        expected = ref_segments(ref_of(p0), ref_of(p1), ref_of(q0), ref_of(q1));
        d = (double)clash_segment_distance(p0, p1, q0, q1, NULL);
        if (fabs(d - expected) > 1e-6 * size)
            fail_msg("seed %llu case %ld: %.9g, expected %.9g", (unsigned long long)seed, i, d, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_cases),
        cmocka_unit_test(normal_points_from_first_to_second),
        cmocka_unit_test(normal_of_parallel_axes_that_meet),
        cmocka_unit_test(non_finite_gives_nan),
        cmocka_unit_test(random_cases_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

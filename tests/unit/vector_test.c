/* The vector toolbox of clash/math.h, and points and lines without ends: cases known by hand, extremes of float, what has no
 * length, what is not finite. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/math.h>
#include <clash/shape.h>

#include "support/near.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static void assert_vector(clash_vec3 v, double x, double y, double z)
{
    assert_near(v.x, x, 0);
    assert_near(v.y, y, 0);
    assert_near(v.z, z, 0);
}

static void sums_and_products(void **state)
{
    (void)state;
    assert_vector(clash_vec3_add(V(1, 2, 3), V(10, -20, 0.5)), 11, -18, 3.5);
    assert_vector(clash_vec3_sub(V(1, 2, 3), V(10, -20, 0.5)), -9, 22, 2.5);
    assert_vector(clash_vec3_scale(V(1, -2, 0.5), -4), -4, 8, -2);
    assert_vector(clash_vec3_add_scaled(V(1, 2, 3), V(10, -20, 0.5), -2), -19, 42, 2);
    assert_near(clash_vec3_dot(V(1, 2, 3), V(4, -5, 6)), 12, 0);
    assert_vector(clash_vec3_cross(V(1, 0, 0), V(0, 1, 0)), 0, 0, 1);
    assert_vector(clash_vec3_cross(V(0, 1, 0), V(0, 0, 1)), 1, 0, 0);
    assert_vector(clash_vec3_cross(V(0, 0, 1), V(1, 0, 0)), 0, 1, 0);
    assert_vector(clash_vec3_cross(V(1, 2, 3), V(4, -5, 6)), 27, 6, -13);
    assert_vector(clash_vec3_cross(V(1, 2, 3), V(-2, -4, -6)), 0, 0, 0);
    assert_near(clash_vec3_distance(V(1, 2, 3), V(3, -1, 9)), 7, 0);
}

/** In float alone each of these would be lost. */
static void digits_are_kept(void **state)
{
    (void)state;
    assert_near(clash_vec3_dot(V(1e4, 1, 1e4), V(1e4, 0.5, -1e4)), 0.5, 0);
    assert_vector(clash_vec3_cross(V(4097, 4096, 0), V(4098, 4097, 0)), 0, 0, 1);
    assert_near(clash_vec3_dot(V(3e38, 3e38, 0), V(3e38, -3e38, 0)), 0, 0);
    assert_near(clash_vec3_distance(V(1e30, 0, 0), V(0, 0, 0)), (double)1e30f, 0);
    assert_near(clash_vec3_add_scaled(V(1, 0, 0), V(3e38, 0, 0), 1e-38).x, 4, 1e-6);
}

static void beyond_float_is_infinite(void **state)
{
    (void)state;
    assert_true(isinf(clash_vec3_dot(V(3e38, 0, 0), V(3e38, 0, 0))));
    assert_true(isinf(clash_vec3_add(V(0, 3e38, 0), V(0, 3e38, 0)).y));
    assert_true(isinf(clash_vec3_scale(V(0, 0, -3e38), 2).z));
    assert_true(isnan(clash_vec3_dot(V(NAN, 0, 0), V(0, 0, 0))));
    assert_true(isnan(clash_vec3_sub(V(INFINITY, 0, 0), V(INFINITY, 0, 0)).x));
}

static void normalize(void **state)
{
    const float smallest = FLT_TRUE_MIN;

    (void)state;
    assert_vector(clash_vec3_normalize(V(0, -4, 0)), 0, -1, 0);
    assert_near(clash_vec3_normalize(V(3, 0, 4)).x, 0.6, 1e-7);
    assert_near(clash_vec3_normalize(V(3, 0, 4)).z, 0.8, 1e-7);
    assert_vector(clash_vec3_normalize(V(0, 0, 0)), 0, 0, 0);
    assert_vector(clash_vec3_normalize(V(-0.0, 0, -0.0)), 0, 0, 0);
    assert_vector(clash_vec3_normalize((clash_vec3){smallest, 0, 0}), 1, 0, 0);
    assert_near(clash_vec3_length(clash_vec3_normalize((clash_vec3){smallest, smallest, smallest})), 1, 1e-7);
    assert_near(clash_vec3_length(clash_vec3_normalize(V(3e38, -3e38, 3e38))), 1, 1e-7);
    for (int k = 0; k < 3; k++) {
        const clash_vec3 odd = k == 0 ? V(NAN, 1, 0) : k == 1 ? V(0, INFINITY, 0) : V(1, 0, -INFINITY);
        const clash_vec3 n = clash_vec3_normalize(odd);

        assert_true(isnan(n.x) && isnan(n.y) && isnan(n.z));
    }
}

static void ratios_have_no_ends(void **state)
{
    const clash_vec3 a = V(-1, 5, 0), b = V(3, 5, 0);
    float along;

    (void)state;
    assert_near(clash_segment_ratio(V(0, 7, 1), a, b), 0.25, 0);
    assert_near(clash_segment_ratio(V(-3, 7, 1), a, b), -0.5, 0);
    assert_near(clash_segment_ratio(V(9, -7, 1), a, b), 2.5, 0);
    assert_near(clash_segment_ratio(V(9, -7, 1), b, a), -1.5, 0);
    assert_near(clash_segment_ratio(a, a, b), 0, 0);
    assert_near(clash_segment_ratio(b, a, b), 1, 0);
    assert_near(clash_segment_ratio(V(9, -7, 1), a, a), 0, 0);
    clash_point_segment_distance(V(9, -7, 1), a, b, &along); /* which is the same, clamped */
    assert_near(along, 1, 0);
    assert_near(clash_segment_ratio(V(3e38, 0, 0), V(-3e38, 0, 0), V(3e38, 0, 0)), 1, 0);
    assert_true(isnan(clash_segment_ratio(V(NAN, 0, 0), a, b)));
    assert_true(isnan(clash_segment_ratio(a, V(0, INFINITY, 0), b)));
    assert_true(isnan(clash_segment_ratio(a, a, V(0, 0, -INFINITY))));
    assert_true(isnan(clash_segment_ratio(V(NAN, 0, 0), a, a)));
}

static void points_and_lines(void **state)
{
    double t = 7;

    (void)state;
    assert_near(clash_point_line_distance(V(100, 3, 4), V(0, 0, 0), V(2, 0, 0), &t), 5, 0);
    assert_near(t, 50, 0);
    assert_near(clash_point_line_distance(V(-100, 3, 4), V(0, 0, 0), V(0.5, 0, 0), &t), 5, 0);
    assert_near(t, -200, 0);
    assert_near(clash_point_line_distance(V(3, 3, 3), V(1, 1, 1), V(-1, -1, -1), &t), 0, 0);
    assert_near(t, -2, 1e-15);
    assert_near(clash_point_line_distance(V(1, 4, 5), V(1, 1, 1), V(0, 0, 0), &t), 5, 0); /* no line, but a point */
    assert_near(t, 0, 0);
    /* a hundred kilometres along it a millimetre is a millimetre */
    assert_near(clash_point_line_distance(V(1e5, 0.001, 0), V(0, 0, 0), V(1, 0, 0), NULL), 0.001, 1e-9);
    t = 7;
    assert_true(isnan(clash_point_line_distance(V(NAN, 0, 0), V(0, 0, 0), V(1, 0, 0), &t)));
    assert_true(isnan(clash_point_line_distance(V(0, 0, 0), V(0, 0, -INFINITY), V(1, 0, 0), &t)));
    assert_true(isnan(clash_point_line_distance(V(0, 0, 0), V(0, 0, 0), V(0, INFINITY, 0), &t)));
    assert_true(isnan(clash_point_line_distance(V(NAN, 0, 0), V(0, 0, 0), V(0, 0, 0), &t)));
    assert_near(t, 7, 0);
}

static clash_line_closest lines(clash_vec3 a, clash_vec3 u, clash_vec3 b, clash_vec3 v, double expected)
{
    clash_line_closest c;

    assert_near(clash_line_distance(a, u, b, v, &c), expected, 0);
    assert_near(clash_line_distance(a, u, b, v, NULL), expected, 0);
    return c;
}

static void two_lines(void **state)
{
    clash_line_closest c = lines(V(-7, 2, 0), V(2, 0, 0), V(0, -1, 5), V(0, 0, -1), 3);

    (void)state;
    assert_false(c.parallel);
    assert_near(c.parameters[0], 3.5, 0);
    assert_near(c.parameters[1], 5, 0);
    assert_vector(c.points[0], 0, 2, 0);
    assert_vector(c.points[1], 0, -1, 0);
    c = lines(V(1, 1, 0), V(1, 1, 0), V(4, 0, 0), V(0, 3, 0), 0); /* meeting far beyond what they were given by */
    assert_vector(c.points[0], 4, 4, 0);
    assert_vector(c.points[1], 4, 4, 0);
    /* one degree of a million apart, and still not parallel: they meet at x = 16777216 */
    c = lines(V(0, 0, 0), V(1, 0, 0), V(0, 1, 0), V(1, -1.0 / 16777216, 0), 0);
    assert_false(c.parallel);
    assert_vector(c.points[0], 16777216, 0, 0);
}

static void parallel_lines(void **state)
{
    clash_line_closest c = lines(V(3, 0, 0), V(1, 0, 0), V(-2, 3, 4), V(-2, 0, 0), 5);

    (void)state;
    assert_true(c.parallel);
    assert_near(c.parameters[0], 0, 0);
    assert_near(c.parameters[1], -2.5, 0);
    assert_vector(c.points[0], 3, 0, 0);
    assert_vector(c.points[1], 3, 3, 4);
    c = lines(V(1, 2, 3), V(1, 2, 3), V(-1, -2, -3), V(2, 4, 6), 0); /* the same line */
    assert_true(c.parallel);
    assert_vector(c.points[1], 1, 2, 3);
    c = lines(V(3, 4, 9), V(0, 0, 0), V(0, 0, 0), V(0, 0, 2), 5); /* a point and a line */
    assert_true(c.parallel);
    assert_vector(c.points[0], 3, 4, 9);
    assert_near(c.parameters[1], 4.5, 0);
    c = lines(V(0, 0, 0), V(0, 0, 2), V(3, 4, 9), V(0, 0, 0), 5);
    assert_true(c.parallel);
    assert_near(c.parameters[0], 4.5, 0);
    assert_near(c.parameters[1], 0, 0);
    assert_vector(c.points[0], 0, 0, 9);
    c = lines(V(0, 3, 0), V(0, 0, 0), V(0, 0, 4), V(0, 0, 0), 5); /* two points */
    assert_vector(c.points[0], 0, 3, 0);
    assert_vector(c.points[1], 0, 0, 4);
    /* not parallel, but they meet where no float is */
    c = lines(V(0, 0, 0), V(1, 0, 0), V(0, 1, 0), V(1, 1e-42, 0), 1);
    assert_true(c.parallel);
}

static void lines_that_are_none(void **state)
{
    const clash_vec3 good = V(1, 2, 3), other = V(0, 1, 0);
    const clash_vec3 odd[] = {V(NAN, 0, 0), V(0, INFINITY, 0), V(0, 0, -INFINITY)};
    clash_line_closest c = {.parameters = {7, 7}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(clash_line_distance(odd[i], other, good, good, &c)));
        assert_true(isnan(clash_line_distance(good, odd[i], good, other, &c)));
        assert_true(isnan(clash_line_distance(good, other, odd[i], good, &c)));
        assert_true(isnan(clash_line_distance(good, other, good, odd[i], &c)));
        assert_true(isnan(clash_line_distance(good, V(0, 0, 0), odd[i], V(0, 0, 0), &c)));
    }
    assert_near(c.parameters[0], 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products),
        cmocka_unit_test(digits_are_kept),
        cmocka_unit_test(beyond_float_is_infinite),
        cmocka_unit_test(normalize),
        cmocka_unit_test(ratios_have_no_ends),
        cmocka_unit_test(points_and_lines),
        cmocka_unit_test(two_lines),
        cmocka_unit_test(parallel_lines),
        cmocka_unit_test(lines_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

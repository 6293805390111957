/* Vectors, quaternions, poses and motions: cases known by hand, random ones against the reference's own formulas, and the
 * velocity against where the points of the body are shortly before and after. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/pose.h>

#include "support/near.h"
#include "support/random.h"
#include "support/reference.h"

#define ROOT_HALF 0.70710678f
#define PI 3.14159265358979

static void assert_vector(clash_vec3 v, double x, double y, double z, double tolerance)
{
    assert_near(v.x, x, tolerance);
    assert_near(v.y, y, tolerance);
    assert_near(v.z, z, tolerance);
}

/** The same rotation: q and -q are one. */
static void assert_same_turn(clash_quat q, ref_quat expected)
{
    double dot =
        (double)q.x * expected.v.x + (double)q.y * expected.v.y + (double)q.z * expected.v.z + (double)q.w * expected.w;
    double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;

    assert_near(square, 1.0, 1e-6);
    assert_near(dot * dot, 1.0, 1e-6);
}

static void finite_vectors(void **state)
{
    const float odd[] = {NAN, INFINITY, -INFINITY};

    (void)state;
    assert_true(clash_vec3_is_finite((clash_vec3){FLT_MAX, -FLT_MAX, FLT_MIN}));
    for (int i = 0; i < 3; i++) {
        assert_false(clash_vec3_is_finite((clash_vec3){odd[i], 0, 0}));
        assert_false(clash_vec3_is_finite((clash_vec3){0, odd[i], 0}));
        assert_false(clash_vec3_is_finite((clash_vec3){0, 0, odd[i]}));
    }
}

static void lengths(void **state)
{
    (void)state;
    assert_near(clash_vec3_length((clash_vec3){2, -3, 6}), 7, 0);
    assert_near(clash_vec3_length((clash_vec3){3e30f, 0, -4e30f}) / 5e30, 1, 1e-6);
    assert_near(clash_vec3_length((clash_vec3){3e-30f, 4e-30f, 0}) / 5e-30, 1, 1e-6);
    assert_near(clash_vec3_length((clash_vec3){0, 0, 0}), 0, 0);
}

static void angles(void **state)
{
    random_state r = {random_seed(51)};

    (void)state;
    assert_near(clash_vec3_angle((clash_vec3){2, 0, 0}, (clash_vec3){0, 0, 5}), PI / 2, 1e-6);
    assert_near(clash_vec3_angle((clash_vec3){2, 0, 0}, (clash_vec3){3, 3, 0}), PI / 4, 1e-6);
    assert_near(clash_vec3_angle((clash_vec3){2, 1, 0}, (clash_vec3){-4, -2, 0}), PI, 1e-6);
    assert_near(clash_vec3_angle((clash_vec3){2, 1, 0}, (clash_vec3){4, 2, 0}), 0, 0);
    assert_near(clash_vec3_angle((clash_vec3){1, 0, 0}, (clash_vec3){1, 1e-10f, 0}) * 1e10, 1, 1e-5);
    assert_near(clash_vec3_angle((clash_vec3){0, 0, 0}, (clash_vec3){4, 2, 0}), 0, 0);
    assert_near(clash_vec3_angle((clash_vec3){4, 2, 0}, (clash_vec3){0, 0, 0}), 0, 0);
    for (long i = 0; i < random_cases(2000); i++) {
        clash_vec3 a = random_box(&r, 3), b = random_box(&r, 0.5);
        double cosine = ref_dot(ref_of(a), ref_of(b)) / ref_length(ref_of(a)) / ref_length(ref_of(b));

        assert_near(cos((double)clash_vec3_angle(a, b)), cosine, 1e-6);
    }
}

static void unit_quaternions(void **state)
{
    const clash_quat right = {0.5f, -0.5f, 0.5f, -0.5f};

    (void)state;
    assert_true(clash_quat_is_unit(right, 0));
    for (int i = 0; i < 4; i++) { /* each component counts, with both signs of the difference */
        clash_quat one = {i == 0, i == 1, i == 2, i == 3}, more = right, less = right;

        assert_true(clash_quat_is_unit(one, 0));
        (&more.x)[i] *= 1.5f;
        (&less.x)[i] *= 0.5f;
        assert_false(clash_quat_is_unit(more, 0.1f));
        assert_false(clash_quat_is_unit(less, 0.09f));
        assert_true(clash_quat_is_unit(more, 0.2f));
        assert_true(clash_quat_is_unit(less, 0.2f));
        (&more.x)[i] = i % 2 ? NAN : INFINITY;
        assert_false(clash_quat_is_unit(more, INFINITY));
    }
    assert_false(clash_quat_is_unit((clash_quat){0, 0, 0, 0}, 0.9f));
}

static void a_pose_turns_and_moves(void **state)
{
    const clash_pose quarter = {{0, 0, ROOT_HALF, ROOT_HALF}, {10, 20, 30}}, doubled = {{0, 0, 2, 2}, {0, 0, 0}};

    (void)state;
    assert_vector(clash_pose_apply(&quarter, (clash_vec3){1, 2, 3}), 8, 21, 33, 1e-6);
    assert_vector(clash_pose_rotate(&quarter, (clash_vec3){1, 2, 3}), -2, 1, 3, 1e-6);
    assert_vector(clash_pose_rotate(&doubled, (clash_vec3){1, 2, 3}), -2, 1, 3, 1e-6);
}

static void a_motion_goes_straight_and_turns_evenly(void **state)
{
    const clash_motion m = {{{0, 0, 0, 1}, {1, 2, 3}}, {{0, ROOT_HALF, 0, ROOT_HALF}, {3, 0, 7}}};
    random_state r = {random_seed(52)};
    clash_pose third = clash_motion_at(&m, 1.0 / 3);

    (void)state;
    assert_vector(third.position, 5.0 / 3, 4.0 / 3, 13.0 / 3, 1e-6);
    assert_same_turn(third.orientation, (ref_quat){cos(PI / 12), {0, sin(PI / 12), 0}});
    for (long i = 0; i < random_cases(2000); i++) {
        clash_quat turn = random_turn(&r, 6.28);
        clash_motion any = {{turn, random_box(&r, 2)}, {quat_times(random_turn(&r, 3.1), turn), random_box(&r, 2)}};
        double fraction = random_in(&r, 0, 1);
        clash_pose at = clash_motion_at(&any, fraction);
        ref_quat q;
        ref_vec p;

        ref_pose_at(&any, fraction, &q, &p);
        assert_same_turn(at.orientation, q);
        assert_vector(at.position, p.x, p.y, p.z, 1e-6);
    }
}

static void half_turns_go_the_way_that_is_documented(void **state)
{
    const clash_quat none = {0, 0, 0, 1};
    const clash_motion up = {{none, {0, 0, 0}}, {{0, 1, 0, 0}, {0, 0, 0}}};
    const clash_motion down = {{none, {0, 0, 0}}, {{0, -1, 0, 0}, {0, 0, 0}}};

    (void)state;
    assert_same_turn(clash_motion_at(&up, 0.5).orientation, (ref_quat){sqrt(0.5), {0, sqrt(0.5), 0}});
    assert_same_turn(clash_motion_at(&down, 0.5).orientation, (ref_quat){sqrt(0.5), {0, -sqrt(0.5), 0}});
}

static void velocities(void **state)
{
    const double step = 1e-2;
    random_state r = {random_seed(53)};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++) {
        clash_quat turn = random_turn(&r, 6.28);
        clash_motion m = {{turn, random_box(&r, 1)}, {quat_times(random_turn(&r, 2), turn), random_box(&r, 1)}};
        double fraction = random_in(&r, step, 1 - step);
        clash_vec3 point = random_box(&r, 1);
        clash_pose at = clash_motion_at(&m, fraction);
        clash_pose before = clash_motion_at(&m, fraction - step), after = clash_motion_at(&m, fraction + step);
        ref_vec from = ref_of(clash_pose_apply(&before, point)), to = ref_of(clash_pose_apply(&after, point));
        clash_vec3 v = clash_motion_velocity(&m, fraction, clash_pose_apply(&at, point));

        /* of the third order in the step: at most 2^3 sqrt(3) / 6 of its square */
        assert_vector(v, (to.x - from.x) / (2 * step), (to.y - from.y) / (2 * step), (to.z - from.z) / (2 * step),
                      5e-4);
    }
}

/** Poses multiplied and inverted, beside the same done to points; quaternions need not be of unit length. */
static void poses_one_after_the_other(void **state)
{
    random_state r = {random_seed(59)};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++) {
        clash_pose a = {random_turn(&r, 6.28), random_box(&r, 2)}, b = {random_turn(&r, 6.28), random_box(&r, 2)};
        const clash_vec3 point = random_box(&r, 1);
        const clash_pose both = clash_pose_mul(&a, &b), back = clash_pose_inverse(&a), none = clash_pose_mul(&back, &a);
        const clash_quat turned = clash_quat_mul(a.orientation, b.orientation),
                         undone = clash_quat_inverse(a.orientation);
        const clash_vec3 of_b = clash_pose_apply(&b, point), expected = clash_pose_apply(&a, of_b);

        assert_vector(clash_pose_apply(&both, point), expected.x, expected.y, expected.z, 2e-6);
        assert_vector(clash_pose_apply(&none, point), point.x, point.y, point.z, 2e-6);
        assert_memory_equal(&turned, &both.orientation, sizeof turned);
        assert_memory_equal(&undone, &back.orientation, sizeof undone);
        assert_true(clash_quat_is_unit(turned, 1e-6f));
        a.orientation =
            (clash_quat){3 * a.orientation.x, 3 * a.orientation.y, 3 * a.orientation.z, 3 * a.orientation.w};
        assert_true(clash_quat_is_unit(clash_pose_mul(&a, &b).orientation, 1e-6f));
        assert_true(clash_quat_is_unit(clash_quat_inverse(a.orientation), 1e-6f));
    }
    assert_true(isnan(clash_quat_mul((clash_quat){0, 0, 0, 0}, (clash_quat){0, 0, 0, 1}).w));
}

/** Equal parts of the way are equal turns, the ends are the ends, and what lies beyond them is clamped. */
static void between_two_poses(void **state)
{
    random_state r = {random_seed(61)};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++) {
        const clash_pose from = {random_turn(&r, 6.28), random_box(&r, 2)};
        const clash_pose to = {quat_times(random_turn(&r, 3), from.orientation), random_box(&r, 2)};
        const clash_motion motion = {from, to};
        const double fraction = random_in(&r, 0, 1);
        const clash_pose at = clash_pose_interpolate(&from, &to, fraction), same = clash_motion_at(&motion, fraction);
        const clash_pose before = clash_pose_interpolate(&from, &to, -1), after = clash_pose_interpolate(&from, &to, 2);
        const clash_quat turn = clash_quat_slerp(from.orientation, to.orientation, fraction);
        const clash_quat half = clash_quat_slerp(from.orientation, to.orientation, 0.5);
        const clash_quat first = clash_quat_mul(half, clash_quat_inverse(from.orientation));
        const clash_quat second = clash_quat_mul(to.orientation, clash_quat_inverse(half));
        const ref_quat whole = {to.orientation.w, {to.orientation.x, to.orientation.y, to.orientation.z}};

        assert_memory_equal(&at, &same, sizeof at);
        assert_memory_equal(&turn, &at.orientation, sizeof turn);
        assert_vector(before.position, from.position.x, from.position.y, from.position.z, 0);
        assert_vector(after.position, to.position.x, to.position.y, to.position.z, 1e-6);
        assert_same_turn(after.orientation, whole);
        assert_same_turn(first, (ref_quat){second.w, {second.x, second.y, second.z}});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_vectors),
        cmocka_unit_test(lengths),
        cmocka_unit_test(angles),
        cmocka_unit_test(unit_quaternions),
        cmocka_unit_test(a_pose_turns_and_moves),
        cmocka_unit_test(a_motion_goes_straight_and_turns_evenly),
        cmocka_unit_test(half_turns_go_the_way_that_is_documented),
        cmocka_unit_test(velocities),
        cmocka_unit_test(poses_one_after_the_other),
        cmocka_unit_test(between_two_poses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

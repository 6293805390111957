/* Positions, directions and rotations in the axes of the engines. */
#include "protocol/messages/codec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"
#include "support/sample_events.h"

static float dot(clash_vec3 a, clash_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static clash_vec3 minus(clash_vec3 a, clash_vec3 b)
{
    return (clash_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static clash_vec3 turn(clash_quat q, clash_vec3 v)
{
    const clash_pose pose = {.orientation = q};

    return clash_pose_rotate(&pose, v);
}

static void assert_same(clash_vec3 a, clash_vec3 b, float tolerance)
{
    clash_vec3 d = minus(a, b);

    if (!(sqrtf(dot(d, d)) <= tolerance))
        fail_msg("(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
                 (double)b.z);
}

static void two_of_the_three_are_right_handed(void **state)
{
    (void)state;
    assert_false(protocol_axes_are_mirrored(PROTOCOL_AXES_OPENXR));
    assert_false(protocol_axes_are_mirrored(PROTOCOL_AXES_GODOT));
    assert_true(protocol_axes_are_mirrored(PROTOCOL_AXES_UNITY));
}

static void unity_looks_along_positive_z(void **state)
{
    const clash_vec3 v = protocol_axes_vec3(PROTOCOL_AXES_UNITY, (clash_vec3){1, 2, -3});
    const clash_quat q = protocol_axes_quat(PROTOCOL_AXES_UNITY, (clash_quat){0.1f, 0.2f, 0.3f, 0.9f});
    const clash_pose p = protocol_axes_pose(PROTOCOL_AXES_UNITY, (clash_pose){{0.1f, 0.2f, 0.3f, 0.9f}, {1, 2, -3}});

    (void)state;
    assert_same(v, (clash_vec3){1, 2, 3}, 0);
    assert_true(q.x == -0.1f && q.y == -0.2f && q.z == 0.3f && q.w == 0.9f);
    assert_memory_equal(&p.position, &v, sizeof v);
    assert_memory_equal(&p.orientation, &q, sizeof q);
    assert_false(signbit(protocol_axes_vec3(PROTOCOL_AXES_UNITY, (clash_vec3){1, 2, 0}).z));
    assert_same(protocol_axes_vec3(PROTOCOL_AXES_GODOT, (clash_vec3){1, 2, -3}), (clash_vec3){1, 2, -3}, 0);
}

/* To turn and then to mirror is to mirror and then to turn by the mirrored rotation, for any vector and rotation. */
static void a_mirrored_rotation_turns_mirrored_vectors(void **state)
{
    random_state random = {random_seed(7)};

    (void)state;
    for (int i = 0; i < 10000; i++) {
        const clash_quat q = random_turn(&random, 6.0);
        const clash_vec3 v = random_box(&random, 2.0);
        const clash_vec3 turned = turn(q, v);

        assert_same(protocol_axes_vec3(PROTOCOL_AXES_UNITY, turned),
                    turn(protocol_axes_quat(PROTOCOL_AXES_UNITY, q), protocol_axes_vec3(PROTOCOL_AXES_UNITY, v)),
                    1e-5f);
        assert_same(v, protocol_axes_vec3(PROTOCOL_AXES_UNITY, protocol_axes_vec3(PROTOCOL_AXES_UNITY, v)), 0);
    }
}

/* What is said of an event in numbers without a direction follows from its vectors in any axes. */
static void a_mirrored_clash_agrees_with_itself(void **state)
{
    random_state random = {random_seed(11)};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        clash_event event = sample_clash(1, 1.0f), before;
        clash_event_clash *c = &event.as.clash;

        for (int k = 0; k < 2; k++) {
            c->contact.points[k] = random_box(&random, 3.0);
            c->velocities[k] = random_box(&random, 5.0);
        }
        c->contact.normal = random_direction(&random);
        c->contact.midpoint = random_box(&random, 3.0);
        before = event;
        protocol_axes_event(PROTOCOL_AXES_UNITY, &event);
        const clash_vec3 old = minus(before.as.clash.contact.points[1], before.as.clash.contact.points[0]);
        const clash_vec3 new = minus(c->contact.points[1], c->contact.points[0]);
        assert_true(dot(new, c->contact.normal) == dot(old, before.as.clash.contact.normal));
        assert_true(
            dot(minus(c->velocities[0], c->velocities[1]), c->contact.normal) ==
            dot(minus(before.as.clash.velocities[0], before.as.clash.velocities[1]), before.as.clash.contact.normal));
        assert_true(c->contact.midpoint.z == -before.as.clash.contact.midpoint.z);
        assert_true(c->closing_speed == before.as.clash.closing_speed);
        protocol_axes_event(PROTOCOL_AXES_UNITY, &event);
        assert_memory_equal(&event, &before, sizeof event);
    }
}

static void the_normal_of_a_target_is_mirrored_too(void **state)
{
    clash_event event = sample_target_clash(1, 1.0f);

    (void)state;
    protocol_axes_event(PROTOCOL_AXES_UNITY, &event);
    assert_same(event.as.clash.surface_normal, (clash_vec3){-1, 0, -0.5f}, 0);
    assert_int_equal(event.as.clash.triangle, 17);
    protocol_axes_event(PROTOCOL_AXES_GODOT, &event);
    assert_same(event.as.clash.surface_normal, (clash_vec3){-1, 0, -0.5f}, 0);
}

/* A release has other things where a clash has its vectors. */
static void other_events_are_left_alone(void **state)
{
    clash_event release = sample_release(2, 1, 1.0f), tracking = sample_tracking(3, true);
    const clash_event release_before = release, tracking_before = tracking;

    (void)state;
    protocol_axes_event(PROTOCOL_AXES_UNITY, &release);
    protocol_axes_event(PROTOCOL_AXES_UNITY, &tracking);
    assert_memory_equal(&release, &release_before, sizeof release);
    assert_memory_equal(&tracking, &tracking_before, sizeof tracking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_the_three_are_right_handed),
        cmocka_unit_test(unity_looks_along_positive_z),
        cmocka_unit_test(a_mirrored_rotation_turns_mirrored_vectors),
        cmocka_unit_test(a_mirrored_clash_agrees_with_itself),
        cmocka_unit_test(the_normal_of_a_target_is_mirrored_too),
        cmocka_unit_test(other_events_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

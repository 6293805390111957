/* Push-out: overlaps known by hand, of every solid, and where a blade ends in corners, between walls, and too far in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/push_out.h>

#include "support/near.h"
#include "support/push.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};

static clash_obstacle ball(clash_vec3 at, double radius)
{
    return (clash_obstacle){{CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, (float)radius}}}, {{0, 0, 0, 1}, at}};
}

static clash_obstacle block(clash_vec3 at, clash_vec3 half)
{
    return (clash_obstacle){{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, half}}}, {{0, 0, 0, 1}, at}};
}

static clash_capsule rod(clash_vec3 base, clash_vec3 tip, double radius)
{
    return (clash_capsule){base, tip, (float)radius};
}

static void check(clash_capsule c, clash_obstacle o, double depth, clash_vec3 normal)
{
    clash_overlap got;

    assert_true(clash_overlap_of(&c, &origin, &o, &got));
    assert_near(got.depth, depth, 1e-6);
    assert_near(got.normal.x, normal.x, 1e-6);
    assert_near(got.normal.y, normal.y, 1e-6);
    assert_near(got.normal.z, normal.z, 1e-6);
    assert_int_equal(got.triangle, CLASH_NO_TRIANGLE);
}

static void known_overlaps(void **state)
{
    clash_capsule lying = rod(V(-1, 0, 0), V(1, 0, 0), 0.25);
    clash_obstacle upright = {{CLASH_SHAPE_CAPSULE, {.capsule = {{0, -1, 0}, {0, 1, 0}, 0.5f}}},
                              {{0, 0, 0, 1}, V(0, 0, 0.25)}};

    (void)state;
    check(lying, ball(V(0, 0.5, 0), 0.5), 0.25, V(0, -1, 0));
    check(lying, ball(V(3, 0, 0), 0.5), -1.25, V(-1, 0, 0)); /* apart */
    check(lying, upright, 0.5, V(0, 0, -1));
    check(lying, block(V(0, -1, 0), V(5, 0.9, 5)), 0.15, V(0, 1, 0));   /* a little in a floor */
    check(lying, block(V(0, -1, 0), V(5, 1.5, 5)), 0.75, V(0, 1, 0));   /* all of it inside, near the top */
    check(lying, block(V(1.5, 0, 0), V(0.75, 5, 5)), 0.5, V(-1, 0, 0)); /* its tip through a wall's face */
    check(rod(V(0, 0, 0), V(0, 0, 0), 0), block(V(0.25, 0, 0), V(1, 2, 2)), 0.75, V(-1, 0, 0)); /* a point */
    /* leaning over an edge: the shortest way is across both, not out of a side */
    check(rod(V(0.4, 1.5, 0), V(1.5, 0.4, 0), 0), block(V(0, 0, 0), V(1, 1, 1)), 0.05 * sqrt(2),
          V(sqrt(0.5), sqrt(0.5), 0));
}

/** Axes that meet but for rounding: the way out is across both, whatever is left between them. */
static void what_meets_but_for_rounding(void **state)
{
    const clash_pose turned = {{0.353f, 0.621f, -0.2f, 0.67f}, {0.1f, 0.2f, -0.3f}};
    const clash_vec3 through[3] = {{0, 0, 0}, {0.01f, 0.13f, 0}, {-0.21f, 0.02f, 0}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        clash_obstacle plate = block(V(0, 0, 0), V(0.3, 0.3, 0)), stick = plate;
        clash_vec3 at = clash_pose_apply(&turned, through[k]), along = clash_pose_rotate(&turned, V(0.1, 0.2, 0.7));
        clash_capsule blade = rod(V(at.x - along.x, at.y - along.y, at.z - along.z),
                                  V(at.x + along.x, at.y + along.y, at.z + along.z), 0.02);
        clash_pose out;

        plate.pose = stick.pose = turned;
        stick.shape = (clash_shape){CLASH_SHAPE_CAPSULE, {.capsule = {through[k], {0.3f, 0.3f, 0}, 0.01f}}};
        for (int i = 0; i < 2; i++) {
            const clash_obstacle *o = i ? &stick : &plate;
            clash_vec3 p, q;

            assert_int_equal(push_pose(&blade, 1, &origin, o, 1, 1, &out), CLASH_PUSH_MOVED);
            p = clash_pose_apply(&out, blade.base);
            q = clash_pose_apply(&out, blade.tip);
            assert_true(clash_shape_distance(p, q, &o->shape, &o->pose, NULL) > 0.02f - 1.1e-4f);
        }
    }
}

static double dot(clash_vec3 a, clash_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/** A long blade and a short stick whose axes meet exactly, until they are turned: the way out is across both. */
static void a_stick_in_the_middle_of_a_blade(void **state)
{
    const clash_vec3 along = {4, 2, 1}, stick = {0.0625f, -0.0625f, 0.125f};
    const clash_capsule blade = {{0, 0, 0}, along, 0.02f};
    const clash_obstacle o = {
        {CLASH_SHAPE_CAPSULE,
         {.capsule = {V(2 - stick.x, 1 - stick.y, 0.5 - stick.z), V(2 + stick.x, 1 + stick.y, 0.5 + stick.z), 0.01f}}},
        origin};

    (void)state;
    for (int k = 1; k < 40; k++) {
        const float x = 0.1f * (float)(k % 7), y = 0.13f * (float)(k % 11), z = 0.3f - 0.05f * (float)(k % 13);
        const float length = sqrtf(x * x + y * y + z * z + 0.25f);
        const clash_pose turned = {{x / length, y / length, z / length, 0.5f / length}, {0, 0, 0}};
        clash_obstacle there = o;
        clash_overlap got;

        there.pose = turned;
        assert_true(clash_overlap_of(&blade, &turned, &there, &got));
        assert_near(got.depth, 0.03, 1e-6);
        assert_near(dot(got.normal, clash_pose_rotate(&turned, along)), 0, 1e-5);
        assert_near(dot(got.normal, clash_pose_rotate(&turned, stick)), 0, 1e-6);
    }
}

static void assert_at(clash_pose p, clash_vec3 expected, double tolerance)
{
    assert_near(p.position.x, expected.x, tolerance);
    assert_near(p.position.y, expected.y, tolerance);
    assert_near(p.position.z, expected.z, tolerance);
}

static void out_of_a_floor_and_a_corner(void **state)
{
    clash_capsule body = rod(V(0, 0.3, 0), V(0, 1.7, 0), 0.3); /* a person: feet at the origin */
    clash_obstacle room[3] = {block(V(0, -1, 0), V(10, 1.1, 10)), block(V(2, 0, 0), V(1.9, 5, 5)),
                              block(V(0, 0, -2), V(5, 5, 1.8))};
    clash_pose pose = origin;

    (void)state;
    assert_int_equal(push_pose(&body, 1, &origin, room, 0, 1, &pose), CLASH_PUSH_FREE);
    assert_int_equal(push_pose(&body, 1, &origin, room, 1, 1, &pose), CLASH_PUSH_MOVED);
    assert_at(pose, V(0, 0.1, 0), 1e-4);
    assert_int_equal(push_pose(&body, 1, &origin, room, 2, 1, &pose), CLASH_PUSH_MOVED);
    assert_at(pose, V(-0.2, 0.1, 0), 1e-4);
    assert_int_equal(push_pose(&body, 1, &origin, room, 3, 1, &pose), CLASH_PUSH_MOVED);
    assert_at(pose, V(-0.2, 0.1, 0.1), 1e-4);
    assert_int_equal(push_pose(&body, 1, &pose, room, 3, 1, &pose), CLASH_PUSH_FREE);
}

static void no_room_and_no_reach(void **state)
{
    clash_capsule body = rod(V(0, 0, 0), V(0, 1, 0), 0.3);
    clash_obstacle walls[3] = {block(V(1.2, 0, 0), V(1, 50, 50)), block(V(-1.2, 0, 0), V(1, 50, 50)),
                               block(V(0, 0, -1), V(3, 50, 0.9))};
    clash_pose pose = origin;

    (void)state;
    /* 0.4 between the walls, 0.6 wide: only out at an end 50 m away */
    assert_int_equal(push_pose(&body, 1, &origin, walls, 2, 2, &pose), CLASH_PUSH_STUCK);
    assert_at(pose, V(0, 0, 0), 0);
    walls[0].shape.as.box.half.z = walls[1].shape.as.box.half.z =
        0.5f; /* the ends are near: half a metre and the radius */
    assert_int_equal(push_pose(&body, 1, &origin, walls, 2, 2, &pose), CLASH_PUSH_MOVED);
    assert_true(fabsf(pose.position.z) > 0.5f && fabsf(pose.position.z) < 0.85f);
    /* a third wall closes one of them */
    assert_int_equal(push_pose(&body, 1, &origin, walls, 3, 2, &pose), CLASH_PUSH_MOVED);
    assert_true(pose.position.z > 0.5f && pose.position.z < 0.85f);
    assert_int_equal(push_pose(&body, 1, &origin, walls, 3, 0.5f, &pose), CLASH_PUSH_STUCK);
}

static void a_blade_of_parts_in_a_shield(void **state)
{
    clash_capsule sword[2] = {rod(V(-0.1, 0, 0), V(0.1, 0, 0), 0.02), rod(V(0, 0, 0), V(0, 0, -1), 0.01)};
    clash_obstacle shield = block(V(0, 0, -1), V(0.4, 0.4, 0.05));
    clash_pose pose = origin;

    (void)state;
    assert_int_equal(push_pose(sword, 2, &origin, &shield, 1, 1, &pose), CLASH_PUSH_MOVED);
    assert_at(pose, V(0, 0, 0.06), 1e-4);
}

static void wrong_input(void **state)
{
    clash_capsule body = rod(V(0, 0, 0), V(0, 1, 0), 0.3), bad = rod(V(0, 0, 0), V(0, NAN, 0), 0.3);
    clash_obstacle good = ball(V(0, 0, 0), 1), negative = ball(V(0, 0, 0), -1);
    clash_pose pose = {{0, 0, 0, 1}, {7, 7, 7}}, unturned = {{0, 0, 0, 0}, {0, 0, 0}};
    clash_overlap o = {.depth = 7};

    (void)state;
    assert_false(clash_overlap_of(&bad, &origin, &good, &o));
    assert_false(clash_overlap_of(&body, &origin, &negative, &o));
    assert_false(clash_overlap_of(&body, &unturned, &good, &o));
    assert_int_equal(push_pose(&bad, 1, &origin, &good, 1, 1, &pose), CLASH_PUSH_INVALID);
    assert_int_equal(push_pose(&body, 0, &origin, &good, 1, 1, &pose), CLASH_PUSH_INVALID);
    assert_int_equal(push_pose(&body, 1, &origin, &negative, 1, 1, &pose), CLASH_PUSH_INVALID);
    assert_int_equal(push_pose(&body, 1, &origin, &good, 1, -1, &pose), CLASH_PUSH_INVALID);
    assert_near(o.depth, 7, 0);
    assert_at(pose, V(7, 7, 7), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_overlaps),
        cmocka_unit_test(what_meets_but_for_rounding),
        cmocka_unit_test(a_stick_in_the_middle_of_a_blade),
        cmocka_unit_test(out_of_a_floor_and_a_corner),
        cmocka_unit_test(no_room_and_no_reach),
        cmocka_unit_test(a_blade_of_parts_in_a_shield),
        cmocka_unit_test(wrong_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Unity's colliders under scale, mirror and skew: cases worked by hand. The numbers are in the comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/unity_near.h"

/* Rotations have half the angle in them: sine and cosine of 15 degrees, 22.5 and 45. */
#define TURN_Z_30 0, 0, 0.25881905f, 0.96592583f
#define TURN_Z_45 0, 0, 0.38268343f, 0.92387953f
#define TURN_X_45 0.38268343f, 0, 0, 0.92387953f
#define TURN_Z_90 0, 0, 0.70710678f, 0.70710678f
#define BACK_Z_30 0, 0, -0.25881905f, 0.96592583f
#define BACK_Z_90 0, 0, -0.70710678f, 0.70710678f
#define STILL 0, 0, 0, 1

/* What comes out of a sphere is its radius; of a box half its size; of a capsule its radius and half of its axis. */
typedef struct worked_case {
    const char *name;
    clash_unity_collider collider;
    clash_vec3 expected_size, expected_position;
    clash_quat expected_rotation;
    clash_unity_transform chain[3]; /* as many as have a rotation */
} worked_case;

#define SPHERE(r, ...) .collider = {.kind = CLASH_UNITY_SPHERE, .radius = (r), .center = {__VA_ARGS__}}
#define BY_COLUMN(r) .collider = {.kind = CLASH_UNITY_SPHERE, .radius = (r), .sphere_rule = CLASH_UNITY_SPHERE_COLUMN}
#define BOX(x, y, z, ...) .collider = {.kind = CLASH_UNITY_BOX, .size = {x, y, z}, .center = {__VA_ARGS__}}
#define CAPSULE(r, h, d) .collider = {.kind = CLASH_UNITY_CAPSULE, .radius = (r), .height = (h), .direction = (d)}
#define IS(...) .expected_size = {__VA_ARGS__}
#define AT(...) .expected_position = {__VA_ARGS__}
#define TURNED(...) .expected_rotation = {__VA_ARGS__}
/* A transform, named where it stands in the chain: no macro takes braces with commas in them. */
#define SCALED(i, ...) .chain[i] = {.rotation = {STILL}, .scale = {__VA_ARGS__}}
#define PLACED(i, px, py, pz, ...) .chain[i] = {.position = {px, py, pz}, .rotation = {STILL}, .scale = {__VA_ARGS__}}
#define ROTATED(i, ...) .chain[i] = {.rotation = {__VA_ARGS__}, .scale = {1, 1, 1}}

static const worked_case cases[] = {
    /* The longest of the three: 0.5 * 1.2. The center: (1 * 0.7, 2 * 0.5, 3 * 1.2) from (10, 0, 0). */
    {"a sphere scaled (0.7, 0.5, 1.2)", SPHERE(0.5f, 1, 2, 3), PLACED(0, 10, 0, 0, 0.7f, 0.5f, 1.2f), IS(0.6f, 0, 0),
     AT(10.7f, 1, 3.6f), TURNED(STILL)},
    /* 1 * 0.5, and the child's own 2 m become 1 m from the parent at 1 m. */
    {"a sphere below a parent scaled 0.5", SPHERE(1, 0, 0, 0), PLACED(0, 1, 0, 0, 0.5f, 0.5f, 0.5f),
     PLACED(1, 2, 0, 0, 1, 1, 1), IS(0.5f, 0, 0), AT(2, 0, 0), TURNED(STILL)},
    /* A box turned by 30 degrees below (1.5, 1, 1). Its x axis (cos, sin) becomes (1.5 cos, sin), of which along itself
     * are 1.5 cos^2 + sin^2 = 1.125 + 0.25 = 1.375; its y axis (-sin, cos) likewise 1.5 sin^2 + cos^2 = 0.375 + 0.75 =
     * 1.125. The center (1, 0, 0): (1.5 * 0.8660254, 0.5). */
    {"a box turned by 30 degrees below a parent scaled (1.5, 1, 1)", BOX(1, 1, 1, 1, 0, 0), SCALED(0, 1.5f, 1, 1),
     ROTATED(1, TURN_Z_30), IS(0.6875f, 0.5625f, 0.5f), AT(1.2990381f, 0.5f, 0), TURNED(TURN_Z_30)},
    /* The same skew, axes of 1.375, 1.125 and 1. The radius by the longer cross axis, 0.1 * 1.125; half the height less
     * that, 1.375 - 0.1125. */
    {"a capsule along x under skew", CAPSULE(0.1f, 2, 0), SCALED(0, 1.5f, 1, 1), ROTATED(1, TURN_Z_30),
     IS(0.1125f, 1.2625f, 0), AT(0, 0, 0), TURNED(TURN_Z_30)},
    /* 0.1 * 1.375; 1.125 - 0.1375. */
    {"a capsule along y under skew", CAPSULE(0.1f, 2, 1), SCALED(0, 1.5f, 1, 1), ROTATED(1, TURN_Z_30),
     IS(0.1375f, 0.9875f, 0), AT(0, 0, 0), TURNED(TURN_Z_30)},
    /* 0.1 * 1.375; 1 - 0.1375. */
    {"a capsule along z under skew", CAPSULE(0.1f, 2, 2), SCALED(0, 1.5f, 1, 1), ROTATED(1, TURN_Z_30),
     IS(0.1375f, 0.8625f, 0), AT(0, 0, 0), TURNED(TURN_Z_30)},
    /* 2 * 1.375. */
    {"a sphere under skew", SPHERE(2, 0, 0, 0), SCALED(0, 1.5f, 1, 1), ROTATED(1, TURN_Z_30), IS(2.75f, 0, 0),
     AT(0, 0, 0), TURNED(TURN_Z_30)},
    /* Its columns are (1.5 cos, sin) and (-1.5 sin, cos): the longer is the root of 1.6875 + 0.25, 1.3919410. */
    {"a sphere under skew by the longest column", BY_COLUMN(2), SCALED(0, 1.5f, 1, 1), ROTATED(1, TURN_Z_30),
     IS(2.7838822f, 0, 0), AT(0, 0, 0), TURNED(TURN_Z_30)},
    /* 45 degrees below (1, 3, 1): lossyScale is 2 along x and y, the columns the root of 0.5 + 4.5. */
    {"a sphere turned by 45 degrees below a parent scaled (1, 3, 1) by the longest column", BY_COLUMN(1),
     SCALED(0, 1, 3, 1), ROTATED(1, TURN_Z_45), IS(2.2360680f, 0, 0), AT(0, 0, 0), TURNED(TURN_Z_45)},
    {"a sphere scaled (0.7, -2, 1.2) by the longest column", BY_COLUMN(0.5f), SCALED(0, 0.7f, -2, 1.2f), IS(1, 0, 0),
     AT(0, 0, 0), TURNED(STILL)},
    /* What is negative counts as if it were not. */
    {"a sphere of a negative radius", SPHERE(-0.5f, 1, 2, 3), SCALED(0, 1, -2, 1), IS(1, 0, 0), AT(1, -4, 3),
     TURNED(STILL)},
    {"a box of negative sizes", BOX(-1, 2, -4, 0, 0, 0), SCALED(0, -3, 1, 1), IS(1.5f, 1, 2), AT(0, 0, 0),
     TURNED(STILL)},
    {"a capsule of a negative radius", CAPSULE(-0.5f, 4, 2), SCALED(0, 1, 1, 1), IS(0.5f, 1.5f, 0), AT(0, 0, 0),
     TURNED(STILL)},
    {"a capsule of a negative height", CAPSULE(0.5f, -4, 2), SCALED(0, 1, 1, 1), IS(0.5f, 1.5f, 0), AT(0, 0, 0),
     TURNED(STILL)},
    /* 45 degrees about x below (1, 3, 1): y and z are both 3 / 2 + 1 / 2 = 2 along themselves. */
    {"a box turned about x below a parent scaled (1, 3, 1)", BOX(1, 1, 1, 0, 0, 0), SCALED(0, 1, 3, 1),
     ROTATED(1, TURN_X_45), IS(0.5f, 1, 1), AT(0, 0, 0), TURNED(TURN_X_45)},
    /* The middle one's 3 along its y, which is along the root's x: 2 * 3 there, and turned back nothing is skewed. The
     * center (1, 1, 0): (1, -1) turned back, (1, -3) scaled, (3, 1) turned, (3, 6) moved, (6, 6) scaled. */
    {"a box below two turns that cancel", BOX(1, 2, 4, 1, 1, 0), SCALED(0, 2, 1, 1),
     .chain[1] = {{0, 5, 0}, {TURN_Z_90}, {1, 3, 1}}, ROTATED(2, BACK_Z_90), IS(3, 1, 2), AT(6, 6, 0), TURNED(STILL)},
    /* The caps stay within the height; 0.05 - 1 is below zero, so that it is a ball of the radius. */
    {"a capsule shorter than its caps", CAPSULE(1, 0.1f, 1), IS(1, 0, 0), AT(0, 0, 0), TURNED(STILL)},
    /* Flat in x. The longest is 2. */
    {"a sphere scaled (0, 2, 1)", SPHERE(1, 7, 1, 0), SCALED(0, 0, 2, 1), IS(2, 0, 0), AT(0, 2, 0), TURNED(STILL)},
    {"a box scaled (0, 2, 1)", BOX(1, 1, 1, 0, 0, 0), SCALED(0, 0, 2, 1), IS(0, 1, 0.5f), AT(0, 0, 0), TURNED(STILL)},
    /* 0.5 * 2, and no height to hold it. */
    {"a capsule along x scaled (0, 2, 1)", CAPSULE(0.5f, 2, 0), SCALED(0, 0, 2, 1), IS(1, 0, 0), AT(0, 0, 0),
     TURNED(STILL)},
    /* Nothing across, 1 * 2 along. */
    {"a capsule along y scaled (0, 2, 0)", CAPSULE(0.5f, 2, 1), SCALED(0, 0, 2, 0), IS(0, 2, 0), AT(0, 0, 0),
     TURNED(STILL)},
    {"a box scaled to nothing", BOX(1, 1, 1, 1, 2, 3), PLACED(0, 4, 5, 6, 0, 0, 0), IS(0, 0, 0), AT(4, 5, 6),
     TURNED(STILL)},
    /* A parent that flattens y, the child turned by 45 degrees: x keeps cos^2 = 1 / 2, y sin^2 = 1 / 2. */
    {"a box turned by 45 degrees below a parent scaled (1, 0, 1)", BOX(2, 2, 2, 0, 0, 0), SCALED(0, 1, 0, 1),
     ROTATED(1, TURN_Z_45), IS(0.5f, 0.5f, 1), AT(0, 0, 0), TURNED(TURN_Z_45)},
    /* Signs move the center, and are nothing to a size. */
    {"a sphere scaled (-2, 1, -3)", SPHERE(1, 1, 1, 1), SCALED(0, -2, 1, -3), IS(3, 0, 0), AT(-2, 1, -3),
     TURNED(STILL)},
    {"a box scaled (-2, 1, -3)", BOX(1, 1, 1, 0, 0, 0), SCALED(0, -2, 1, -3), IS(1, 0.5f, 1.5f), AT(0, 0, 0),
     TURNED(STILL)},
    /* 0.5 * 2; 2 * 3 - 1. */
    {"a capsule along z scaled (-2, 1, -3)", CAPSULE(0.5f, 4, 2), SCALED(0, -2, 1, -3), IS(1, 5, 0), AT(0, 0, 0),
     TURNED(STILL)},
    /* Mirrored in x, what turned 30 degrees one way turns 30 the other; (cos 30, sin 30) goes to (-cos 30, sin 30). */
    {"a box turned by 30 degrees below a mirror", BOX(1, 2, 3, 1, 0, 0), SCALED(0, -1, 1, 1), ROTATED(1, TURN_Z_30),
     IS(0.5f, 1, 1.5f), AT(-0.8660254f, 0.5f, 0), TURNED(BACK_Z_30)},
};

static void assert_capsule(const worked_case *c, const clash_capsule *capsule)
{
    const float half = c->expected_size.y;
    const uint32_t axis = c->collider.direction;
    const clash_vec3 tip = {axis == 0 ? half : 0, axis == 1 ? half : 0, axis == 2 ? half : 0};

    assert_near(c->name, "radius", (double)capsule->radius, (double)c->expected_size.x);
    assert_vec3(c->name, "tip", capsule->tip, tip);
    assert_vec3(c->name, "base", capsule->base, (clash_vec3){-tip.x, -tip.y, -tip.z});
}

static void assert_shape(const worked_case *c, const clash_shape *shape)
{
    if (c->collider.kind == CLASH_UNITY_SPHERE) {
        assert_int_equal(shape->kind, CLASH_SHAPE_SPHERE);
        assert_near(c->name, "radius", (double)shape->as.sphere.radius, (double)c->expected_size.x);
        assert_vec3(c->name, "center", shape->as.sphere.center, (clash_vec3){0, 0, 0});
    } else if (c->collider.kind == CLASH_UNITY_BOX) {
        assert_int_equal(shape->kind, CLASH_SHAPE_BOX);
        assert_vec3(c->name, "half", shape->as.box.half, c->expected_size);
        assert_vec3(c->name, "center", shape->as.box.center, (clash_vec3){0, 0, 0});
        assert_true(shape->as.box.orientation.w == 1);
    } else {
        assert_int_equal(shape->kind, CLASH_SHAPE_CAPSULE);
        assert_capsule(c, &shape->as.capsule);
    }
}

static size_t count_of(const clash_unity_transform chain[3])
{
    size_t count = 0;

    while (count < 3 && clash_quat_is_unit(chain[count].rotation, 1e-5f))
        count++;
    return count;
}

static void the_worked_cases_come_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const worked_case *c = &cases[i];
        const clash_quat expected = c->expected_rotation;
        clash_shape shape;
        clash_pose pose;

        assert_true(clash_unity_shape(&c->collider, c->chain, count_of(c->chain), &shape, &pose));
        assert_shape(c, &shape);
        assert_vec3(c->name, "position", pose.position, c->expected_position);
        assert_near(c->name, "rotation's x", (double)pose.orientation.x, (double)expected.x);
        assert_near(c->name, "rotation's y", (double)pose.orientation.y, (double)expected.y);
        assert_near(c->name, "rotation's z", (double)pose.orientation.z, (double)expected.z);
        assert_near(c->name, "rotation's w", (double)pose.orientation.w, (double)expected.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_cases_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

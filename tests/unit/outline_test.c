/* Outlines: that every end of a line lies on the surface, by formulas of the test's own; that circles close; that as many
 * lines are written as there is room for. */
#include <clash/mesh.h>
#include <clash/outline.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

#define LINES_MAX 256
#define CAPSULE_LINES (2 * CLASH_OUTLINE_CIRCLE + 4 + 4 * CLASH_OUTLINE_CIRCLE / 2)

static const clash_pose here = {.orientation = {0, 0, 0, 1}};
static clash_line lines[LINES_MAX];

static double between(clash_vec3 a, clash_vec3 b)
{
    return sqrt(pow((double)a.x - (double)b.x, 2) + pow((double)a.y - (double)b.y, 2) +
                pow((double)a.z - (double)b.z, 2));
}

/* Distance of a point from the segment between two, by its place on the line. */
static double from_segment(clash_vec3 p, clash_vec3 a, clash_vec3 b)
{
    const double ax = (double)a.x, ay = (double)a.y, az = (double)a.z;
    const double x = (double)b.x - ax, y = (double)b.y - ay, z = (double)b.z - az;
    const double square = x * x + y * y + z * z;
    const double dot = ((double)p.x - ax) * x + ((double)p.y - ay) * y + ((double)p.z - az) * z;
    const double t = square > 0 ? fmin(1, fmax(0, dot / square)) : 0;

    return sqrt(pow((double)p.x - ax - t * x, 2) + pow((double)p.y - ay - t * y, 2) + pow((double)p.z - az - t * z, 2));
}

static clash_pose random_pose(random_state *r)
{
    return (clash_pose){random_turn(r, 3.0), random_box(r, 2.0)};
}

/* Every point where lines end is met by an even number of them: whoever walks in there can walk out again. */
static void assert_closed(size_t count, double tolerance)
{
    for (size_t i = 0; i < 2 * count; i++) {
        const clash_vec3 p = i % 2 ? lines[i / 2].to : lines[i / 2].from;
        int met = 0;

        for (size_t k = 0; k < count; k++)
            met += (between(p, lines[k].from) < tolerance) + (between(p, lines[k].to) < tolerance);
        if (met % 2 != 0)
            fail_msg("line %zu ends where %d lines do", i / 2, met);
    }
}

static void a_sphere_is_three_circles(void **state)
{
    random_state random = {random_seed(31)};

    (void)state;
    for (int i = 0; i < 50; i++) {
        const clash_shape shape = {.kind = CLASH_SHAPE_SPHERE,
                                   .as.sphere = {random_box(&random, 1.0), (float)random_in(&random, 0.05, 2.0)}};
        const clash_pose pose = random_pose(&random);
        const clash_vec3 center = clash_pose_apply(&pose, shape.as.sphere.center);
        const size_t count = clash_shape_outline(&shape, &pose, lines, LINES_MAX);

        assert_int_equal(count, 3 * CLASH_OUTLINE_CIRCLE);
        for (size_t k = 0; k < count; k++) {
            assert_true(fabs(between(lines[k].from, center) - (double)shape.as.sphere.radius) < 2e-6);
            assert_true(fabs(between(lines[k].to, center) - (double)shape.as.sphere.radius) < 2e-6);
            assert_true(between(lines[k].from, lines[k].to) > 0.19 * (double)shape.as.sphere.radius);
        }
        assert_closed(count, 1e-2 * (double)shape.as.sphere.radius);
    }
}

static void assert_capsule(const clash_capsule *capsule, const clash_pose *pose)
{
    const clash_shape shape = {.kind = CLASH_SHAPE_CAPSULE, .as.capsule = *capsule};
    const clash_vec3 base = clash_pose_apply(pose, capsule->base), tip = clash_pose_apply(pose, capsule->tip);
    const double radius = (double)capsule->radius;
    const size_t count = clash_shape_outline(&shape, pose, lines, LINES_MAX);

    assert_int_equal(count, CAPSULE_LINES);
    for (size_t k = 0; k < count; k++) {
        assert_true(fabs(from_segment(lines[k].from, base, tip) - radius) < 2e-6);
        assert_true(fabs(from_segment(lines[k].to, base, tip) - radius) < 2e-6);
    }
}

static void a_capsule_is_circles_and_lines_between_them(void **state)
{
    random_state random = {random_seed(32)};

    (void)state;
    for (int i = 0; i < 50; i++) {
        const clash_capsule capsule = {random_box(&random, 1.0), random_box(&random, 1.0),
                                       (float)random_in(&random, 0.05, 0.5)};
        const clash_pose pose = random_pose(&random);
        double longest = 0;

        assert_capsule(&capsule, &pose);
        for (size_t k = 0; k < CAPSULE_LINES; k++)
            longest = fmax(longest, between(lines[k].from, lines[k].to));
        assert_true(longest > between(capsule.base, capsule.tip) - 2e-6);
        if (between(capsule.base, capsule.tip) > 0.1)
            assert_closed(CAPSULE_LINES, 1e-2 * (double)capsule.radius);
    }
    for (int axis = 0; axis < 4; axis++) /* along each axis, and a ball */
        assert_capsule(&(clash_capsule){{0, 0, 0}, {axis == 0, axis == 1, axis == 2}, 0.25f}, &here);
}

static void a_box_is_its_edges(void **state)
{
    random_state random = {random_seed(33)};

    (void)state;
    for (int i = 0; i < 50; i++) {
        const clash_vec3 half = {(float)random_in(&random, 0.1, 1), (float)random_in(&random, 0.1, 1),
                                 (float)random_in(&random, 0.1, 1)};
        const clash_pose box = random_pose(&random), pose = random_pose(&random);
        const clash_shape shape = {.kind = CLASH_SHAPE_BOX, .as.box = {box.position, box.orientation, half}};
        const double sides[3] = {2 * (double)half.x, 2 * (double)half.y, 2 * (double)half.z};
        const double corner = sqrt(sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2]) / 2;
        const clash_vec3 center = clash_pose_apply(&pose, box.position);
        double sum = 0;

        assert_int_equal(clash_shape_outline(&shape, &pose, lines, LINES_MAX), 12);
        for (size_t k = 0; k < 12; k++) {
            int met = 0;

            assert_true(fabs(between(lines[k].from, center) - corner) < 3e-6);
            assert_true(fabs(between(lines[k].to, center) - corner) < 3e-6);
            sum += between(lines[k].from, lines[k].to);
            for (size_t other = 0; other < 12; other++)
                met += (between(lines[k].from, lines[other].from) < 1e-5) +
                       (between(lines[k].from, lines[other].to) < 1e-5);
            assert_int_equal(met, 3);
        }
        assert_true(fabs(sum - 4 * (sides[0] + sides[1] + sides[2])) < 1e-4);
    }
}

/* Two triangles of a square, one beside it with corners of its own, and one twice: seven edges, some of them shared. */
static void a_mesh_is_its_edges_each_once(void **state)
{
    static const clash_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    static const uint32_t triangles[][3] = {{0, 1, 2}, {0, 2, 3}, {4, 6, 5}, {2, 0, 1}};
    clash_mesh *mesh = clash_mesh_create(vertices, 7, triangles, 4);
    const clash_shape shape = {.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    const clash_pose pose = {.orientation = {0, 0, 0, 1}, .position = {0, 0, 5}};
    double sum = 0;

    (void)state;
    assert_non_null(mesh);
    assert_int_equal(clash_shape_outline(&shape, &pose, lines, LINES_MAX), 7);
    for (size_t k = 0; k < 7; k++) {
        sum += between(lines[k].from, lines[k].to);
        assert_true(lines[k].from.z >= 5 && lines[k].to.z >= 5);
    }
    assert_true(fabs(sum - (5 + 2 * sqrt(2))) < 1e-6); /* four sides, a diagonal; a side and a diagonal more */
    clash_mesh_destroy(mesh);
}

/* Three columns by two rows: 4 edges along x, 3 along z, 2 across the cells. */
static void a_terrain_is_its_edges(void **state)
{
    static const float heights[] = {0, 1, 0, 0, 0, 2};
    clash_terrain *terrain = clash_terrain_create(heights, 3, 2, 0.5f, 2.0f);
    const clash_shape shape = {.kind = CLASH_SHAPE_TERRAIN, .as.terrain = terrain};

    (void)state;
    assert_non_null(terrain);
    assert_int_equal(clash_shape_outline(&shape, &here, lines, LINES_MAX), 9);
    for (size_t k = 0; k < 9; k++) {
        const clash_vec3 ends[2] = {lines[k].from, lines[k].to};

        for (int i = 0; i < 2; i++)
            assert_true(ends[i].y == heights[(int)(ends[i].x / 0.5f) + 3 * (int)(ends[i].z / 2.0f)]);
    }
    clash_terrain_destroy(terrain);
}

static void no_more_is_written_than_there_is_room_for(void **state)
{
    const clash_shape shape = {.kind = CLASH_SHAPE_BOX, .as.box = {.orientation = {0, 0, 0, 1}, .half = {1, 1, 1}}};
    clash_line whole[12];

    (void)state;
    assert_int_equal(clash_shape_outline(&shape, &here, NULL, 0), 12);
    assert_int_equal(clash_shape_outline(&shape, &here, whole, 12), 12);
    memset(lines, 0x55, sizeof lines);
    assert_int_equal(clash_shape_outline(&shape, &here, lines, 5), 12);
    assert_memory_equal(lines, whole, 5 * sizeof lines[0]);
    for (size_t i = 5 * sizeof lines[0]; i < sizeof lines; i++)
        assert_int_equal(((const unsigned char *)lines)[i], 0x55);
}

static void what_is_no_shape_has_no_outline(void **state)
{
    clash_shape shape = {.kind = CLASH_SHAPE_SPHERE, .as.sphere = {.radius = 1}};
    clash_pose pose = here;

    (void)state;
    pose.orientation.w = 0;
    assert_int_equal(clash_shape_outline(&shape, &pose, lines, LINES_MAX), 0);
    pose = here, pose.position.x = NAN;
    assert_int_equal(clash_shape_outline(&shape, &pose, lines, LINES_MAX), 0);
    shape.as.sphere.radius = -1;
    assert_int_equal(clash_shape_outline(&shape, &here, lines, LINES_MAX), 0);
    shape = (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {.half = {1, 1, 1}}};
    assert_int_equal(clash_shape_outline(&shape, &here, lines, LINES_MAX), 0);
    shape = (clash_shape){.kind = CLASH_SHAPE_CAPSULE, .as.capsule = {.tip = {INFINITY, 0, 0}}};
    assert_int_equal(clash_shape_outline(&shape, &here, lines, LINES_MAX), 0);
    shape = (clash_shape){.kind = CLASH_SHAPE_MESH};
    assert_int_equal(clash_shape_outline(&shape, &here, lines, LINES_MAX), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_is_three_circles),
        cmocka_unit_test(a_capsule_is_circles_and_lines_between_them),
        cmocka_unit_test(a_box_is_its_edges),
        cmocka_unit_test(a_mesh_is_its_edges_each_once),
        cmocka_unit_test(a_terrain_is_its_edges),
        cmocka_unit_test(no_more_is_written_than_there_is_room_for),
        cmocka_unit_test(what_is_no_shape_has_no_outline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Outlines of at most so many lines: that what is small is whole, that every end is a corner of the surface, that all of
 * it is shown, and that no more is written than there is room for. */
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

#define ROOM 2048
#define GUARD 16

static const clash_pose here = {.orientation = {0, 0, 0, 1}};
static clash_line lines[ROOM + GUARD];
static bool is_whole;

static clash_vec3 end(size_t i)
{
    return i % 2 ? lines[i / 2].to : lines[i / 2].from;
}

static double between(clash_vec3 a, clash_vec3 b)
{
    return sqrt(pow((double)a.x - (double)b.x, 2) + pow((double)a.y - (double)b.y, 2) +
                pow((double)a.z - (double)b.z, 2));
}

/* Sketch into `room` lines; nothing beyond them may be written. */
static size_t sketch(const clash_shape *shape, size_t room)
{
    size_t count;

    memset(lines, 0x55, sizeof lines);
    is_whole = false;
    count = clash_shape_sketch(shape, &here, lines, room, &is_whole);
    assert_true(count <= room);
    for (size_t i = room * sizeof lines[0]; i < sizeof lines; i++)
        assert_int_equal(((const unsigned char *)lines)[i], 0x55);
    return count;
}

/* Whether some line ends within `reach` of this point. */
static bool is_shown(size_t count, clash_vec3 point, double reach)
{
    for (size_t i = 0; i < 2 * count; i++)
        if (between(end(i), point) <= reach)
            return true;
    return false;
}

static clash_mesh *make_ball(uint32_t around, uint32_t down)
{
    const uint32_t count = 2 * around * down;
    clash_vec3 *vertices = calloc((size_t)around * (down + 1), sizeof *vertices);
    uint32_t(*triangles)[3] = calloc(count, sizeof *triangles);
    clash_mesh *mesh;

    assert_non_null(vertices);
    assert_non_null(triangles);
    for (uint32_t j = 0; j <= down; j++)
        for (uint32_t i = 0; i < around; i++) {
            const double a = 2 * 3.14159265358979 * i / around, b = 3.14159265358979 * j / down;

            vertices[j * around + i] = (clash_vec3){(float)(sin(b) * cos(a)), (float)cos(b), (float)(sin(b) * sin(a))};
        }
    for (uint32_t j = 0; j < down; j++)
        for (uint32_t i = 0; i < around; i++) {
            const uint32_t a = j * around + i, b = j * around + (i + 1) % around, c = a + around, d = b + around;
            uint32_t(*two)[3] = &triangles[(size_t)2 * (j * around + i)];

            two[0][0] = a, two[0][1] = b, two[0][2] = c;
            two[1][0] = b, two[1][1] = d, two[1][2] = c;
        }
    mesh = clash_mesh_create(vertices, around * (down + 1), (const uint32_t(*)[3])triangles, count);
    free(vertices);
    free(triangles);
    assert_non_null(mesh);
    return mesh;
}

static void what_has_few_lines_is_whole(void **state)
{
    const clash_shape box = {.kind = CLASH_SHAPE_BOX, .as.box = {.orientation = {0, 0, 0, 1}, .half = {1, 2, 3}}};
    clash_line whole[ROOM];
    clash_mesh *mesh = make_ball(16, 8);
    const clash_shape ball = {.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    size_t count = clash_shape_outline(&box, &here, whole, ROOM);

    (void)state;
    assert_int_equal(sketch(&box, ROOM), count);
    assert_memory_equal(lines, whole, count * sizeof whole[0]);
    assert_true(is_whole);
    count = clash_shape_outline(&ball, &here, whole, ROOM);
    assert_int_equal(sketch(&ball, ROOM), count);
    assert_memory_equal(lines, whole, count * sizeof whole[0]);
    assert_true(is_whole);
    assert_int_equal(sketch(&ball, count), count);
    assert_true(is_whole);
    assert_in_range(sketch(&ball, count - 1), 1, count - 1);
    assert_false(is_whole);
    assert_int_equal(sketch(&box, 5), 5);
    assert_false(is_whole);
    clash_mesh_destroy(mesh);
}

/* 32768 triangles: every end is on it, it is shown on all sides, and no line cuts across. */
static void a_large_mesh_is_shown_all_over(void **state)
{
    clash_mesh *mesh = make_ball(128, 128);
    const clash_shape ball = {.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    const size_t count = sketch(&ball, ROOM);

    (void)state;
    assert_false(is_whole);
    assert_in_range(count, ROOM / 2, ROOM);
    for (size_t i = 0; i < 2 * count; i++)
        assert_true(fabs(between(end(i), (clash_vec3){0, 0, 0}) - 1) < 1e-6);
    for (size_t i = 0; i < count; i++)
        assert_true(between(lines[i].from, lines[i].to) < 0.5);
    for (int k = 0; k < 6; k++) {
        const float sign = k % 2 ? 1.0f : -1.0f;

        assert_true(
            is_shown(count, (clash_vec3){k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0}, 0.15));
    }
    clash_mesh_destroy(mesh);
}

static void a_pose_places_it(void **state)
{
    clash_mesh *mesh = make_ball(128, 64);
    const clash_shape ball = {.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    const clash_pose there = {.orientation = {0, 1, 0, 0}, .position = {5, -1, 2}};
    static clash_line placed[ROOM];
    const size_t count = sketch(&ball, ROOM);

    (void)state;
    assert_int_equal(clash_shape_sketch(&ball, &there, placed, ROOM, &is_whole), count);
    for (size_t i = 0; i < count; i++)
        assert_true(between(placed[i].from, clash_pose_apply(&there, lines[i].from)) < 1e-6);
    clash_mesh_destroy(mesh);
}

/* Leaves of a tree, each smaller than any cube of the grid: no edge joins two cubes. */
static void scattered_triangles_are_shown_too(void **state)
{
    enum { LEAVES = 20000 };
    clash_vec3 *vertices = calloc((size_t)LEAVES * 3, sizeof *vertices);
    uint32_t(*triangles)[3] = calloc(LEAVES, sizeof *triangles);
    clash_shape tree = {.kind = CLASH_SHAPE_MESH};
    clash_mesh *mesh;
    size_t count;

    (void)state;
    assert_non_null(vertices);
    assert_non_null(triangles);
    for (uint32_t i = 0; i < LEAVES; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t row = i / 27 % 27, layer = i / 729;

            vertices[3 * i + k] = (clash_vec3){(float)(i % 27) + (k == 1 ? 1e-4f : 0.0f),
                                               (float)row + (k == 2 ? 1e-4f : 0.0f), (float)layer};
            triangles[i][k] = 3 * i + k;
        }
    tree.as.mesh = mesh = clash_mesh_create(vertices, LEAVES * 3, (const uint32_t(*)[3])triangles, LEAVES);
    assert_non_null(mesh);
    count = sketch(&tree, ROOM);
    assert_in_range(count, ROOM / 2, ROOM);
    assert_true(is_shown(count, (clash_vec3){0, 0, 0}, 6) && is_shown(count, (clash_vec3){26, 26, 26}, 6));
    clash_mesh_destroy(mesh);
    free(vertices);
    free(triangles);
}

static float height_at(uint32_t i, uint32_t j)
{
    return (float)sin(i * 0.1) + (float)(j % 7);
}

static void a_large_terrain_is_shown_to_its_borders(void **state)
{
    enum { COLUMNS = 300, ROWS = 217 };
    float *heights = calloc((size_t)COLUMNS * ROWS, sizeof *heights);
    clash_shape shape = {.kind = CLASH_SHAPE_TERRAIN};
    clash_terrain *terrain;
    size_t count;

    (void)state;
    assert_non_null(heights);
    for (uint32_t j = 0; j < ROWS; j++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            heights[j * COLUMNS + i] = height_at(i, j);
    shape.as.terrain = terrain = clash_terrain_create(heights, COLUMNS, ROWS, 0.5f, 2.0f);
    assert_non_null(terrain);
    count = sketch(&shape, ROOM);
    assert_false(is_whole);
    assert_in_range(count, ROOM / 2, ROOM);
    for (size_t k = 0; k < 2 * count; k++)
        assert_true(end(k).y == height_at((uint32_t)(end(k).x / 0.5f), (uint32_t)(end(k).z / 2.0f)));
    for (uint32_t corner = 0; corner < 4; corner++) {
        const uint32_t i = corner & 1 ? COLUMNS - 1 : 0, j = corner & 2 ? ROWS - 1 : 0;

        assert_true(is_shown(count, (clash_vec3){(float)i * 0.5f, height_at(i, j), (float)j * 2.0f}, 0));
    }
    assert_int_equal(sketch(&shape, 5), 5); /* four sides and what crosses */
    assert_int_equal(sketch(&shape, 3), 3);
    clash_terrain_destroy(terrain);
    free(heights);
}

static void what_cannot_be_shown_has_no_lines(void **state)
{
    enum { SAME = 10000 };
    static uint32_t triangles[SAME][3];
    const clash_vec3 point = {1, 2, 3};
    clash_mesh *mesh = clash_mesh_create(&point, 1, (const uint32_t(*)[3])triangles, SAME);
    const clash_shape speck = {.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    clash_shape none = {.kind = CLASH_SHAPE_MESH};
    clash_pose nowhere = here;

    (void)state;
    assert_non_null(mesh);
    for (size_t room = 0; room < 9; room++)
        for (size_t i = 0, count = sketch(&speck, room); i < 2 * count; i++)
            assert_true(between(end(i), point) == 0);
    assert_int_equal(clash_shape_sketch(&speck, &here, NULL, 0, &is_whole), 0);
    assert_int_equal(sketch(&none, ROOM), 0);
    nowhere.position.x = NAN;
    assert_int_equal(clash_shape_sketch(&speck, &nowhere, lines, ROOM, &is_whole), 0);
    assert_false(is_whole);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_few_lines_is_whole),
        cmocka_unit_test(a_large_mesh_is_shown_all_over),
        cmocka_unit_test(a_pose_places_it),
        cmocka_unit_test(scattered_triangles_are_shown_too),
        cmocka_unit_test(a_large_terrain_is_shown_to_its_borders),
        cmocka_unit_test(what_cannot_be_shown_has_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

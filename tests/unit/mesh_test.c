/* Meshes and terrains as they are made: what is refused, what comes back, and surfaces that would spoil a careless tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include <clash/broad.h>
#include <clash/mesh.h>

#include "support/surface_scenes.h"
#include "support/surface_truth.h"

static const clash_pose unit = {{0, 0, 0, 1}, {0, 0, 0}};
static const clash_span whole = {0, 1};
static const clash_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
static const uint32_t two[2][3] = {{0, 1, 2}, {1, 3, 2}};

static void assert_refused(const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                           uint32_t count)
{
    errno = 0;
    assert_null(clash_mesh_create(vertices, vertex_count, triangles, count));
    assert_int_equal(errno, EINVAL);
}

static void a_mesh_that_is_none_is_refused(void **state)
{
    clash_vec3 broken[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t beyond[1][3] = {{0, 1, 4}};

    (void)state;
    assert_refused(square, 4, two, 0);
    assert_refused(square, 4, beyond, 1);
    assert_refused(square, 0, two, 1);
    assert_refused(square, 4, two, CLASH_TRIANGLES_MAX + 1);
    broken[3].y = (float)NAN;
    assert_refused(broken, 4, two, 1);
    broken[3].y = (float)INFINITY;
    assert_refused(broken, 4, two, 2);
    clash_mesh_destroy(NULL);
}

static void triangles_come_back_as_they_were_given(void **state)
{
    clash_mesh *mesh = clash_mesh_create(square, 4, two, 2);
    clash_vec3 c[3];

    (void)state;
    assert_non_null(mesh);
    assert_int_equal(clash_mesh_triangle_count(mesh), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(clash_mesh_triangle(mesh, i, c), 0);
        for (int k = 0; k < 3; k++)
            assert_memory_equal(&c[k], &square[two[i][k]], sizeof c[k]);
    }
    assert_int_equal(clash_mesh_triangle(mesh, 2, c), -1);
    clash_mesh_destroy(mesh);
}

static void assert_no_terrain(const float *heights, uint32_t columns, uint32_t rows, float x, float z)
{
    errno = 0;
    assert_null(clash_terrain_create(heights, columns, rows, x, z));
    assert_int_equal(errno, EINVAL);
}

static void a_terrain_that_is_none_is_refused(void **state)
{
    float heights[6] = {0, 1, 2, 3, 4, 5};

    (void)state;
    assert_no_terrain(heights, 1, 6, 1, 1);
    assert_no_terrain(heights, 6, 1, 1, 1);
    assert_no_terrain(heights, 3, 2, 0, 1);
    assert_no_terrain(heights, 3, 2, 1, -1);
    assert_no_terrain(heights, 3, 2, (float)NAN, 1);
    assert_no_terrain(heights, 3, 2, 3e38f, 1);
    assert_no_terrain(heights, UINT32_MAX, UINT32_MAX, 1, 1);
    heights[4] = (float)INFINITY;
    assert_no_terrain(heights, 3, 2, 1, 1);
    clash_terrain_destroy(NULL);
}

static void a_terrain_lies_as_its_header_says(void **state)
{
    const float heights[6] = {0, 1, 2, 3, 4, 5};
    clash_terrain *terrain = clash_terrain_create(heights, 3, 2, 0.5f, 2);
    const clash_vec3 first[3] = {{0.5f, 1, 0}, {0.5f, 4, 2}, {1, 2, 0}};
    const clash_vec3 second[3] = {{1, 2, 0}, {0.5f, 4, 2}, {1, 5, 2}};
    clash_vec3 c[3];

    (void)state;
    assert_non_null(terrain);
    assert_int_equal(clash_terrain_triangle_count(terrain), 4);
    assert_int_equal(clash_terrain_triangle(terrain, 2, c), 0);
    assert_memory_equal(c, first, sizeof c);
    assert_int_equal(clash_terrain_triangle(terrain, 3, c), 0);
    assert_memory_equal(c, second, sizeof c);
    assert_int_equal(clash_terrain_triangle(terrain, 4, c), -1);
    clash_terrain_destroy(terrain);
}

static void a_blade_that_falls_onto_a_square_touches_it_where_it_must(void **state)
{
    clash_mesh *mesh = clash_mesh_create(square, 4, two, 2);
    impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {unit, unit}};
    clash_body blade = {{{-1, 0.75f, 0}, {2, 0.75f, 0}, 0.25f}, {unit, unit}};
    clash_toi_output s;

    (void)state;
    blade.motion.from.position.z = 1.25f;
    blade.motion.to.position.z = -0.75f;
    assert_int_equal(impact_sweep_target(&blade, whole, &target, whole, 0, &s), CLASH_SWEEP_HIT);
    assert_float_equal(s.contact.fraction, 0.5, 1e-8);
    assert_float_equal(s.contact.distance, 0.25, 1e-7);
    assert_float_equal(s.contact.normal.z, -1, 0);
    assert_float_equal(s.surface_normal.z, 1, 0);
    assert_true(s.triangle < 2);
    /* From below it is struck just as well: it has no inside, and its normal stays what its winding says. */
    blade.motion.from.position.z = -1.25f;
    blade.motion.to.position.z = 0.75f;
    assert_int_equal(impact_sweep_target(&blade, whole, &target, whole, 0, &s), CLASH_SWEEP_HIT);
    assert_float_equal(s.contact.normal.z, 1, 0);
    assert_float_equal(s.surface_normal.z, 1, 0);
    clash_mesh_destroy(mesh);
}

static void where_the_axis_goes_through_nothing_is_between(void **state)
{
    clash_mesh *mesh = clash_mesh_create(square, 4, two, 2);
    clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};
    clash_toi_output s;

    (void)state;
    assert_true(clash_shape_distance((clash_vec3){0.25f, 0.25f, 1}, (clash_vec3){0.3f, 0.2f, -1}, &shape, &unit, &s) ==
                0);
    assert_int_equal(s.triangle, 0);
    assert_float_equal(s.surface_normal.z, 1, 0);
    assert_float_equal(s.contact.normal.z, -1, 0);
    /* Through the edge that both share: the first of the two. */
    assert_true(clash_shape_distance((clash_vec3){0.5f, 0.5f, 1}, (clash_vec3){0.5f, 0.5f, -1}, &shape, &unit, &s) ==
                0);
    assert_int_equal(s.triangle, 0);
    clash_mesh_destroy(mesh);
}

static void missing_surfaces_and_broken_numbers_are_invalid(void **state)
{
    impact_target none = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {unit, unit}};
    clash_body blade = {{{0, 0, 0}, {0, 0, 1}, 0.1f}, {unit, unit}};
    clash_bounds b = impact_target_bounds(&none, 0);

    (void)state;
    assert_int_equal(impact_sweep_target(&blade, whole, &none, whole, 0, NULL), CLASH_SWEEP_INVALID);
    assert_true(b.low.x > b.high.x);
    none.shape.kind = CLASH_SHAPE_TERRAIN;
    none.shape.as.terrain = NULL;
    assert_int_equal(impact_sweep_target(&blade, whole, &none, whole, 0, NULL), CLASH_SWEEP_INVALID);
    assert_true(isnan(clash_shape_distance(blade.shape.base, blade.shape.tip, &none.shape, &unit, NULL)));
}

enum { MANY = 20000 };
static clash_vec3 vertices[3 * MANY];
static uint32_t triangles[MANY][3];
static ref_vec corners[MANY][3];
static uint32_t lists[1];

static void set_triangle(uint32_t i, clash_vec3 a, clash_vec3 b, clash_vec3 c)
{
    const clash_vec3 all[3] = {a, b, c};

    for (uint32_t k = 0; k < 3; k++) {
        vertices[3 * i + k] = all[k];
        triangles[i][k] = 3 * i + k;
        corners[i][k] = ref_of(all[k]);
    }
}

/** Held against all triangles, from a few places. */
static void assert_mesh_is_whole(uint32_t count, double room)
{
    clash_mesh *mesh = clash_mesh_create(vertices, 3 * count, (const uint32_t(*)[3])triangles, count);
    clash_motion still = {unit, unit};
    clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};
    random_state r = {5};

    assert_non_null(mesh);
    for (int i = 0; i < 20; i++) {
        clash_vec3 a = random_box(&r, room), b = random_box(&r, room);
        clash_body axis = {{a, b, 0}, still};
        surface_truth truth = surface_truth_of(&axis, &still, (const ref_vec(*)[3])corners, count, lists);
        double least = surface_distance_at(&truth, 0);

        assert_true(fabs((double)clash_shape_distance(a, b, &shape, &unit, NULL) - least) <= 1e-6 * (least + room));
    }
    clash_mesh_destroy(mesh);
}

static void all_triangles_in_one_place(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        set_triangle(i, square[0], square[1], square[2]);
    assert_mesh_is_whole(MANY, 2);
}

static void triangles_that_become_ever_smaller(void **state)
{
    float size = 1e30f;

    (void)state;
    for (uint32_t i = 0; i < 2000; i++) {
        set_triangle(i, (clash_vec3){size, 0, 0}, (clash_vec3){0, size, 0}, (clash_vec3){0, 0, size});
        size *= 0.93f;
    }
    assert_mesh_is_whole(2000, 2);
    assert_mesh_is_whole(2000, 1e6);
}

static void points_on_a_line(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        clash_vec3 p = {(float)i * 1e-3f, 0, 0};

        set_triangle(i, p, p, p);
    }
    assert_mesh_is_whole(MANY, 30);
}

static void coordinates_at_the_end_of_float(void **state)
{
    const float far = 3e38f;
    clash_body blade = {{{0, 0, 0}, {0, 0, 1}, 0.1f}, {unit, unit}};
    impact_target target = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {unit, unit}};
    clash_mesh *mesh;

    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        set_triangle(i, (clash_vec3){-far, -far, (float)i - 10.5f}, (clash_vec3){far, -far, (float)i - 10.5f},
                     (clash_vec3){0, far, (float)i - 10.5f});
    mesh = clash_mesh_create(vertices, 150, (const uint32_t(*)[3])triangles, 50);
    assert_non_null(mesh);
    target.shape.as.mesh = mesh;
    /* The triangle at 0.5 is pierced; numbers that large may lose where, but not that. */
    assert_int_equal(impact_sweep_target(&blade, whole, &target, whole, 0, NULL), CLASH_SWEEP_OVERLAP);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_that_is_none_is_refused),
        cmocka_unit_test(triangles_come_back_as_they_were_given),
        cmocka_unit_test(a_terrain_that_is_none_is_refused),
        cmocka_unit_test(a_terrain_lies_as_its_header_says),
        cmocka_unit_test(a_blade_that_falls_onto_a_square_touches_it_where_it_must),
        cmocka_unit_test(where_the_axis_goes_through_nothing_is_between),
        cmocka_unit_test(missing_surfaces_and_broken_numbers_are_invalid),
        cmocka_unit_test(all_triangles_in_one_place),
        cmocka_unit_test(triangles_that_become_ever_smaller),
        cmocka_unit_test(points_on_a_line),
        cmocka_unit_test(coordinates_at_the_end_of_float),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Meshes, terrains and memory: questions to them take none, and where there is none to make one of, that is said and nothing
 * is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "support/allocations.h"
#include "support/impact.h"
#include "support/surface_scenes.h"

static const clash_span whole = {0, 1};
static surface_scene scene;

static void ask(const clash_shape *shape, random_state *r)
{
    impact_target target = {*shape, surface_scene_motion(r, scene.middle)};
    clash_body blade = surface_scene_blade(r);
    clash_toi_output s;

    impact_sweep_target(&blade, whole, &target, whole, 0, &s);
    impact_target_at(&blade, whole, &target, whole, 0, 1, &s);
    clash_shape_distance(blade.shape.base, blade.shape.tip, shape, &target.motion.to, &s);
}

static void questions_take_no_memory(void **state)
{
    random_state r = {17};
    float heights[100] = {0};
    clash_terrain *terrain = clash_terrain_create(heights, 10, 10, 0.1f, 0.1f);
    clash_shape shapes[2] = {{CLASH_SHAPE_TERRAIN, {.terrain = terrain}}, {CLASH_SHAPE_MESH, {.mesh = NULL}}};
    clash_mesh *mesh;
    unsigned long before;

    (void)state;
    surface_scene_fill(&scene, &r, SCENE_BALL);
    mesh = clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
    assert_non_null(terrain);
    assert_non_null(mesh);
    shapes[1].as.mesh = mesh;
    before = allocations;
    for (int i = 0; i < 2000; i++)
        ask(&shapes[i % 2], &r);
    assert_int_equal(allocations, before);
    clash_terrain_destroy(terrain);
    clash_mesh_destroy(mesh);
}

static void without_memory_there_is_no_surface(void **state)
{
    random_state r = {18};
    float heights[100] = {0};
    unsigned long most = 0;

    (void)state;
    surface_scene_fill(&scene, &r, SCENE_PLANE);
    for (unsigned long left = 0;; left++) {
        clash_mesh *mesh;

        allocations_left = left;
        errno = 0;
        mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        allocations_left = -1ul;
        if (mesh) {
            clash_mesh_destroy(mesh);
            break;
        }
        assert_int_equal(errno, ENOMEM);
        most = left;
    }
    assert_true(most > 3);
    for (unsigned long left = 0; left < 3; left++) {
        allocations_left = left;
        errno = 0;
        assert_null(clash_terrain_create(heights, 10, 10, 1, 1));
        allocations_left = -1ul;
        assert_int_equal(errno, ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(questions_take_no_memory),
                                       cmocka_unit_test(without_memory_there_is_no_surface)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

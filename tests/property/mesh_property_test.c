/* Sweeps of blades with meshes against exhaustive search over all triangles: meshes of every kind in surface_scenes.h,
 * blades that swing about them anyhow, and that meet them in each of the ways of the blades' own truth. ctest runs a short
 * form; CLASHD_MILLION=1 at least 100,000 queries. Prints for each kind how many contacts there were, what was wrong, what the
 * search left open, and the largest gap left at a contact; a mistake prints seed, kind and case. And
 * distances at rest, and a larger mesh, whose tree is deep, against its own triangles one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/surface_trial.h"

static const clash_span whole = {0, 1};
static surface_stage stage;

static clash_mesh *make_mesh(random_state *r, int kind)
{
    const surface_scene *scene = &stage.scene;
    clash_mesh *mesh;

    surface_scene_fill(&stage.scene, r, kind);
    surface_stage_prepare(&stage);
    mesh =
        clash_mesh_create(scene->vertices, scene->vertex_count, (const uint32_t(*)[3])scene->triangles, scene->count);
    assert_non_null(mesh);
    return mesh;
}

enum { BLADES_A_MESH = 8 };

static void no_miss_and_no_false_contact(void **state)
{
    static surface_tally kinds[SURFACE_QUERY_KINDS + 1];
    long each = surface_trial_count(SCENE_KINDS, 200), wrong = 0;
    uint64_t seed = random_seed(1000037);

    (void)state;
    surface_print_head("mesh");
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        surface_tally t = {0};

        for (long i = 0; i < each; i += BLADES_A_MESH) {
            random_state r = {seed + ((uint64_t)kind << 40) + ((uint64_t)i << 8)};
            clash_mesh *mesh = make_mesh(&r, kind);
            clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};

            for (int k = 0; k < BLADES_A_MESH; k++)
                surface_trial(seed, scene_names[kind], i + k, &r, &shape, &stage, &t, kinds);
            clash_mesh_destroy(mesh);
        }
        surface_print_tally(scene_names[kind], &t);
        assert_true(t.hits > random_enough(0) && t.overlaps > random_enough(0));
        assert_true(1000 * t.verdicts[SURFACE_OPEN] <= t.queries);
        wrong += surface_mistakes(&t);
    }
    surface_print_kinds(kinds);
    assert_int_equal(wrong, 0);
}

static void distances_at_rest_are_those_of_the_closest_triangle(void **state)
{
    random_state r = {random_seed(1000039)};

    (void)state;
    for (int i = 0; i < (int)random_cases(400); i++) {
        clash_mesh *mesh = make_mesh(&r, i % SCENE_KINDS);
        clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};

        for (int k = 0; k < 20; k++) {
            clash_motion still = surface_scene_motion(&r, stage.scene.middle);
            clash_body blade = surface_scene_blade(&r);
            clash_vec3 p0 = clash_pose_apply(&blade.motion.from, blade.shape.base);
            clash_vec3 p1 = clash_pose_apply(&blade.motion.from, blade.shape.tip);
            clash_pose unit = {{0, 0, 0, 1}, {0, 0, 0}};
            clash_body axis = {{p0, p1, 0}, {unit, unit}};
            clash_toi_output s;
            surface_truth truth;
            float d;

            still.to = still.from;
            truth = surface_truth_of(&axis, &still, (const ref_vec(*)[3])stage.corners, stage.scene.count, stage.lists);
            d = clash_shape_distance(p0, p1, &shape, &still.from, &s);
            assert_true(d == s.contact.distance);
            assert_true(surface_contact_is_right(&truth, &s));
        }
        clash_mesh_destroy(mesh);
    }
}

enum { LARGE = 120 };

/** A bumpy ball of LARGE by LARGE cells. */
static clash_mesh *make_large(clash_mesh **out_single)
{
    static clash_vec3 vertices[(LARGE + 1) * (LARGE + 1)];
    static uint32_t triangles[2 * LARGE * LARGE][3];
    uint32_t count = 0;

    for (uint32_t j = 0; j <= LARGE; j++) {
        for (uint32_t i = 0; i <= LARGE; i++)
            vertices[j * (LARGE + 1) + i] = surface_scene_grid_point(SCENE_BALL, i, j, LARGE, LARGE);
    }
    for (uint32_t j = 0; j < LARGE; j++) {
        for (uint32_t i = 0; i < LARGE; i++) {
            uint32_t a = j * (LARGE + 1) + i, c = a + LARGE + 1, two[6] = {a, c, a + 1, a + 1, c, c + 1};

            for (int k = 0; k < 6; k++)
                triangles[count + (uint32_t)k / 3][k % 3] = two[k];
            count += 2;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out_single[i] =
            clash_mesh_create(vertices, (LARGE + 1) * (LARGE + 1), (const uint32_t(*)[3]) & triangles[i], 1);
        assert_non_null(out_single[i]);
    }
    return clash_mesh_create(vertices, (LARGE + 1) * (LARGE + 1), (const uint32_t(*)[3])triangles, count);
}

/** Each triangle as a mesh of its own, swept alone: the first of them all is what the whole mesh must give, to the bit. */
static void a_deep_tree_leaves_no_triangle_out(void **state)
{
    static clash_mesh *single[2 * LARGE * LARGE];
    clash_mesh *mesh = make_large(single);
    random_state r = {random_seed(1000081)};
    long hits = 0;

    (void)state;
    assert_non_null(mesh);
    for (int i = 0; i < 40; i++) {
        impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, surface_scene_motion(&r, (clash_vec3){0, 0, 0})};
        clash_body blade = surface_scene_blade(&r);
        clash_toi_output s = {0}, one;
        clash_sweep_result result = impact_sweep_target(&blade, whole, &target, whole, 0, &s);
        double first = 2;

        for (uint32_t k = 0; k < clash_mesh_triangle_count(mesh); k++) {
            target.shape.as.mesh = single[k];
            if (impact_sweep_target(&blade, whole, &target, whole, 0, &one) != CLASH_SWEEP_APART)
                first = fmin(first, one.contact.fraction);
        }
        assert_true((result != CLASH_SWEEP_APART) == (first <= 1));
        assert_true(result == CLASH_SWEEP_APART || fabs(s.contact.fraction - first) < 1e-6);
        hits += result == CLASH_SWEEP_HIT;
    }
    assert_true(hits > random_enough(0));
    for (uint32_t k = 0; k < 2 * LARGE * LARGE; k++)
        clash_mesh_destroy(single[k]);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_miss_and_no_false_contact),
                                       cmocka_unit_test(distances_at_rest_are_those_of_the_closest_triangle),
                                       cmocka_unit_test(a_deep_tree_leaves_no_triangle_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

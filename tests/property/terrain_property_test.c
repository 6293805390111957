/* Terrains against the equal meshes of triangles: sweeps, distances, bounds and followed contacts are the same to the bit,
 * though a terrain is walked by its grid and a mesh by a tree. What a mesh gives is held against exhaustive search in
 * mesh_property_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <clash/broad.h>
#include <cmocka.h>
#include <string.h>

#include "support/impact.h"
#include "support/surface_scenes.h"

enum { SIDE_MAX = 40 };

static const clash_span whole = {0, 1};
static float heights[SIDE_MAX * SIDE_MAX];
static clash_vec3 vertices[6 * SIDE_MAX * SIDE_MAX];
static uint32_t triangles[2 * SIDE_MAX * SIDE_MAX][3];

/** Smooth, rough, flat, of steps, or with a spike. */
static void fill_heights(random_state *r, uint32_t columns, uint32_t rows)
{
    int kind = random_below(r, 5);
    double tilt = random_in(r, -0.5, 0.5), s, c;

    for (uint32_t k = 0; k < columns * rows; k++) {
        uint32_t column = k % columns, row = k / columns, stair = column / 3;

        exact_sincos(0.7 * column + 0.3 * row, &s, &c);
        heights[k] = kind == 0   ? (float)(0.1 * s + tilt * 0.1 * row)
                     : kind == 1 ? (float)random_in(r, -0.2, 0.2)
                     : kind == 2 ? 0
                     : kind == 3 ? (float)stair * 0.25f
                                 : (float)(k == columns ? 1.5 : 0.05 * c);
    }
}

static clash_terrain *make_terrain(random_state *r, clash_vec3 *out_middle)
{
    uint32_t columns = 2 + (uint32_t)random_below(r, random_below(r, 4) ? 9 : SIDE_MAX - 2);
    uint32_t rows = 2 + (uint32_t)random_below(r, random_below(r, 4) ? 9 : SIDE_MAX - 2);
    float x = (float)random_in(r, 0.05, 0.4), z = (float)random_in(r, 0.05, 0.4);
    clash_terrain *terrain;

    fill_heights(r, columns, rows);
    *out_middle =
        (clash_vec3){x * (float)(random_below(r, (int)columns)), heights[0], z * (float)(random_below(r, (int)rows))};
    terrain = clash_terrain_create(heights, columns, rows, x, z);
    assert_non_null(terrain);
    return terrain;
}

static clash_mesh *mesh_of(const clash_terrain *terrain)
{
    uint32_t count = clash_terrain_triangle_count(terrain);

    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(clash_terrain_triangle(terrain, i, &vertices[(size_t)3 * i]), 0);
        for (uint32_t k = 0; k < 3; k++)
            triangles[i][k] = 3 * i + k;
    }
    return clash_mesh_create(vertices, 3 * count, (const uint32_t(*)[3])triangles, count);
}

static void assert_same(const clash_toi_output *a, const clash_toi_output *b)
{
    const clash_contact *c = &a->contact, *d = &b->contact;

    assert_memory_equal(&c->fraction, &d->fraction, sizeof c->fraction);
    assert_memory_equal(&c->distance, &d->distance, sizeof c->distance);
    assert_memory_equal(&c->midpoint, &d->midpoint, sizeof c->midpoint);
    assert_memory_equal(c->points, d->points, sizeof c->points);
    assert_memory_equal(&c->normal, &d->normal, sizeof c->normal);
    assert_memory_equal(c->along, d->along, sizeof c->along);
    assert_memory_equal(&a->surface_normal, &b->surface_normal, sizeof a->surface_normal);
    assert_int_equal(a->triangle, b->triangle);
}

static clash_sweep_result assert_sweeps_alike(const clash_body *blade, const impact_target both[2])
{
    clash_toi_output contacts[2];
    clash_sweep_result results[2];

    for (int k = 0; k < 2; k++)
        results[k] = impact_sweep_target(blade, whole, &both[k], whole, 0, &contacts[k]);
    assert_int_equal(results[0], results[1]);
    if (results[0] != CLASH_SWEEP_APART)
        assert_same(&contacts[0], &contacts[1]);
    for (int k = 0; k < 2; k++)
        assert_int_not_equal(impact_target_at(blade, whole, &both[k], whole, 0, 0.25, &contacts[k]),
                             CLASH_SWEEP_INVALID);
    assert_same(&contacts[0], &contacts[1]);
    return results[0];
}

static size_t assert_followed_alike(const clash_body *blade, const impact_target both[2])
{
    impact_settings settings = {0, 0.005f};
    impact_parts parts = {&blade->shape, 1, blade->motion};
    clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
    size_t counts[2];

    for (int k = 0; k < 2; k++) {
        clash_contact_state state = {0};

        counts[k] = impact_advance_target(&state, settings, &parts, whole, &both[k], whole, changes[k]);
    }
    assert_int_equal(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++) {
        assert_int_equal(changes[0][i].kind, changes[1][i].kind);
        assert_memory_equal(&changes[0][i].min_distance, &changes[1][i].min_distance, sizeof(float));
        assert_same(&changes[0][i].impact, &changes[1][i].impact);
    }
    return counts[0];
}

static void a_terrain_gives_what_its_mesh_gives(void **state)
{
    random_state r = {random_seed(1000099)};
    long hits = 0, overlaps = 0, changes = 0;

    (void)state;
    for (int i = 0; i < (int)random_cases(1000); i++) {
        clash_vec3 middle;
        clash_terrain *terrain = make_terrain(&r, &middle);
        clash_mesh *mesh = mesh_of(terrain);

        assert_non_null(mesh);
        for (int k = 0; k < 20; k++) {
            clash_motion motion = surface_scene_motion(&r, middle);
            impact_target both[2] = {{{CLASH_SHAPE_TERRAIN, {.terrain = terrain}}, motion},
                                     {{CLASH_SHAPE_MESH, {.mesh = mesh}}, motion}};
            clash_body blade = surface_scene_blade(&r);
            clash_bounds a = impact_target_bounds(&both[0], 0.01f), b = impact_target_bounds(&both[1], 0.01f);
            clash_sweep_result result = assert_sweeps_alike(&blade, both);

            assert_memory_equal(&a.low, &b.low, sizeof a.low);
            assert_memory_equal(&a.high, &b.high, sizeof a.high);
            hits += result == CLASH_SWEEP_HIT;
            overlaps += result == CLASH_SWEEP_OVERLAP;
            changes += (long)assert_followed_alike(&blade, both);
        }
        clash_mesh_destroy(mesh);
        clash_terrain_destroy(terrain);
    }
    assert_true(hits > random_enough(0) && overlaps > random_enough(0) && changes > hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_terrain_gives_what_its_mesh_gives)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

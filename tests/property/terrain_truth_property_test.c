/* Sweeps of blades with terrains against exhaustive search over all their triangles: terrains of every kind, on which blades
 * swing anyhow and meet corners, edges and faces in each of the ways of the blades' own truth. ctest runs a short form;
 * CLASHD_MILLION=1 at least 100,000 queries. Prints for each kind how many contacts there were, what was wrong, what the
 * search left open, and the largest gap left at a contact; a mistake prints seed, kind and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/surface_trial.h"

typedef enum terrain_kind {
    TERRAIN_HILLS,
    TERRAIN_ROUGH,
    TERRAIN_FLAT,  /* many triangles are equally close */
    TERRAIN_STEPS, /* level ground and all but upright walls */
    TERRAIN_SPIKE, /* one point far above the rest */
    TERRAIN_FINE,  /* cells of millimetres: a blade is above many */
    TERRAIN_WIDE,  /* cells of tens of metres */
    TERRAIN_STRIP, /* one row of cells, a few of them long and narrow */
    TERRAIN_TALL,  /* a kilometre up and down between neighbours */
    TERRAIN_SMALL, /* one cell */
    TERRAIN_KINDS
} terrain_kind;

static const char *const names[TERRAIN_KINDS] = {"hills", "rough", "flat",  "steps", "spike",
                                                 "fine",  "wide",  "strip", "tall",  "small"};

enum { SIDE_MAX = 17, BLADES_A_TERRAIN = 8 };

_Static_assert(2 * (SIDE_MAX - 1) * (SIDE_MAX - 1) <= SCENE_TRIANGLES_MAX, "a scene has room for the largest");

static surface_stage stage;

static float height(random_state *r, terrain_kind kind, uint32_t column, uint32_t row, double tilt)
{
    double s, c;

    exact_sincos(0.7 * column + 0.3 * row, &s, &c);
    switch (kind) {
    case TERRAIN_FLAT:
        return 0.25f;
    case TERRAIN_ROUGH:
    case TERRAIN_SMALL:
    case TERRAIN_STRIP:
        return (float)random_in(r, -0.2, 0.2);
    case TERRAIN_STEPS:
        return floorf((float)column / 3) * 0.25f;
    case TERRAIN_SPIKE:
        return column == 2 && row == 1 ? 2.5f : (float)(0.02 * c);
    case TERRAIN_FINE:
        return (float)random_in(r, 0, 0.002);
    case TERRAIN_WIDE:
        return (float)random_in(r, -5, 5);
    case TERRAIN_TALL:
        return (float)random_in(r, -1000, 1000);
    case TERRAIN_HILLS:
    case TERRAIN_KINDS:
        break;
    }
    return (float)(0.1 * s + tilt * 0.1 * row);
}

static void take_spacing(random_state *r, terrain_kind kind, float out_spacing[2])
{
    double low = kind == TERRAIN_FINE ? 0.002 : kind == TERRAIN_WIDE ? 20 : kind == TERRAIN_STRIP ? 0.005 : 0.05;
    double high = kind == TERRAIN_FINE ? 0.02 : kind == TERRAIN_WIDE ? 60 : kind == TERRAIN_STRIP ? 3 : 0.4;

    for (int k = 0; k < 2; k++)
        out_spacing[k] = (float)random_in(r, low, high);
}

static uint32_t take_side(random_state *r, terrain_kind kind)
{
    return kind == TERRAIN_SMALL ? 2 : 2 + (uint32_t)random_below(r, random_below(r, 4) ? 7 : SIDE_MAX - 1);
}

/** Its triangles become the stage's scene, and a place in it what is struck. */
static clash_terrain *make_terrain(random_state *r, terrain_kind kind)
{
    static float heights[SIDE_MAX * SIDE_MAX];
    uint32_t columns = take_side(r, kind), rows = kind == TERRAIN_STRIP ? 2 : take_side(r, kind);
    surface_scene *scene = &stage.scene;
    double tilt = random_in(r, -0.5, 0.5);
    clash_terrain *terrain;
    float spacing[2];

    for (uint32_t k = 0; k < columns * rows; k++)
        heights[k] = height(r, kind, k % columns, k / columns, tilt);
    take_spacing(r, kind, spacing);
    terrain = clash_terrain_create(heights, columns, rows, spacing[0], spacing[1]);
    assert_non_null(terrain);
    scene->vertex_count = scene->count = 0;
    for (uint32_t i = 0; i < clash_terrain_triangle_count(terrain); i++) {
        clash_vec3 c[3];

        assert_int_equal(clash_terrain_triangle(terrain, i, c), 0);
        surface_scene_add(scene, c[0], c[1], c[2]);
    }
    scene->middle = scene->vertices[random_below(r, (int)scene->vertex_count)];
    surface_stage_prepare(&stage);
    return terrain;
}

static void no_miss_and_no_false_contact(void **state)
{
    static surface_tally kinds[SURFACE_QUERY_KINDS + 1];
    long each = surface_trial_count(TERRAIN_KINDS, 160), wrong = 0;
    uint64_t seed = random_seed(1000121);

    (void)state;
    surface_print_head("terrain");
    for (int kind = 0; kind < TERRAIN_KINDS; kind++) {
        surface_tally t = {0};

        for (long i = 0; i < each; i += BLADES_A_TERRAIN) {
            random_state r = {seed + ((uint64_t)kind << 40) + ((uint64_t)i << 8)};
            clash_terrain *terrain = make_terrain(&r, (terrain_kind)kind);
            clash_shape shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}};

            for (int k = 0; k < BLADES_A_TERRAIN; k++)
                surface_trial(seed, names[kind], i + k, &r, &shape, &stage, &t, kinds);
            clash_terrain_destroy(terrain);
        }
        surface_print_tally(names[kind], &t);
        assert_true(t.hits > random_enough(0) && t.overlaps > random_enough(0));
        assert_true(1000 * t.verdicts[SURFACE_OPEN] <= t.queries);
        wrong += surface_mistakes(&t);
    }
    surface_print_kinds(kinds);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_miss_and_no_false_contact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

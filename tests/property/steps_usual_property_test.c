/* The work that usual queries take, counted, and how much the proofs spare: whatever only saves time must go on saving it, and
 * nothing else would notice. The core is compiled in here once more, as in steps_property_test.c, with counters in its
 * innermost steps. The same bits everywhere mean the same counts everywhere, and no libm
 * makes the queries: the bounds are what was counted when they were set. Whoever saves more work may lower them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <clash/mesh.h>

#include "geometry/pair4_step.h"
#include "geometry/target_closest.h"

static long pairs_looked_at, fours_looked_at, pieces_looked_at, triangles_tried, nodes_opened;

#define pair_at(p, x, out_state) (pairs_looked_at++, (pair_at)(p, x, out_state))
#define pair4_at(p, x, out_state) (fours_looked_at++, (pair4_at)(p, x, out_state))
#define convex_nearest(p, base, u, out) (pieces_looked_at++, (convex_nearest)(p, base, u, out))
#include "geometry/surface_bvh_f32x4.h"
#define convex_of_triangle(out, t) (triangles_tried++, (convex_of_triangle)(out, t))
#define surface_children(s, ref, store, boxes, refs) (nodes_opened++, (surface_children)(s, ref, store, boxes, refs))
#define CORE_NAME core_counted
// NOLINTBEGIN(bugprone-suspicious-include): that is what this test is
#include "geometry/core.c"
#include "geometry/core_batch.c"
#include "geometry/core_parts.c"
#include "geometry/core_surface.c"
#include "geometry/core_target.c"
// NOLINTEND(bugprone-suspicious-include)
#undef pair_at
#undef pair4_at
#undef convex_nearest
#undef convex_of_triangle
#undef surface_children

#include "support/any_query.h"
#include "support/impact.h"
#include "support/surface_scenes.h"

#define SEED 1618

enum { QUERIES = 4000, EIGHT = 8 };

static void assert_at_most(const char *what, long count, long most)
{
    print_message("%s: %ld of %ld\n", what, count, most);
    if (count > most)
        fail_msg("%s: %ld, which should take at most %ld", what, count, most);
}

static void assert_at_least(const char *what, long count, long least)
{
    print_message("%s: %ld of %ld\n", what, count, least);
    if (count < least)
        fail_msg("%s: %ld, which should be at least %ld", what, count, least);
}

/** Until they touch, at about the middle of the interval, and from the start until they are further apart than there. */
static void searches(void **state)
{
    static const long was[ANY_KINDS][2] = {{2870, 3232}, {3066, 3735}, {2831, 3400},  {2939, 3479},  {2795, 3262},
                                           {3584, 4614}, {2590, 3471}, {17753, 6768}, {4449, 7472},  {4261, 2561},
                                           {3119, 4130}, {3206, 1746}, {4046, 2915},  {4488, 2767},  {1864, 1869},
                                           {1675, 2473}, {4231, 3299}, {4297, 3197},  {52190, 37499}};
    random_state r = {SEED};

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        long within = 0, beyond = 0;

        for (int i = 0; i < QUERIES / 4; i++) {
            query q = any_query(&r, kind);
            pair_toi search;
            double limit;
            pair p;

            pair_prepare(&p, &q.a, whole, &q.b, whole);
            (pair_at)(&p, 0.5, &search.state);
            limit = search.state.distance;
            pairs_looked_at = 0;
            pair_first_within(&p, limit, 0.0, 1.0, &search);
            within += pairs_looked_at;
            pairs_looked_at = 0;
            pair_first_beyond(&p, limit, 0.0, 1.0, &search);
            beyond += pairs_looked_at;
        }
        assert_at_most(any_name(kind), within, was[kind][0]);
        assert_at_most(any_name(kind), beyond, was[kind][1]);
    }
}

/** How long it takes to say that they never touch, and never part, by a hair. */
static void searches_in_vain(void **state)
{
    static const long was[ANY_KINDS][2] = {{439, 589},   {607, 837},   {467, 682},   {728, 690},   {448, 558},
                                           {1304, 1360}, {431, 565},   {5225, 4636}, {2540, 3185}, {1329, 1097},
                                           {950, 1464},  {1121, 378},  {1386, 1127}, {1492, 1057}, {250, 250},
                                           {296, 395},   {1391, 1610}, {1423, 1890}, {15826, 8280}};
    random_state r = {SEED + 6};

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        long within = 0, beyond = 0;

        for (int i = 0; i < QUERIES / 16; i++) {
            query q = any_query(&r, kind);
            double least = INFINITY, most = 0;
            pair_toi search;
            pair p;

            pair_prepare(&p, &q.a, whole, &q.b, whole);
            for (int k = 0; k <= 16; k++) {
                (pair_at)(&p, k / 16.0, &search.state);
                least = min_of(least, search.state.distance);
                most = max_of(most, search.state.distance);
            }
            pairs_looked_at = 0;
            pair_first_within(&p, 0.999 * least, 0.0, 1.0, &search);
            within += pairs_looked_at;
            pairs_looked_at = 0;
            pair_first_beyond(&p, 1.001 * most, 0.0, 1.0, &search);
            beyond += pairs_looked_at;
        }
        assert_at_most(any_name(kind), within, was[kind][0]);
        assert_at_most(any_name(kind), beyond, was[kind][1]);
    }
}

static void least_distances(void **state)
{
    random_state r = {SEED + 1};

    (void)state;
    pairs_looked_at = 0;
    for (int i = 0; i < QUERIES; i++) {
        query q = query_make(&r, i % QUERY_KINDS);
        pair p;

        pair_prepare(&p, &q.a, whole, &q.b, whole);
        min_distance(&p, 0.0, 1.0);
    }
    assert_at_most("least distances", pairs_looked_at, 165570);
}

/** Searches eight pairs at once, those that take long after the others: all are answered, each as by itself. Adds the looks at
 *  four and those at one. */
static void search_all(const core_task *tasks, long looks[2])
{
    core_task left[EIGHT];
    size_t count;

    for (int i = 0; i < EIGHT; i++) {
        left[i] = tasks[i];
        *tasks[i].out_result = CLASH_SWEEP_INVALID;
    }
    pairs_looked_at = fours_looked_at = 0;
    count = CORE(sweep_many)(left, EIGHT, false);
    assert_true(count <= (size_t)2 * FEW);
    if (count > 0)
        assert_int_equal(CORE(sweep_many)(left, count, true), 0);
    looks[0] += fours_looked_at;
    looks[1] += pairs_looked_at;
    for (int i = 0; i < EIGHT; i++) {
        const clash_body *a = tasks[i].a, *b = tasks[i].b;
        double limit = (double)a->shape.radius + (double)b->shape.radius;

        assert_int_equal(*tasks[i].out_result, CORE(sweep_near)(a, b, limit, NULL));
    }
}

/** Of pairs that are apart: how many of them each proof shows to be, and how long the batch searches the rest. */
static void proofs(void **state)
{
    random_state r = {SEED + 2};
    long ones = 0, wides = 0, far = 0, looks[2] = {0, 0};

    (void)state;
    for (int i = 0; i < QUERIES; i++) {
        clash_body bodies[2 * EIGHT];
        uint32_t pairs[EIGHT][2];
        clash_sweep_result results[EIGHT];
        core_task tasks[EIGHT];
        unsigned apart;
        bool valid;

        for (uint32_t k = 0; k < EIGHT; k++) {
            query q = query_make(&r, i % QUERY_KINDS);
            const uint32_t a = 2 * k, b = a + 1;

            bodies[a] = q.a, bodies[b] = q.b;
            pairs[k][0] = a, pairs[k][1] = b;
            ones += separation_proves_apart(&q.a, &q.b, any_limit(&q));
            tasks[k] = (core_task){&bodies[a], &bodies[b], &results[k], NULL, 0.0, 0.0};
        }
        wides += __builtin_popcount(CORE(eight_apart)(bodies, (const uint32_t(*)[2])pairs, 0.0f, &valid));
        far += CORE(spheres_apart_run)(bodies, (const uint32_t(*)[2])pairs, EIGHT, 0.0f, &apart)
                   ? EIGHT
                   : __builtin_popcount(apart);
        search_all(tasks, looks);
    }
    assert_at_least("proven one by one", ones, 26152);
    assert_at_least("proven by eights", wides, 26051);
    assert_at_least("far apart", far, 3067);
    assert_at_most("looks at four", looks[0], 12940);
    assert_at_most("looks at one that four were too many for", looks[1], 29);
}

/** A blade follows its contact with a target through the interval: from where it starts, to where it ends. */
static void follow_target(const clash_body *blade, const impact_target *target, double room)
{
    const impact_parts parts = {&blade->shape, 1, blade->motion};
    clash_contact_state touch = {0};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    const clash_toi_input in = impact_blade_target(&parts, whole, target, whole, (impact_settings){0, (float)room});

    core_counted.contact_advance(&touch, &in, changes);
}

/** A ball, the capsule itself or a box, where the capsule is. */
static clash_shape solid_like(random_state *r, clash_shape_kind kind, const clash_capsule *c)
{
    clash_shape s = {.kind = kind};

    if (kind == CLASH_SHAPE_SPHERE)
        s.as.sphere = (clash_sphere){c->tip, 3 * c->radius};
    if (kind == CLASH_SHAPE_CAPSULE)
        s.as.capsule = *c;
    if (kind == CLASH_SHAPE_BOX)
        s.as.box = (clash_box){c->tip, random_turn(r, 6.28), {0.25f, 2 * c->radius, 0.1f}};
    return s;
}

static void targets(void **state)
{
    static const char *const names[] = {"sphere", "capsule", "box"};
    static const long looks[] = {4913, 7325, 9117};

    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        random_state r = {SEED + 3};

        pieces_looked_at = 0;
        for (int i = 0; i < QUERIES; i++) {
            query q = query_make(&r, i % QUERY_KINDS);
            impact_target target = {solid_like(&r, (clash_shape_kind)shape, &q.b.shape), q.b.motion};

            if (i % 2)
                target.motion.to = target.motion.from;
            follow_target(&q.a, &target, random_in(&r, 1e-6, 0.05));
        }
        assert_at_most(names[shape], pieces_looked_at, looks[shape]);
    }
}

static void assert_surface_work(const char *name, const long was[3])
{
    print_message("%s: ", name);
    assert_at_most("looks", pieces_looked_at, was[0]);
    assert_at_most("triangles", triangles_tried, was[1]);
    assert_at_most("nodes", nodes_opened, was[2]);
    pieces_looked_at = triangles_tried = nodes_opened = 0;
}

static void meshes(void **state)
{
    static const long was[SCENE_KINDS][2][3] = {
        {{3074, 1791, 2298}, {1827, 1827, 1000}},    {{27702, 22119, 20487}, {8786, 8786, 6480}},
        {{26266, 18403, 19937}, {3098, 3098, 3176}}, {{59335, 41839, 50371}, {4015, 4015, 3519}},
        {{60227, 36130, 39952}, {3756, 3756, 3454}}, {{11833, 8300, 5665}, {2081, 2081, 1000}},
        {{2685, 1685, 1920}, {2099, 2099, 1000}}};

    (void)state;
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        static surface_scene scene;
        random_state r = {SEED + 4 + (uint64_t)kind};
        clash_mesh *mesh;

        surface_scene_fill(&scene, &r, kind);
        mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        pieces_looked_at = triangles_tried = nodes_opened = 0;
        for (int i = 0; i < QUERIES / 4; i++) {
            clash_body blade = surface_scene_blade(&r);
            impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, surface_scene_motion(&r, scene.middle)};

            follow_target(&blade, &target, random_in(&r, 1e-6, 0.05));
        }
        assert_surface_work(scene_names[kind], was[kind][0]);
        for (int i = 0; i < QUERIES / 4; i++) {
            clash_body blade = surface_scene_blade(&r);
            impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, surface_scene_motion(&r, scene.middle)};
            const impact_parts parts = {&blade.shape, 1, blade.motion};
            const clash_toi_input in = impact_blade_target(&parts, whole, &target, whole, (impact_settings){0, 0});
            clash_toi_output contact;

            core_counted.contact_at(&in, random_in(&r, 0, 1), &contact);
        }
        assert_surface_work("at one moment", was[kind][1]);
        clash_mesh_destroy(mesh);
    }
}

/** Waves of so many points each way, a quarter of a metre apart, and blades over them and beyond their far edge. */
static void over_a_terrain(int side, const long was[3])
{
    enum { SIDE_MAX = 65 };
    static float heights[SIDE_MAX * SIDE_MAX];
    random_state r = {SEED + 5};
    clash_terrain *terrain;

    for (int i = 0; i < side * side; i++) {
        double sine, cosine;

        exact_sincos((i % side) * 0.4, &sine, &cosine);
        heights[i] = (float)(0.3 * sine + random_in(&r, 0, 0.05));
    }
    terrain = clash_terrain_create(heights, (uint32_t)side, (uint32_t)side, 0.25f, 0.25f);
    assert_non_null(terrain);
    pieces_looked_at = triangles_tried = nodes_opened = 0;
    for (int i = 0; i < QUERIES / 4; i++) {
        impact_target target = {.shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}}};
        query q = query_make(&r, i % QUERY_KINDS == QUERY_FAR ? QUERY_HITS : i % QUERY_KINDS);
        clash_vec3 place = {0, 0, 8};

        place.x = (float)random_in(&r, 1, 15);
        place.y = (float)random_in(&r, -0.5, 1.5);
        target.motion.from.orientation = target.motion.to.orientation = (clash_quat){0, 0, 0, 1};
        q.a.motion.from.position = query_add(q.a.motion.from.position, place);
        q.a.motion.to.position = query_add(q.a.motion.to.position, place);
        follow_target(&q.a, &target, random_in(&r, 1e-6, 0.05));
    }
    assert_surface_work("terrain", was);
    clash_terrain_destroy(terrain);
}

/** One whose squares halve down to its cells, and one with a rest at every level. */
static void terrains(void **state)
{
    static const long was[2][3] = {{21268, 16757, 37395}, {12726, 10245, 22593}};

    (void)state;
    over_a_terrain(65, was[0]);
    over_a_terrain(38, was[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches), cmocka_unit_test(searches_in_vain), cmocka_unit_test(least_distances),
        cmocka_unit_test(proofs),   cmocka_unit_test(targets),          cmocka_unit_test(meshes),
        cmocka_unit_test(terrains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rays against solids, meshes and terrains, held against searches of their own: a line enters and leaves a capsule where it is
 * on its surface and misses it where it stays away; the first triangle of a mesh is what trying all of them one by one gives,
 * to the bit, and what another method gives, to rounding; nothing gets through a closed surface at its edges and corners; and a
 * common rigid motion changes nothing. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/ray.h>

#include "support/near.h"
#include "support/queries_hard.h"
#include "support/surface_scenes.h"
#include "support/target_queries.h"

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};
static uint64_t seed;
static surface_scene scene;

#define FAIL(i, ...)                                                               \
    do {                                                                           \
        print_error("seed %llu, case %ld: ", (unsigned long long)seed, (long)(i)); \
        fail_msg(__VA_ARGS__);                                                     \
    } while (0)

static ref_vec at_parameter(clash_vec3 o, clash_vec3 d, double t)
{
    return ref_mad(ref_of(o), ref_of(d), t);
}

/** Least distance of the line from the segment, by ternary search along that. */
static double line_gap(clash_vec3 o, clash_vec3 d, const clash_capsule *c)
{
    ref_vec base = ref_of(c->base), u = truth_from_to(base, ref_of(c->tip));
    double low = 0, high = 1;

    for (int i = 0; i < 200; i++) {
        double thirds[2] = {low + (high - low) / 3, high - (high - low) / 3}, far[2];

        for (int k = 0; k < 2; k++)
            far[k] = ref_length(ref_cross(truth_from_to(ref_of(o), ref_mad(base, u, thirds[k])), ref_of(d)));
        if (far[0] <= far[1])
            high = thirds[1];
        else
            low = thirds[0];
    }
    return ref_length(ref_cross(truth_from_to(ref_of(o), ref_mad(base, u, low)), ref_of(d))) / ref_length(ref_of(d));
}

/** Of any size: aimed at it, along it, almost along it, just touching, at an end, from inside. */
static void capsule_and_line(random_state *r, clash_capsule *c, clash_vec3 *o, clash_vec3 *d)
{
    double size = hard_decades(r, -2, 3);
    clash_vec3 at;

    *c = (clash_capsule){random_box(r, size), random_box(r, size), (float)(size * hard_decades(r, -3, 0))};
    if (random_below(r, 8) == 0)
        c->tip = c->base;
    if (random_below(r, 8) == 0)
        c->radius = 0;
    at = query_add(hard_point_on(c, random_below(r, 3) / 2.0), random_box(r, (double)c->radius));
    *o = random_below(r, 4) ? random_box(r, 3 * size) : at;
    *d = hard_scaled(clash_vec3_sub(at, *o), random_in(r, 0.1, 2));
    if (random_below(r, 3) == 0)
        *d = clash_vec3_sub(c->tip, c->base);
    if (random_below(r, 6) == 0)
        *d = query_add(*d, random_box(r, 1e-6 * size));
    if (!(clash_vec3_length(*d) > 0))
        *d = random_direction(r);
}

static void lines_end_on_capsules(void **state)
{
    random_state r = {seed};
    long crossings = 0;

    (void)state;
    for (long i = 0; i < random_cases(50000); i++) {
        clash_capsule c;
        clash_vec3 o, d;
        double t[2], size, length;
        int found;

        capsule_and_line(&r, &c, &o, &d);
        length = (double)clash_vec3_length(d);
        size = (double)(clash_vec3_length(c.base) + clash_vec3_length(c.tip) + clash_vec3_length(o) + c.radius);
        found = clash_line_capsule(o, d, &c, t);
        crossings += found == 2;
        for (int k = 0; k < found; k++) {
            ref_vec p = at_parameter(o, d, t[k]);
            double off = ref_point_segment(p, ref_of(c.base), ref_of(c.tip)) - (double)c.radius;

            /* where it grazes, what rounds across it tells much more along it */
            if (!(fabs(off) <= 1e-7 * (double)c.radius + 1e-12 * size) || !(t[0] <= t[1]))
                FAIL(i, "%g off the surface at %g", off, t[k]);
        }
        if (found == 2 && (t[1] - t[0]) * length > 1e-3 * size)
            for (int k = 1; k < 8; k++)
                if (ref_point_segment(at_parameter(o, d, t[0] + (t[1] - t[0]) * k / 8), ref_of(c.base), ref_of(c.tip)) >
                    (double)c.radius + 1e-12 * size)
                    FAIL(i, "outside between");
        if (found != 2 && line_gap(o, d, &c) < (double)c.radius - 1e-12 * size)
            FAIL(i, "missed by %g", line_gap(o, d, &c) - (double)c.radius);
        if (found == 2 && line_gap(o, d, &c) > (double)c.radius + 1e-9 * size)
            FAIL(i, "invented by %g", line_gap(o, d, &c) - (double)c.radius);
    }
    assert_true(crossings > random_enough(10000));
}

/** At the hit it is on the shape, before that it is not, and what misses stays away: the distance along a line from a convex
 *  shape has one minimum. */
static void first_hits_of_solids(void **state)
{
    random_state r = {seed + 1};
    long hits = 0, inside = 0;

    (void)state;
    for (long i = 0; i < random_cases(20000); i++) {
        target_query q = target_query_any(&r, random_below(&r, TARGET_QUERY_KINDS), random_below(&r, TARGET_SHAPES));
        const clash_pose pose = q.target.motion.from;
        const clash_shape *shape = &q.target.shape; /* all begin with a point of theirs */
        clash_vec3 o =
            query_add(clash_pose_apply(&pose, shape->as.sphere.center), random_box(&r, hard_decades(&r, -2, 1)));
        clash_vec3 aim = query_add(clash_pose_apply(&pose, shape->as.sphere.center), random_box(&r, 0.1)), p;
        clash_vec3 d = hard_scaled(clash_vec3_sub(aim, o), random_in(&r, 0.1, 3));
        double size = 1e-6 * (double)(clash_vec3_length(o) + clash_vec3_length(pose.position) + clash_vec3_length(d)),
               t;
        clash_ray_hit h;
        int found;

        if (!(clash_vec3_length(d) > 0))
            continue;
        found = clash_ray_shape(o, d, INFINITY, shape, &pose, &h);
        hits += found;
        if (found < 0)
            FAIL(i, "invalid");
        t = found ? h.parameter : 100;
        p = clash_vec3_add_scaled(o, d, t);
        if (found && (double)clash_shape_distance(p, p, shape, &pose, NULL) > size)
            FAIL(i, "not on the shape");
        if (found && (fabsf(clash_vec3_length(h.normal) - 1) > 1e-5f || clash_vec3_dot(h.normal, d) > 1e-5f))
            FAIL(i, "normal %g %g %g", (double)h.normal.x, (double)h.normal.y, (double)h.normal.z);
        inside += found && h.inside;
        p = clash_vec3_add_scaled(o, d, 0.999 * t);
        if (found && !h.inside && (double)clash_shape_distance(o, p, shape, &pose, NULL) == 0 &&
            1e-3 * t * (double)clash_vec3_length(d) > size)
            FAIL(i, "it meets the shape before");
        if (!found && (double)clash_shape_distance(o, p, shape, &pose, NULL) == 0)
            FAIL(i, "missed");
    }
    assert_true(hits > random_enough(2000) && inside > random_enough(100));
}

/** T. Moeller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997; NaN where it passes by. *out_doubt: how
 *  near it comes to an edge, and how flat it meets the plane. */
static double other_method(ref_vec o, ref_vec d, const clash_vec3 c[3], double *out_doubt)
{
    ref_vec a = ref_of(c[0]), e = truth_from_to(a, ref_of(c[1])), f = truth_from_to(a, ref_of(c[2]));
    ref_vec p = ref_cross(d, f), s = truth_from_to(a, o), q = ref_cross(s, e);
    double det = ref_dot(e, p), u = ref_dot(s, p) / det, v = ref_dot(d, q) / det;
    double flat = fabs(det) / (ref_length(d) * ref_length(e) * ref_length(f) + 1e-300);

    *out_doubt = fmin(fmin(fmin(fabs(u), fabs(v)), fabs(1 - u - v)), flat);
    return u >= 0 && v >= 0 && u + v <= 1 ? ref_dot(f, q) / det : (double)NAN;
}

typedef struct mesh_ray {
    clash_vec3 o, d;
    clash_pose pose;
} mesh_ray;

/** At a corner, along an edge, at anything, from anywhere: as the surface's device sees it, moved to where that is. */
static mesh_ray mesh_ray_of(random_state *r)
{
    const clash_vec3 *corner = &scene.vertices[scene.triangles[random_below(r, (int)scene.count)][random_below(r, 3)]];
    mesh_ray q = {.pose = random_below(r, 2) ? origin : surface_scene_motion(r, scene.middle).from};
    clash_vec3 at = random_below(r, 2) ? *corner : query_add(scene.middle, random_box(r, 0.5));

    q.o = query_add(scene.middle, random_box(r, random_below(r, 4) ? 2 : 0.2));
    q.d = clash_vec3_sub(at, q.o);
    if (random_below(r, 4) == 0)
        q.d = (clash_vec3){0, random_below(r, 2) ? 1 : -1, 0};
    if (!(clash_vec3_length(q.d) > 0))
        q.d = random_direction(r);
    q.o = clash_pose_apply(&q.pose, q.o);
    q.d = clash_pose_rotate(&q.pose, q.d);
    return q;
}

static int nearest_one_by_one(const mesh_ray *q, clash_ray_hit *out)
{
    const uint32_t indices[1][3] = {{0, 1, 2}};
    int found = 0;

    for (uint32_t k = 0; k < scene.count; k++) {
        clash_vec3 c[3];
        clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = NULL}};
        clash_mesh *mesh;
        clash_ray_hit h;

        for (int i = 0; i < 3; i++)
            c[i] = scene.vertices[scene.triangles[k][i]];
        shape.as.mesh = mesh = clash_mesh_create(c, 3, indices, 1);
        assert_non_null(mesh);
        if (clash_ray_shape(q->o, q->d, INFINITY, &shape, &q->pose, &h) == 1 &&
            (!found || h.parameter < out->parameter)) {
            *out = h;
            out->triangle = k;
            found = 1;
        }
        clash_mesh_destroy(mesh);
    }
    return found;
}

/** The other method on all triangles; false where it is in doubt. */
static bool nearest_by_other_method(const mesh_ray *q, double *out_parameter)
{
    ref_quat turn = ref_unit(q->pose.orientation), back = {turn.w, {-turn.v.x, -turn.v.y, -turn.v.z}};
    ref_vec o = ref_turn(back, truth_from_to(ref_of(q->pose.position), ref_of(q->o))), d = ref_turn(back, ref_of(q->d));
    double all = 1, one;

    *out_parameter = INFINITY;
    for (uint32_t k = 0; k < scene.count; k++) {
        clash_vec3 c[3];
        double t;

        for (int i = 0; i < 3; i++)
            c[i] = scene.vertices[scene.triangles[k][i]];
        t = other_method(o, d, c, &one);
        all = isnan(one) ? all : fmin(all, one);
        if (t >= 0 && t < *out_parameter)
            *out_parameter = t;
    }
    return all > 1e-6;
}

static void meshes_are_their_triangles(void **state)
{
    random_state r = {seed + 2};
    long hits = 0, sure = 0;

    (void)state;
    for (long i = 0; i < random_cases(700); i++) {
        clash_mesh *mesh;
        clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = NULL}};

        surface_scene_fill(&scene, &r, (int)(i % SCENE_KINDS));
        shape.as.mesh = mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        for (int k = 0; k < 20; k++) {
            mesh_ray q = mesh_ray_of(&r);
            clash_ray_hit h = {.parameter = 0}, one = {.parameter = 0};
            int found = clash_ray_shape(q.o, q.d, INFINITY, &shape, &q.pose, &h);
            double other;

            if (found != nearest_one_by_one(&q, &one))
                FAIL(i, "%s, ray %d: %d", scene_names[i % SCENE_KINDS], k, found);
            hits += found;
            if (found && (h.parameter != one.parameter || h.triangle != one.triangle || h.normal.x != one.normal.x))
                FAIL(i, "%s, ray %d: triangle %u at %.17g, not %u at %.17g", scene_names[i % SCENE_KINDS], k,
                     h.triangle, h.parameter, one.triangle, one.parameter);
            if (!nearest_by_other_method(&q, &other))
                continue;
            sure++;
            if (found != isfinite(other) || (found && fabs(h.parameter - other) > 1e-6 * (1 + other)))
                FAIL(i, "%s, ray %d: %g, by the other method %g", scene_names[i % SCENE_KINDS], k,
                     found ? h.parameter : INFINITY, other);
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(hits > random_enough(2000) && sure > random_enough(2000));
}

/** The scene's ball with all its points at a pole in one place: what is left open there. */
static void close_ball(void)
{
    clash_vec3 south = scene.vertices[scene.vertex_count - 1];

    for (uint32_t i = 0; i < scene.vertex_count; i++) {
        bool is_north = fabsf(scene.vertices[i].x) + fabsf(scene.vertices[i].z) < 1e-6f && scene.vertices[i].y > 0;
        bool is_south = fabsf(scene.vertices[i].x) + fabsf(scene.vertices[i].z) < 1e-6f && scene.vertices[i].y < 0;

        scene.vertices[i] = is_north ? scene.vertices[0] : is_south ? south : scene.vertices[i];
    }
}

/** From inside a closed ball, at its corners and anywhere on its edges: never out. */
static void closed_surfaces_are_tight(void **state)
{
    random_state r = {seed + 3};

    (void)state;
    for (long i = 0; i < random_cases(300); i++) {
        clash_mesh *mesh;
        clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = NULL}};
        const clash_pose pose = {random_turn(&r, random_below(&r, 2) ? 6 : 0),
                                 random_box(&r, random_below(&r, 2) ? 100 : 0)};

        surface_scene_fill(&scene, &r, SCENE_BALL);
        close_ball();
        shape.as.mesh = mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        for (int k = 0; k < 300; k++) {
            const uint32_t *t = scene.triangles[random_below(&r, (int)scene.count)];
            clash_vec3 a = scene.vertices[t[random_below(&r, 3)]], b = scene.vertices[t[random_below(&r, 3)]];
            clash_vec3 at = clash_vec3_add_scaled(a, clash_vec3_sub(b, a), random_below(&r, 5) / 4.0);
            clash_vec3 o = clash_pose_apply(&pose, random_box(&r, 0.1));

            if (clash_ray_shape(o, clash_vec3_sub(clash_pose_apply(&pose, at), o), INFINITY, &shape, &pose, NULL) != 1)
                FAIL(i, "ray %d got out", k);
        }
        clash_mesh_destroy(mesh);
    }
}

/** Straight down on points, edges and diagonals of a grid, and slanting: what is above it meets it, where its mesh does. */
static void terrains_are_tight_and_their_meshes(void **state)
{
    enum { SIDE = 23 };
    static float heights[SIDE * SIDE];
    static clash_vec3 corners[6 * SIDE * SIDE];
    static uint32_t indices[2 * SIDE * SIDE][3];
    random_state r = {seed + 4};
    clash_terrain *terrain;
    clash_mesh *mesh;
    clash_shape shapes[2] = {{CLASH_SHAPE_TERRAIN, {.terrain = NULL}}, {CLASH_SHAPE_MESH, {.mesh = NULL}}};
    uint32_t count;

    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (float)random_in(&r, -0.5, 0.5);
    shapes[0].as.terrain = terrain = clash_terrain_create(heights, SIDE, SIDE, 0.3f, 0.7f);
    assert_non_null(terrain);
    count = clash_terrain_triangle_count(terrain);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(clash_terrain_triangle(terrain, i, &corners[(size_t)3 * i]), 0);
        for (uint32_t k = 0; k < 3; k++)
            indices[i][k] = 3 * i + k;
    }
    shapes[1].as.mesh = mesh = clash_mesh_create(corners, 3 * count, (const uint32_t(*)[3])indices, count);
    assert_non_null(mesh);
    for (long i = 0; i < random_cases(30000); i++) {
        clash_vec3 at = {0.3f * (float)random_below(&r, SIDE - 1), 2, 0.7f * (float)random_below(&r, SIDE - 1)},
                   d = {0, -1, 0};
        clash_ray_hit h[2] = {{.parameter = 0}, {.parameter = 0}};
        int found[2];

        if (random_below(&r, 2))
            at = (clash_vec3){(float)random_in(&r, 0, 6.5), 2, (float)random_in(&r, 0, 15)};
        if (random_below(&r, 2))
            d = random_box(&r, 1);
        for (int k = 0; k < 2; k++)
            found[k] = clash_ray_shape(at, d, INFINITY, &shapes[k], &origin, &h[k]);
        if (d.x == 0 && d.z == 0 && found[0] != 1)
            FAIL(i, "through the ground at %.9g %.9g", (double)at.x, (double)at.z);
        if (found[0] != found[1] || h[0].parameter != h[1].parameter || h[0].triangle != h[1].triangle)
            FAIL(i, "terrain %d %u %.17g, mesh %d %u %.17g", found[0], h[0].triangle, h[0].parameter, found[1],
                 h[1].triangle, h[1].parameter);
    }
    clash_terrain_destroy(terrain);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_on_capsules),
        cmocka_unit_test(first_hits_of_solids),
        cmocka_unit_test(meshes_are_their_triangles),
        cmocka_unit_test(closed_surfaces_are_tight),
        cmocka_unit_test(terrains_are_tight_and_their_meshes),
    };

    seed = random_seed(31);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

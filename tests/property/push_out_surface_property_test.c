/* Push-out of surfaces that may leave no way: bodies in random heaps of triangles and in shafts too narrow for them, with more
 * and less reach. Where it says outside it is outside and within reach, by distances that the push-out has no part in; where
 * it says stuck no place outside is found by trying many. And a sheet that is open at its borders: which side of it a body
 * ends on. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <clash/mesh.h>
#include <clash/push_out.h>

#include "support/push.h"
#include "support/queries_hard.h"
#include "support/surface_pair.h"
#include "support/surface_scenes.h"

enum { TRIES = 1500 };

static surface_scene scene;

/** What a case asks for. */
typedef struct push_case {
    clash_capsule body;
    clash_pose pose;
    float reach;
} push_case;

static clash_mesh *made(void)
{
    clash_mesh *mesh =
        clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);

    assert_non_null(mesh);
    return mesh;
}

/** Of the body moved by x, from the scene as it stands. */
static double gap_of(const push_case *p, ref_vec x)
{
    ref_quat q = ref_unit(p->pose.orientation);
    ref_vec at = ref_mad(ref_of(p->pose.position), x, 1), axis[2];
    double least = HUGE_VAL;

    axis[0] = ref_mad(at, ref_turn(q, ref_of(p->body.base)), 1);
    axis[1] = ref_mad(at, ref_turn(q, ref_of(p->body.tip)), 1);
    for (uint32_t i = 0; i < scene.count; i++) {
        ref_vec c[3];

        for (int k = 0; k < 3; k++)
            c[k] = ref_of(scene.vertices[scene.triangles[i][k]]);
        least = fmin(least, surface_pair_of(axis, c).distance);
    }
    return least - (double)p->body.radius;
}

static void quad(const clash_pose *pose, clash_vec3 a, clash_vec3 b, clash_vec3 c, clash_vec3 d)
{
    clash_vec3 p[4] = {clash_pose_apply(pose, a), clash_pose_apply(pose, b), clash_pose_apply(pose, c),
                       clash_pose_apply(pose, d)};

    surface_scene_add(&scene, p[0], p[1], p[2]);
    surface_scene_add(&scene, p[0], p[2], p[3]);
}

/** Two to four long walls around the origin, at any lie, some of them nearer to each other than the body is wide. */
static void fill_shaft(random_state *r, double width)
{
    clash_pose lie = {random_turn(r, 6.28), {0, 0, 0}};
    float w = (float)width, v = (float)random_in(r, 0.1, 1), l = 4;
    int walls = 2 + random_below(r, 3);

    quad(&lie, (clash_vec3){-w, -l, l}, (clash_vec3){-w, -l, -l}, (clash_vec3){-w, l, -l}, (clash_vec3){-w, l, l});
    quad(&lie, (clash_vec3){w, -l, -l}, (clash_vec3){w, -l, l}, (clash_vec3){w, l, l}, (clash_vec3){w, l, -l});
    if (walls > 2)
        quad(&lie, (clash_vec3){-l, -l, -v}, (clash_vec3){l, -l, -v}, (clash_vec3){l, l, -v}, (clash_vec3){-l, l, -v});
    if (walls > 3)
        quad(&lie, (clash_vec3){l, -l, v}, (clash_vec3){-l, -l, v}, (clash_vec3){-l, l, v}, (clash_vec3){l, l, v});
}

static push_case make_case(random_state *r, bool heap)
{
    push_case p = {.pose = {random_turn(r, 6.28), {0, 0, 0}}};
    double radius = random_in(r, 0.05, 0.3);

    p.body = hard_blade(r, random_in(r, 0, 1), radius);
    p.pose.position = random_box(r, 0.2);
    p.reach = (float)random_in(r, 0.05, 0.6);
    scene.vertex_count = scene.count = 0;
    scene.middle = (clash_vec3){0, 0, 0};
    if (!heap) {
        fill_shaft(r, random_in(r, 0.02, 0.5));
        return p;
    }
    for (int k = 1 + random_below(r, 30); k > 0; k--)
        surface_scene_add_any(&scene, r, 0.6, random_in(r, 0.05, 0.6));
    return p;
}

/** A place outside within reach, if one of many is. */
static bool has_way(random_state *r, const push_case *p, double *out_length)
{
    for (int k = 0; k < TRIES; k++) {
        double length = (double)p->reach * cbrt(random_in(r, 0, 1));
        ref_vec way = ref_mad((ref_vec){0, 0, 0}, ref_of(random_direction(r)), length);

        *out_length = length;
        if (gap_of(p, way) >= 1e-3)
            return true;
    }
    return false;
}

static void outside_or_stuck(uint64_t seed, long i, bool heap, long results[4], long *escapes)
{
    random_state r = {seed + ((uint64_t)i << 8)};
    push_case p = make_case(&r, heap);
    clash_mesh *mesh = made();
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{0, 0, 0, 1}, {0, 0, 0}}};
    clash_pose out;
    clash_push_result result = push_pose(&p.body, 1, &p.pose, &o, 1, p.reach, &out);
    ref_vec x = surface_from_to(ref_of(p.pose.position), ref_of(out.position));
    double gap = gap_of(&p, x), length;

    clash_mesh_destroy(mesh);
    results[result]++;
    if (result == CLASH_PUSH_INVALID || (result != CLASH_PUSH_MOVED && ref_length(x) != 0))
        fail_msg("seed %llu case %ld: %d", (unsigned long long)seed, i, (int)result);
    if (result != CLASH_PUSH_STUCK && (gap < -1.01e-4 || ref_length(x) > (double)p.reach + 1e-5))
        fail_msg("seed %llu case %ld: %d, %g deep after %g m", (unsigned long long)seed, i, (int)result, -gap,
                 ref_length(x));
    if (result == CLASH_PUSH_STUCK && has_way(&r, &p, &length)) {
        ++*escapes;
        print_error("seed %llu case %ld: stuck, but out by %g of %g\n", (unsigned long long)seed, i, length,
                    (double)p.reach);
    }
}

static void check_many(const char *name, bool heap)
{
    uint64_t seed = random_seed(20261117);
    long results[4] = {0}, escapes = 0;

    for (long i = 0; i < random_cases(2000); i++)
        outside_or_stuck(seed, i, heap, results, &escapes);
    printf("%s: free %ld, moved %ld, stuck %ld, with a way out all the same %ld\n", name, results[CLASH_PUSH_FREE],
           results[CLASH_PUSH_MOVED], results[CLASH_PUSH_STUCK], escapes);
    assert_true(results[CLASH_PUSH_FREE] > random_enough(20) && results[CLASH_PUSH_MOVED] > random_enough(200) &&
                results[CLASH_PUSH_STUCK] > random_enough(100));
    assert_int_equal(escapes, 0);
}

static void in_shafts(void **state)
{
    (void)state;
    check_many("shafts", false);
}

static void in_heaps(void **state)
{
    (void)state;
    check_many("heaps", true);
}

static void fill_sheet(const clash_pose *lie)
{
    scene.vertex_count = scene.count = 0;
    for (int k = 0; k < 16; k++) {
        const int column = k % 4, row = k / 4;
        float x = (float)column * 3 - 6, z = (float)row * 3 - 6;

        quad(lie, (clash_vec3){x, 0, z}, (clash_vec3){x, 0, z + 3}, (clash_vec3){x + 3, 0, z + 3},
             (clash_vec3){x + 3, 0, z});
    }
}

/** Of both ends above the sheet. */
static void heights_of(const clash_capsule *body, const clash_pose *pose, const clash_pose *lie, double out[2])
{
    ref_vec up = ref_turn(ref_unit(lie->orientation), (ref_vec){0, 1, 0});

    for (int i = 0; i < 2; i++) {
        ref_vec end = ref_turn(ref_unit(pose->orientation), ref_of(i ? body->tip : body->base));

        out[i] = ref_dot(up, ref_mad(surface_from_to(ref_of(lie->position), ref_of(pose->position)), end, 1));
    }
}

/** A surface has no inside: what is all on one side of it stays there, and what straddles it goes to the outer side. */
static void check_sheet(uint64_t seed, long i, long counts[4])
{
    random_state r = {seed + ((uint64_t)i << 8)};
    clash_pose lie = {random_turn(&r, 6.28), random_box(&r, 50)}, out;
    push_case p = {.pose = {random_turn(&r, 6.28), random_box(&r, 0.6)}, .reach = 2};
    double radius = random_in(&r, 0.02, 0.3), before[2], after[2], low, high;
    clash_push_result result;
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};
    clash_mesh *mesh;
    bool straddles, free;

    p.body = hard_blade(&r, random_in(&r, 0, 1), radius);
    p.pose.position = query_add(lie.position, p.pose.position);
    radius = (double)p.body.radius;
    fill_sheet(&lie);
    heights_of(&p.body, &p.pose, &lie, before);
    low = fmin(before[0], before[1]), high = fmax(before[0], before[1]);
    straddles = low < 0 && high > 0;
    free = low > radius - 1e-4 || high < -radius + 1e-4;
    if (fmin(fabs(low), fabs(high)) < 1e-3 || fmin(fabs(low - radius), fabs(high + radius)) < 1e-3)
        return;
    mesh = made();
    o.shape.as.mesh = mesh;
    result = push_pose(&p.body, 1, &p.pose, &o, 1, p.reach, &out);
    clash_mesh_destroy(mesh);
    heights_of(&p.body, &out, &lie, after);
    counts[free ? 0 : straddles ? 1 : low > 0 ? 2 : 3]++;
    if (result != (free ? CLASH_PUSH_FREE : CLASH_PUSH_MOVED) ||
        (low > 0 || (straddles && !free) ? fmin(after[0], after[1]) < radius - 1.1e-4
                                         : fmax(after[0], after[1]) > -radius + 1.1e-4))
        fail_msg("seed %llu case %ld: %d, heights from %g %g to %g %g, radius %g", (unsigned long long)seed, i,
                 (int)result, before[0], before[1], after[0], after[1], radius);
}

static void through_an_open_sheet(void **state)
{
    uint64_t seed = random_seed(20261121);
    long counts[4] = {0};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++)
        check_sheet(seed, i, counts);
    printf("free %ld, straddling %ld, sunk in from the front %ld, from behind %ld\n", counts[0], counts[1], counts[2],
           counts[3]);
    assert_true(counts[0] > random_enough(100) && counts[1] > random_enough(100) && counts[2] > random_enough(20) &&
                counts[3] > random_enough(20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_shafts), cmocka_unit_test(in_heaps),
                                       cmocka_unit_test(through_an_open_sheet)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Push-out that keeps to the side it came from: before thin walls, however far the wanted place is beyond them, by the least
 * move; in a room, thrown about by many times its size; between triangles anywhere, turning as it goes, where the way to the
 * answer is held against the triangles moment by moment with code that is not libclash's. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <clash/mesh.h>
#include <clash/push_out.h>

#include "support/near.h"
#include "support/push.h"
#include "support/queries_hard.h"
#include "support/reference.h"
#include "support/surface_pair.h"
#include "support/surface_scenes.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};
/** A person's body, feet at the origin. */
static const clash_capsule body = {{0, 0.3f, 0}, {0, 1.4f, 0}, 0.3f};
static uint64_t seed;
static surface_scene scene;

#define FAIL(i, ...)                                                               \
    do {                                                                           \
        print_error("seed %llu, case %ld: ", (unsigned long long)seed, (long)(i)); \
        fail_msg(__VA_ARGS__);                                                     \
    } while (0)

/** One square across z, facing +z. */
static clash_mesh *one_wall(double half)
{
    const clash_vec3 v[4] = {V(-half, -half, 0), V(half, -half, 0), V(half, half, 0), V(-half, half, 0)};
    const uint32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};

    return clash_mesh_create(v, 4, t, 2);
}

/** How far the body is before the plane z = 0, on the side that `from` is on. */
static double before_wall(const clash_capsule *c, const clash_pose *at, const clash_pose *from)
{
    double base = (double)clash_pose_apply(at, c->base).z, tip = (double)clash_pose_apply(at, c->tip).z;

    return from->position.z > 0 ? fmin(base, tip) : -fmax(base, tip);
}

/** Of no thickness, or a centimetre thick: a wall that can be pierced, and one that can be got to the middle of. */
static void no_wall_is_passed(void **state)
{
    random_state r = {seed};
    clash_mesh *mesh = one_wall(100);
    clash_obstacle walls[2] = {{{CLASH_SHAPE_MESH, {.mesh = mesh}}, origin},
                               {{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, {100, 100, 0.005f}}}}, origin}};
    long moved = 0, free = 0;

    (void)state;
    assert_non_null(mesh);
    for (long i = 0; i < random_cases(20000); i++) {
        int kind = random_below(&r, 2);
        double thick = kind ? 0.005 : 0, nearest = thick + 0.3, side = random_below(&r, 2) ? 1 : -1, least;
        clash_pose from = {random_turn(&r, 0), random_box(&r, 3)}, wanted = {from.orientation, random_box(&r, 4)},
                   out = from;
        clash_push_result result;

        from.position.z = (float)(side * (nearest + random_in(&r, 0, 2)));
        result = push_pose_from(&body, 1, &from, &wanted, &walls[kind], 1, 20, &out);
        moved += result == CLASH_PUSH_MOVED;
        free += result == CLASH_PUSH_FREE;
        if (result != CLASH_PUSH_MOVED && result != CLASH_PUSH_FREE)
            FAIL(i, "result %d", (int)result);
        if (before_wall(&body, &out, &from) < nearest - 1.1e-4)
            FAIL(i, "from z %g to %g it came to %g", (double)from.position.z, (double)wanted.position.z,
                 (double)out.position.z);
        least = fmax(0, nearest - before_wall(&body, &wanted, &from));
        if (fabs((double)clash_vec3_distance(out.position, wanted.position) - least) > 1.1e-4 + 1e-6 * least)
            FAIL(i, "moved by %g, not %g", (double)clash_vec3_distance(out.position, wanted.position), least);
        if ((result == CLASH_PUSH_FREE) != (least <= 1e-4) && fabs(least - 1e-4) > 1e-5)
            FAIL(i, "result %d, where %g is the least", (int)result, least);
    }
    assert_true(moved > random_enough(1000) && free > random_enough(1000));
    clash_mesh_destroy(mesh);
}

/** A room of 6 by 6 by 3 m whose walls have no thickness and face inwards or outwards, with a pillar of the same kind. */
static clash_mesh *room(bool outwards)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    clash_vec3 v[16];
    uint32_t t[24][3], count = 0;

    for (uint32_t k = 0; k < 8; k++) {
        v[k] = V(k & 1 ? 3 : -3, k & 2 ? 3 : 0, k & 4 ? 3 : -3);
        v[8 + k] = V(k & 1 ? 1.5 : 1.3, k & 2 ? 3 : 0, k & 4 ? 1.6 : 1.3);
    }
    for (uint32_t b = 0; b < 2; b++) {
        for (uint32_t f = 0; f < 6; f++) {
            for (uint32_t h = 0; h < 2; h++) {
                uint32_t *one = t[count++];

                one[0] = 8 * b + (uint32_t)faces[f][0];
                one[1] = 8 * b + (uint32_t)faces[f][outwards ? 1 + h : 2 + h];
                one[2] = 8 * b + (uint32_t)faces[f][outwards ? 2 + h : 1 + h];
            }
        }
    }
    return clash_mesh_create(v, 16, (const uint32_t(*)[3])t, count);
}

static void thrown_about_in_a_room(void **state)
{
    (void)state;
    for (int outwards = 0; outwards < 2; outwards++) {
        random_state r = {seed + 1};
        clash_mesh *mesh = room(outwards == 1);
        clash_pose place = {{0, 0.6f, 0, 0.8f}, {1000, 10, -500}};
        clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, place};
        clash_pose at = {place.orientation, clash_pose_apply(&place, V(0, 0.5, 0))}, back = place;
        long moved = 0;
        double travelled = 0;

        assert_non_null(mesh);
        back.orientation = (clash_quat){0, -0.6f, 0, 0.8f};
        back.position = V(0, 0, 0);
        for (long i = 0; i < random_cases(4000); i++) {
            clash_pose wanted = at, out = at;
            clash_vec3 local;
            clash_push_result result;

            wanted.position = query_add(at.position, random_box(&r, random_below(&r, 2) ? 3 : 0.3));
            result = push_pose_from(&body, 1, &at, &wanted, &o, 1, 20, &out);
            moved += result == CLASH_PUSH_MOVED;
            if (result != CLASH_PUSH_MOVED && result != CLASH_PUSH_FREE)
                FAIL(i, "result %d", (int)result);
            travelled += (double)clash_vec3_distance(at.position, out.position);
            at = out;
            local = clash_pose_apply(&back, clash_vec3_sub(at.position, place.position));
            if (fabsf(local.x) > 2.7f + 4e-4f || fabsf(local.z) > 2.7f + 4e-4f || local.y < -4e-4f ||
                local.y > 1.3f + 4e-4f)
                FAIL(i, "out of the room at %g %g %g", (double)local.x, (double)local.y, (double)local.z);
            if (fmaxf(fabsf(local.x - 1.4f) - 0.1f, fabsf(local.z - 1.45f) - 0.15f) < 0.2f)
                FAIL(i, "in the pillar at %g %g", (double)local.x, (double)local.z);
        }
        assert_true(moved > random_enough(500) && travelled > (double)random_enough(500)); /* it does not get stuck */
        clash_mesh_destroy(mesh);
    }
}

/** From one pose to another the axes come no nearer to any triangle than `least`; looked at in many moments. */
static double nearest_on_the_way(const clash_capsule *c, const clash_motion *m)
{
    clash_body b = {*c, *m};
    double nearest = INFINITY;

    for (int i = 0; i <= 40; i++) {
        ref_vec axis[2], corners[3];

        ref_axis_at(&b, i / 40.0, &axis[0], &axis[1]);
        for (uint32_t k = 0; k < scene.count; k++) {
            for (int n = 0; n < 3; n++)
                corners[n] = ref_of(scene.vertices[scene.triangles[k][n]]);
            nearest = fmin(nearest, surface_pair_of(axis, corners).distance);
        }
    }
    return nearest;
}

static void ways_cross_no_triangle(void **state)
{
    random_state r = {seed + 2};
    long results[4] = {0};

    (void)state;
    for (long i = 0; i < random_cases(1500); i++) {
        clash_capsule parts[2];
        size_t count = 1 + (size_t)random_below(&r, 2);
        clash_pose from = {random_turn(&r, 6), random_box(&r, 0.8)}, wanted, out;
        clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, origin};
        clash_mesh *mesh;
        clash_push_result result;
        bool turns;

        surface_scene_fill(&scene, &r, random_below(&r, SCENE_NEEDLES));
        scene.count = scene.count > 40 && scene.vertex_count == 3 * scene.count ? 40 : scene.count;
        o.shape.as.mesh = mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        for (size_t k = 0; k < count; k++)
            parts[k] = (clash_capsule){random_box(&r, 0.3), random_box(&r, 0.3), (float)random_in(&r, 0.005, 0.1)};
        turns = random_below(&r, 2) == 1;
        wanted = (clash_pose){turns ? quat_times(random_turn(&r, 1), from.orientation) : from.orientation,
                              query_add(from.position, random_box(&r, random_below(&r, 2) ? 1 : 0.1))};
        if (push_pose(parts, count, &from, &o, 1, 0, &out) == CLASH_PUSH_FREE) {
            result = push_pose_from(parts, count, &from, &wanted, &o, 1, 3, &out);
            results[result]++;
            if (result == CLASH_PUSH_INVALID)
                FAIL(i, "invalid");
            for (size_t k = 0; k < count && result != CLASH_PUSH_STUCK; k++) {
                const clash_motion way = {from, out}, stays = {out, out};
                double radius = (double)parts[k].radius;

                if (nearest_on_the_way(&parts[k], &way) < 0.49 * radius)
                    FAIL(i, "it crosses something: %g of its radius", nearest_on_the_way(&parts[k], &way) / radius);
                if (nearest_on_the_way(&parts[k], &stays) < radius - 1.1e-4)
                    FAIL(i, "it is in something by %g", radius - nearest_on_the_way(&parts[k], &stays));
            }
            if (result == CLASH_PUSH_FREE)
                assert_memory_equal(&out, &wanted, sizeof out);
            if (!turns && result == CLASH_PUSH_STUCK)
                FAIL(i, "stuck, where it came from is free");
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(results[CLASH_PUSH_FREE] > random_enough(100) && results[CLASH_PUSH_MOVED] > random_enough(100));
}

/** The reach is about the wanted place; from within something there is no side; what is no input is refused. */
static void bounds_and_bad_input(void **state)
{
    clash_mesh *mesh = one_wall(10);
    clash_obstacle wall = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, origin};
    clash_pose from = {{0, 0, 0, 1}, {0, 0, 0.5f}}, wanted = {{0, 0, 0, 1}, {0, 0, -0.5f}}, out = origin, plain;
    clash_pose wrong[] = {{{0, 0, 0, 0}, {0, 0, 0}}, {{0, 0, 0, 1}, {NAN, 0, 0}}};
    clash_capsule bad = body;

    (void)state;
    assert_non_null(mesh);
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, 0.79f, &out), CLASH_PUSH_STUCK);
    assert_near(out.position.z, -0.5, 0);
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, 0.81f, &out), CLASH_PUSH_MOVED);
    assert_near(out.position.z, 0.3, 1.1e-4);
    from.position.z = 0.1f; /* its inner half is in the wall: it may be anywhere */
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, 1, &out), CLASH_PUSH_FREE);
    wanted.position.z = -0.2f;
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, 1, &out),
                     push_pose(&body, 1, &wanted, &wall, 1, 1, &plain));
    assert_memory_equal(&out, &plain, sizeof out);
    from.position.z = 0.5f;
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 0, 1, &out), CLASH_PUSH_FREE);
    out = origin;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(push_pose_from(&body, 1, &wrong[i], &wanted, &wall, 1, 1, &out), CLASH_PUSH_INVALID);
        assert_int_equal(push_pose_from(&body, 1, &from, &wrong[i], &wall, 1, 1, &out), CLASH_PUSH_INVALID);
    }
    assert_int_equal(push_pose_from(&body, 0, &from, &wanted, &wall, 1, 1, &out), CLASH_PUSH_INVALID);
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, NAN, &out), CLASH_PUSH_INVALID);
    bad.radius = -1;
    assert_int_equal(push_pose_from(&bad, 1, &from, &wanted, &wall, 1, 1, &out), CLASH_PUSH_INVALID);
    wall.shape.as.mesh = NULL;
    assert_int_equal(push_pose_from(&body, 1, &from, &wanted, &wall, 1, 1, &out), CLASH_PUSH_INVALID);
    assert_memory_equal(&out, &origin, sizeof out);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wall_is_passed),
        cmocka_unit_test(thrown_about_in_a_room),
        cmocka_unit_test(ways_cross_no_triangle),
        cmocka_unit_test(bounds_and_bad_input),
    };

    seed = random_seed(41);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

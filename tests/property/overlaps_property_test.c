/* All triangles that a capsule touches, of hard meshes and of terrains, held against trying them one by one with code that is
 * not libclash's: none is missed, none invented, each once, in order, with the right distance and point, whatever room there
 * is; and those of a terrain are those of its mesh to the bit. A failure prints seed, scene and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/near.h"
#include "support/queries_hard.h"
#include "support/surface_pair.h"
#include "support/surface_scenes.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};
static uint64_t seed;
static surface_scene scene;
static clash_triangle_touch touches[SCENE_TRIANGLES_MAX], some[SCENE_TRIANGLES_MAX];

#define FAIL(i, ...)                                                                                             \
    do {                                                                                                         \
        print_error("seed %llu, %s, case %ld: ", (unsigned long long)seed, scene_names[(i) % SCENE_KINDS], (i)); \
        fail_msg(__VA_ARGS__);                                                                                   \
    } while (0)

typedef struct touch_query {
    clash_pose pose, capsule_pose;
    clash_capsule capsule;
    ref_vec axis[2]; /* in the surface's frame */
    double size;
} touch_query;

static ref_quat ref_back(clash_quat q)
{
    ref_quat u = ref_unit(q);

    return (ref_quat){u.w, {-u.v.x, -u.v.y, -u.v.z}};
}

/** Large or small, a ball, a line, a point, along an edge, beside it all. */
static touch_query touch_query_of(random_state *r)
{
    touch_query q = {.pose = surface_scene_motion(r, scene.middle).from,
                     .capsule_pose = {random_turn(r, 6), random_box(r, 0.6)}};
    const uint32_t *t = scene.triangles[random_below(r, (int)scene.count)];
    const clash_vec3 ends[2] = {scene.vertices[t[0]], scene.vertices[t[1]]};

    if (random_below(r, 8) == 0)
        q.pose = q.capsule_pose = origin;
    q.capsule = (clash_capsule){random_box(r, 0.5), random_box(r, 0.5), (float)hard_decades(r, -3, 0)};
    if (random_below(r, 8) == 0)
        q.capsule = (clash_capsule){ends[0], ends[1], q.capsule.radius};
    if (random_below(r, 8) == 0)
        q.capsule.tip = q.capsule.base;
    if (random_below(r, 8) == 0)
        q.capsule.radius = 0;
    for (int k = 0; k < 2; k++) {
        ref_vec end = ref_of(k ? q.capsule.tip : q.capsule.base);

        end = ref_mad(ref_turn(ref_unit(q.capsule_pose.orientation), end), ref_of(q.capsule_pose.position), 1);
        q.axis[k] = ref_turn(ref_back(q.pose.orientation), surface_from_to(ref_of(q.pose.position), end));
    }
    q.size = 1 + ref_length(ref_of(scene.middle)) + ref_length(ref_of(q.pose.position)) + ref_length(q.axis[0]) +
             ref_length(q.axis[1]);
    return q;
}

static void corners_of(uint32_t triangle, ref_vec out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = ref_of(scene.vertices[scene.triangles[triangle][k]]);
}

static ref_vec in_surface(const touch_query *q, clash_vec3 p)
{
    return ref_turn(ref_back(q->pose.orientation), surface_from_to(ref_of(q->pose.position), ref_of(p)));
}

static void check_touch(const touch_query *q, const clash_triangle_touch *t, long i)
{
    ref_vec c[3], at = in_surface(q, t->point), n, on_axis;
    double far, length;
    const ref_vec none[2] = {at, at};

    corners_of(t->triangle, c);
    far = surface_pair_of(q->axis, c).distance;
    on_axis = ref_mad(q->axis[0], surface_from_to(q->axis[0], q->axis[1]), (double)t->along);
    if (fabs((double)t->distance - far) > 1e-7 * far + 1e-11 * q->size)
        FAIL(i, "triangle %u at %.9g, not %.9g", t->triangle, (double)t->distance, far);
    if (surface_pair_of(none, c).distance > 4e-7 * q->size ||
        fabs(ref_length(surface_from_to(on_axis, at)) - far) > 1e-6 * q->size)
        FAIL(i, "triangle %u: the point is not the closest", t->triangle);
    n = ref_cross(surface_from_to(c[0], c[1]), surface_from_to(c[0], c[2]));
    length = ref_length(n);
    n = ref_mad(ref_turn(ref_unit(q->pose.orientation), n), ref_of(t->normal), -length);
    if (length > 1e-9 * q->size * q->size && ref_length(n) > 1e-5 * length)
        FAIL(i, "triangle %u: the normal is not its own", t->triangle);
}

static long check_query(const clash_mesh *mesh, const touch_query *q, random_state *r, long i)
{
    size_t count = 7, again = 7, room = (size_t)random_below(r, 12), next = 0;

    assert_true(
        clash_mesh_overlaps(mesh, &q->pose, &q->capsule, &q->capsule_pose, touches, SCENE_TRIANGLES_MAX, &count));
    for (uint32_t k = 0; k < scene.count; k++) {
        bool told = next < count && touches[next].triangle == k;
        ref_vec c[3];
        double far;

        corners_of(k, c);
        far = surface_pair_of(q->axis, c).distance - (double)q->capsule.radius;
        if (told ? far > 1e-11 * q->size : far < -1e-11 * q->size)
            FAIL(i, "triangle %u, %g beyond the radius, is %s", k, far, told ? "told" : "not told");
        if (told)
            check_touch(q, &touches[next++], i);
    }
    if (next != count)
        FAIL(i, "%zu told, %zu in order", count, next);
    memset(some, 0x5a, sizeof some);
    assert_true(clash_mesh_overlaps(mesh, &q->pose, &q->capsule, &q->capsule_pose, room ? some : NULL, room, &again));
    if (again != count || memcmp(some, touches, (count < room ? count : room) * sizeof *some) != 0)
        FAIL(i, "with room for %zu of %zu it is not the same", room, count);
    if (room < SCENE_TRIANGLES_MAX && some[count < room ? count : room].triangle != 0x5a5a5a5au)
        FAIL(i, "with room for %zu of %zu more is written", room, count);
    return (long)count;
}

static void none_missed_none_invented(void **state)
{
    random_state r = {seed};
    long all = 0;

    (void)state;
    for (long i = 0; i < random_cases(3000); i++) {
        clash_mesh *mesh;

        surface_scene_fill(&scene, &r, (int)(i % SCENE_KINDS));
        mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        for (int k = 0; k < 3; k++) {
            touch_query q = touch_query_of(&r);

            all += check_query(mesh, &q, &r, i);
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(all > random_enough(3000));
}

static void terrains_are_their_meshes(void **state)
{
    enum { SIDE = 15 };
    float heights[SIDE * SIDE];
    random_state r = {seed + 1};
    long all = 0;

    (void)state;
    for (long i = 0; i < random_cases(200); i++) {
        clash_terrain *terrain;
        clash_mesh *mesh;

        for (int k = 0; k < SIDE * SIDE; k++)
            heights[k] = (float)random_in(&r, -0.1, 0.1);
        terrain = clash_terrain_create(heights, SIDE, SIDE, 0.1f, 0.15f);
        assert_non_null(terrain);
        scene = (surface_scene){.middle = V(0.7, 0, 1)};
        for (uint32_t k = 0; k < clash_terrain_triangle_count(terrain); k++) {
            clash_vec3 c[3];

            assert_int_equal(clash_terrain_triangle(terrain, k, c), 0);
            surface_scene_add(&scene, c[0], c[1], c[2]);
        }
        mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        for (int k = 0; k < 20; k++) {
            touch_query q = touch_query_of(&r);
            size_t counts[2];

            assert_true(clash_mesh_overlaps(mesh, &q.pose, &q.capsule, &q.capsule_pose, touches, SCENE_TRIANGLES_MAX,
                                            &counts[0]));
            assert_true(clash_terrain_overlaps(terrain, &q.pose, &q.capsule, &q.capsule_pose, some, SCENE_TRIANGLES_MAX,
                                               &counts[1]));
            if (counts[0] != counts[1] || memcmp(touches, some, counts[0] * sizeof *some) != 0)
                FAIL(i, "terrain and mesh differ");
            all += (long)counts[0];
        }
        clash_terrain_destroy(terrain);
        clash_mesh_destroy(mesh);
    }
    assert_true(all > random_enough(2000));
}

/** Both moved together. */
static void a_rigid_motion_changes_nothing(void **state)
{
    random_state r = {seed + 2};

    (void)state;
    for (long i = 0; i < random_cases(500); i++) {
        clash_mesh *mesh;
        touch_query q;
        clash_pose by = {random_turn(&r, 6), random_box(&r, 3)}, moved[2];
        size_t count, least, most;

        surface_scene_fill(&scene, &r, (int)(i % SCENE_FAR));
        mesh =
            clash_mesh_create(scene.vertices, scene.vertex_count, (const uint32_t(*)[3])scene.triangles, scene.count);
        assert_non_null(mesh);
        q = touch_query_of(&r);
        moved[0] = (clash_pose){quat_times(by.orientation, q.pose.orientation), clash_pose_apply(&by, q.pose.position)};
        moved[1] = (clash_pose){quat_times(by.orientation, q.capsule_pose.orientation),
                                clash_pose_apply(&by, q.capsule_pose.position)};
        assert_true(clash_mesh_overlaps(mesh, &q.pose, &q.capsule, &q.capsule_pose, NULL, 0, &least));
        q.capsule.radius += 1e-5f;
        assert_true(clash_mesh_overlaps(mesh, &moved[0], &q.capsule, &moved[1], NULL, 0, &count));
        q.capsule.radius += 1e-5f;
        assert_true(clash_mesh_overlaps(mesh, &q.pose, &q.capsule, &q.capsule_pose, NULL, 0, &most));
        if (count < least || count > most)
            FAIL(i, "%zu, not %zu to %zu", count, least, most);
        clash_mesh_destroy(mesh);
    }
}

static void bad_input_is_refused(void **state)
{
    const uint32_t indices[1][3] = {{0, 1, 2}};
    const clash_vec3 v[3] = {V(0, 0, 0), V(1, 0, 0), V(0, 1, 0)};
    clash_mesh *mesh = clash_mesh_create(v, 3, indices, 1);
    const clash_capsule good = {{0, 0, -1}, {0, 0, 1}, 0.1f}, wrong[] = {{{NAN, 0, 0}, {0, 0, 0}, 1},
                                                                         {{0, 0, 0}, {0, INFINITY, 0}, 1},
                                                                         {{0, 0, 0}, {0, 0, 0}, -1}};
    const clash_pose zero = {{0, 0, 0, 0}, {0, 0, 0}}, odd = {{0, 0, 0, 1}, {0, NAN, 0}};
    size_t count = 7;

    (void)state;
    assert_non_null(mesh);
    for (int i = 0; i < 3; i++)
        assert_false(clash_mesh_overlaps(mesh, &origin, &wrong[i], &origin, touches, 9, &count));
    assert_false(clash_mesh_overlaps(mesh, &zero, &good, &origin, touches, 9, &count));
    assert_false(clash_mesh_overlaps(mesh, &odd, &good, &origin, touches, 9, &count));
    assert_false(clash_mesh_overlaps(mesh, &origin, &good, &zero, touches, 9, &count));
    assert_false(clash_mesh_overlaps(mesh, &origin, &good, &odd, touches, 9, &count));
    assert_int_equal(count, 7);
    assert_true(clash_mesh_overlaps(mesh, &origin, &good, &origin, touches, 9, &count));
    assert_int_equal(count, 1);
    assert_near(touches[0].distance, 0, 0);
    assert_near(touches[0].along, 0.5, 0);
    assert_near(touches[0].normal.z, 1, 0);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_missed_none_invented),
        cmocka_unit_test(terrains_are_their_meshes),
        cmocka_unit_test(a_rigid_motion_changes_nothing),
        cmocka_unit_test(bad_input_is_refused),
    };

    seed = random_seed(37);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

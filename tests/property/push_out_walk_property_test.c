/* A body walked about on surfaces by 10,000 random pushes each: into the corners, over the steps and slopes and into the
 * crevice of a room that is a mesh, and over the hills of a terrain. Every push leaves it outside, since where it came from
 * is outside and within reach; and it never leaves the room through a wall. Between walls too close to each other the
 * push-out says that there is no way. A failure prints seed and step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/mesh.h>
#include <clash/push_out.h>

#include "support/push.h"
#include "support/queries_hard.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

enum { VERTICES_MAX = 256, TRIANGLES_MAX = 256, PUSHES = 10000 };

/** A person's body, feet at the origin, radius 0.3. */
static const clash_capsule body = {{0, 0.3f, 0}, {0, 1.4f, 0}, 0.3f};

typedef struct builder {
    clash_vec3 vertices[VERTICES_MAX];
    uint32_t triangles[TRIANGLES_MAX][3], vertex_count, triangle_count;
} builder;

/** a b c d counter-clockwise seen from where one can be. */
static void quad(builder *m, clash_vec3 a, clash_vec3 b, clash_vec3 c, clash_vec3 d)
{
    uint32_t v = m->vertex_count;
    const clash_vec3 corners[4] = {a, b, c, d};

    assert_true(v + 4 <= VERTICES_MAX && m->triangle_count + 2 <= TRIANGLES_MAX);
    for (uint32_t k = 0; k < 4; k++)
        m->vertices[v + k] = corners[k];
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t *t = m->triangles[m->triangle_count++];

        t[0] = v;
        t[1] = v + 1 + k;
        t[2] = v + 2 + k;
    }
    m->vertex_count += 4;
}

/** A block's five visible sides. */
static void block(builder *m, double x0, double x1, double height, double z0, double z1)
{
    double h = height;

    quad(m, V(x0, h, z0), V(x0, h, z1), V(x1, h, z1), V(x1, h, z0));
    quad(m, V(x0, 0, z1), V(x1, 0, z1), V(x1, h, z1), V(x0, h, z1));
    quad(m, V(x1, 0, z0), V(x0, 0, z0), V(x0, h, z0), V(x1, h, z0));
    quad(m, V(x1, 0, z1), V(x1, 0, z0), V(x1, h, z0), V(x1, h, z1));
    quad(m, V(x0, 0, z0), V(x0, 0, z1), V(x0, h, z1), V(x0, h, z0));
}

/** 6 by 6 m and 3 m high: stairs along one wall, a slope in a corner, and two walls that close to a crevice. */
static clash_mesh *room(void)
{
    builder m = {.vertex_count = 0};

    quad(&m, V(-3, 0, -3), V(-3, 0, 3), V(3, 0, 3), V(3, 0, -3));
    quad(&m, V(-3, 3, 3), V(-3, 3, -3), V(3, 3, -3), V(3, 3, 3));
    quad(&m, V(-3, 0, -3), V(3, 0, -3), V(3, 3, -3), V(-3, 3, -3));
    quad(&m, V(3, 0, 3), V(-3, 0, 3), V(-3, 3, 3), V(3, 3, 3));
    quad(&m, V(-3, 0, 3), V(-3, 0, -3), V(-3, 3, -3), V(-3, 3, 3));
    quad(&m, V(3, 0, -3), V(3, 0, 3), V(3, 3, 3), V(3, 3, -3));
    for (int k = 0; k < 4; k++)
        block(&m, 1.5, 3, 0.25 * (k + 1), -1 - 0.5 * k, -0.5 - 0.5 * k);
    quad(&m, V(-3, 1.2, -3), V(-3, 0, -1), V(-1, 0, -1), V(-1, 1.2, -3)); /* a slope */
    quad(&m, V(-2.5, 0, 3), V(-1, 0, 1), V(-1, 3, 1), V(-2.5, 3, 3));     /* the crevice between it.. */
    quad(&m, V(-1, 0, 1), V(-2.5, 0, 3), V(-2.5, 3, 3), V(-1, 3, 1));     /* ..(from behind) */
    return clash_mesh_create(m.vertices, m.vertex_count, (const uint32_t(*)[3])m.triangles, m.triangle_count);
}

static float gap_of(const clash_pose *pose, const clash_obstacle *o)
{
    clash_vec3 base = clash_pose_apply(pose, body.base), tip = clash_pose_apply(pose, body.tip);

    return clash_shape_distance(base, tip, &o->shape, &o->pose, NULL) - body.radius;
}

/** Pushes of up to 0.25 m, less than the radius: the axis stays on its side of every triangle. */
static void walk(const clash_obstacle *o, clash_vec3 start, clash_vec3 low, clash_vec3 high)
{
    uint64_t seed = random_seed(20260808);
    random_state r = {seed};
    clash_pose at = {{0, 0, 0, 1}, start};
    clash_vec3 heading = {0, 0, 0};
    long moved = 0;

    assert_true(gap_of(&at, o) > 0);
    for (long i = 0; i < PUSHES; i++) {
        clash_pose wanted = at, out;
        clash_push_result result;
        float gap;

        if (i % 20 == 0) { /* for a while the same way, so that it comes to the ends */
            heading = hard_scaled(random_direction(&r), 0.2);
            heading.y = fminf(heading.y, 0);
        }
        wanted.position = query_add(at.position, query_add(heading, random_box(&r, 0.028)));
        result = push_pose(&body, 1, &wanted, o, 1, 0.6f, &out);
        gap = gap_of(&out, o);
        moved += result == CLASH_PUSH_MOVED;
        if ((result != CLASH_PUSH_MOVED && result != CLASH_PUSH_FREE) || gap < -1.1e-4f)
            fail_msg("seed %llu, push %ld from %.9g %.9g %.9g to %.9g %.9g %.9g: %d, gap %g", (unsigned long long)seed,
                     i, (double)at.position.x, (double)at.position.y, (double)at.position.z, (double)wanted.position.x,
                     (double)wanted.position.y, (double)wanted.position.z, (int)result, (double)gap);
        at = out;
        if (!(at.position.x > low.x && at.position.x < high.x && at.position.y > low.y && at.position.y < high.y &&
              at.position.z > low.z && at.position.z < high.z))
            fail_msg("seed %llu, push %ld: it is out at %g %g %g", (unsigned long long)seed, i, (double)at.position.x,
                     (double)at.position.y, (double)at.position.z);
    }
    assert_true(moved > PUSHES / 4);
}

static void in_a_room(void **state)
{
    clash_mesh *mesh = room();
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{0, 0, 0, 1}, {0, 0, 0}}};

    (void)state;
    assert_non_null(mesh);
    walk(&o, V(0, 0.1, 0), V(-2.75, -0.05, -2.75), V(2.75, 2, 2.75));
    clash_mesh_destroy(mesh);
}

/** The same room turned and a kilometre away. */
static void in_a_room_far_away(void **state)
{
    clash_mesh *mesh = room();
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{0, 0.6f, 0, 0.8f}, {1000, 10, -500}}};

    (void)state;
    assert_non_null(mesh);
    walk(&o, V(1000, 10.1, -500), V(995, 9.95, -505), V(1005, 12, -495));
    clash_mesh_destroy(mesh);
}

static void over_hills(void **state)
{
    enum { SIZE = 33 };
    static float heights[SIZE * SIZE];
    random_state r = {5};
    clash_terrain *terrain;
    clash_obstacle o = {{CLASH_SHAPE_TERRAIN, {.terrain = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};

    (void)state;
    for (int i = 0; i < SIZE * SIZE; i++) {
        bool border = i % SIZE == 0 || i % SIZE == SIZE - 1 || i / SIZE == 0 || i / SIZE == SIZE - 1;

        heights[i] = border ? 20.0f : (float)random_in(&r, 0, 0.8); /* a valley with steep ends */
    }
    terrain = clash_terrain_create(heights, SIZE, SIZE, 0.75f, 0.75f);
    assert_non_null(terrain);
    o.shape.as.terrain = terrain;
    walk(&o, V(12, 1, 12), V(-1, -1, -1), V(25, 30, 25));
    clash_terrain_destroy(terrain);
}

static void where_there_is_no_way(void **state)
{
    builder m = {.vertex_count = 0};
    clash_mesh *mesh;
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};
    clash_pose pose = {{0, 0, 0, 1}, {0, 0, 0}}, out;

    (void)state;
    quad(&m, V(-0.25, -9, 9), V(-0.25, -9, -9), V(-0.25, 9, -9), V(-0.25, 9, 9));
    quad(&m, V(0.25, -9, -9), V(0.25, -9, 9), V(0.25, 9, 9), V(0.25, 9, -9));
    mesh = clash_mesh_create(m.vertices, m.vertex_count, (const uint32_t(*)[3])m.triangles, m.triangle_count);
    assert_non_null(mesh);
    o.shape.as.mesh = mesh;
    /* Out through a wall needs 0.55 m, and that is found. */
    assert_int_equal(push_pose(&body, 1, &pose, &o, 1, 0.5f, &out), CLASH_PUSH_STUCK);
    assert_int_equal(push_pose(&body, 1, &pose, &o, 1, 0.6f, &out), CLASH_PUSH_MOVED);
    assert_true(gap_of(&out, &o) > -1e-4f);
    clash_mesh_destroy(mesh);
}

static void pierced_surfaces_push_to_their_outer_side(void **state)
{
    builder m = {.vertex_count = 0};
    clash_mesh *mesh;
    clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};
    clash_capsule blade = {{0, 0, 0}, {0, 0, -1}, 0.02f};
    clash_pose pose = {{0, 0, 0, 1}, {0, 0, 0.7f}};
    clash_overlap overlap;

    (void)state;
    quad(&m, V(-5, -5, 0), V(5, -5, 0), V(5, 5, 0), V(-5, 5, 0)); /* faces +z */
    mesh = clash_mesh_create(m.vertices, m.vertex_count, (const uint32_t(*)[3])m.triangles, m.triangle_count);
    assert_non_null(mesh);
    o.shape.as.mesh = mesh;
    assert_true(clash_overlap_of(&blade, &pose, &o, &overlap));
    assert_true(fabsf(overlap.depth - 0.32f) < 1e-5f && overlap.normal.z > 0.99999f && overlap.triangle < 2);
    pose.position.z = 1.01f; /* only its tip's roundness is in it */
    assert_true(clash_overlap_of(&blade, &pose, &o, &overlap));
    assert_true(fabsf(overlap.depth - 0.01f) < 1e-5f && overlap.normal.z > 0.99999f);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_room),
        cmocka_unit_test(in_a_room_far_away),
        cmocka_unit_test(over_hills),
        cmocka_unit_test(where_there_is_no_way),
        cmocka_unit_test(pierced_surfaces_push_to_their_outer_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which parts of meshes enclose something, and what that means for push-out: cubes that are whole, lack a side, are inside out,
 * hollow, across each other, or made of corners of their own; and a blade all inside of one, which touches nothing of it. */
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

enum { ROOM = 64 };

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};

typedef struct builder {
    clash_vec3 vertices[3 * ROOM];
    uint32_t triangles[ROOM][3], vertex_count, count;
} builder;

/** Corners by the bits x, y, z; every side as two triangles, counter-clockwise seen from outside. */
static const uint32_t sides[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static void add_cube(builder *b, clash_vec3 middle, double half, bool inverted, bool split)
{
    clash_vec3 corners[8];
    const uint32_t first = b->vertex_count;

    for (int k = 0; k < 8; k++)
        corners[k] = V((double)middle.x + (k & 1 ? half : -half), (double)middle.y + (k & 2 ? half : -half),
                       (double)middle.z + (k & 4 ? half : -half));
    for (int i = 0; i < 12; i++, b->count++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t corner = sides[i][inverted ? 2 - k : k];

            b->triangles[b->count][k] = split ? b->vertex_count : first + corner;
            if (split)
                b->vertices[b->vertex_count++] = corners[corner];
        }
    }
    if (split)
        return;
    memcpy(&b->vertices[b->vertex_count], corners, sizeof corners);
    b->vertex_count += 8;
}

static clash_mesh *made(const builder *b)
{
    clash_mesh *mesh = clash_mesh_create(b->vertices, b->vertex_count, (const uint32_t(*)[3])b->triangles, b->count);

    assert_non_null(mesh);
    return mesh;
}

static void assert_closed(const builder *b, uint32_t expected)
{
    clash_mesh *mesh = made(b);

    assert_int_equal(clash_mesh_closed_count(mesh), expected);
    clash_mesh_destroy(mesh);
}

static void whole_cubes_are_closed(void **state)
{
    (void)state;
    for (int split = 0; split < 2; split++) {
        builder b = {.count = 0};

        add_cube(&b, V(1, 2, 3), 0.5, false, split);
        assert_closed(&b, 12);
        add_cube(&b, V(1.3, 2, 3), 0.5, false, split); /* across the first */
        assert_closed(&b, 24);
        add_cube(&b, V(2.3, 3, 3), 0.5, false, split); /* meets it at an edge */
        assert_closed(&b, 36);
    }
}

static void zeros_of_both_signs_are_one_place(void **state)
{
    builder b = {.count = 0};

    (void)state;
    add_cube(&b, V(0.5, 0.5, 0.5), 0.5, false, true);
    for (uint32_t i = 0; i < b.vertex_count; i += 2)
        if (b.vertices[i].x == 0.0f)
            b.vertices[i].x = -0.0f;
    assert_closed(&b, 12);
}

static void what_lacks_something_is_open(void **state)
{
    builder b = {.count = 0};

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    b.count = 11;
    assert_closed(&b, 0);
    add_cube(&b, V(5, 0, 0), 0.5, false, false); /* a part of its own */
    assert_closed(&b, 12);
    b.count = 0;
    b.vertex_count = 0;
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    memcpy(b.triangles[3], (const uint32_t[3]){4, 6, 7}, sizeof b.triangles[3]); /* the other way round */
    assert_closed(&b, 0);
    b.count = b.vertex_count = 0;
    add_cube(&b, V(0, 0, 0), 0.5, false, true);
    b.vertices[5].x += 1e-6f; /* a crack */
    assert_closed(&b, 0);
}

/** What joins no two places, or is there both ways round, encloses nothing and opens nothing. */
static void triangles_of_no_area(void **state)
{
    builder b = {.count = 0};

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    memcpy(b.triangles[b.count++], (const uint32_t[3]){0, 0, 5}, sizeof b.triangles[0]);
    memcpy(b.triangles[b.count++], (const uint32_t[3]){3, 3, 3}, sizeof b.triangles[0]);
    assert_closed(&b, 14);
    memcpy(b.triangles[b.count++], (const uint32_t[3]){0, 3, 5}, sizeof b.triangles[0]);
    memcpy(b.triangles[b.count++], (const uint32_t[3]){0, 5, 3}, sizeof b.triangles[0]);
    assert_closed(&b, 16);
}

static void inverted_cubes_are_hollows_or_rooms(void **state)
{
    builder b = {.count = 0};

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, true, false);
    assert_closed(&b, 0); /* a room, seen from within */
    add_cube(&b, V(0, 0, 0), 0.1, false, true);
    assert_closed(&b, 12); /* with something in it */
    b.count = b.vertex_count = 0;
    add_cube(&b, V(0, 0, 0), 0.4, true, true);
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    assert_closed(&b, 24); /* a box with walls of 0.1 m */
}

/** Both are at the middle of the cube's middle in x and z, or at `at`. */
static clash_push_result resolve(const clash_mesh *mesh, clash_vec3 at, float reach, clash_pose *out)
{
    const clash_capsule blade = {{0, -0.05f, 0}, {0, 0.05f, 0}, 0.01f};
    const clash_obstacle o = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{0.6f, 0, 0, 0.8f}, {10, 0, 0}}};
    clash_pose pose = o.pose;

    pose.position = clash_pose_apply(&o.pose, at);
    return push_pose(&blade, 1, &pose, &o, 1, reach, out);
}

static double moved(clash_vec3 at, const clash_pose *out)
{
    const clash_pose pose = {{0.6f, 0, 0, 0.8f}, {10, 0, 0}};
    const clash_vec3 from = clash_pose_apply(&pose, at), to = out->position;

    return sqrt(pow((double)(to.x - from.x), 2) + pow((double)(to.y - from.y), 2) + pow((double)(to.z - from.z), 2));
}

static void a_blade_inside_is_not_outside(void **state)
{
    clash_mesh *mesh;
    builder b = {.count = 0};
    clash_pose out;

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, false, true);
    mesh = made(&b);
    assert_int_equal(resolve(mesh, V(0.3, 0, 0), 0.2f, &out), CLASH_PUSH_STUCK);
    assert_int_equal(resolve(mesh, V(0.3, 0, 0), 1, &out), CLASH_PUSH_MOVED);
    assert_near(moved(V(0.3, 0, 0), &out), 0.21, 1e-3);
    assert_int_equal(resolve(mesh, V(0, -0.4, 0.1), 1, &out), CLASH_PUSH_MOVED);
    assert_near(moved(V(0, -0.4, 0.1), &out), 0.16, 1e-3);
    assert_int_equal(resolve(mesh, V(0.52, 0, 0), 1, &out), CLASH_PUSH_FREE);
    clash_mesh_destroy(mesh);
}

static void a_blade_in_a_hollow_is_outside(void **state)
{
    builder b = {.count = 0};
    clash_mesh *mesh;
    clash_pose out;

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    add_cube(&b, V(0, 0, 0), 0.2, true, false);
    mesh = made(&b);
    assert_int_equal(resolve(mesh, V(0, 0, 0), 1, &out), CLASH_PUSH_FREE);
    assert_int_equal(resolve(mesh, V(0.25, 0, 0), 1, &out), CLASH_PUSH_MOVED); /* back into it */
    assert_near(moved(V(0.25, 0, 0), &out), 0.06, 1e-3);
    assert_int_equal(resolve(mesh, V(0.45, 0, 0), 1, &out), CLASH_PUSH_MOVED);
    assert_near(moved(V(0.45, 0, 0), &out), 0.06, 1e-3);
    clash_mesh_destroy(mesh);
}

static void a_room_seen_from_within_keeps_nobody_out(void **state)
{
    builder b = {.count = 0};
    clash_mesh *mesh;
    clash_pose out;

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, true, true);
    mesh = made(&b);
    assert_int_equal(resolve(mesh, V(0.3, 0, 0), 1, &out), CLASH_PUSH_FREE);
    assert_int_equal(resolve(mesh, V(0.7, 0, 0), 1, &out), CLASH_PUSH_FREE);
    assert_int_equal(resolve(mesh, V(0.495, 0, 0), 1, &out), CLASH_PUSH_MOVED);
    assert_near(moved(V(0.495, 0, 0), &out), 0.005, 1e-4);
    clash_mesh_destroy(mesh);
}

/** As that of the same cube as a box. */
static void how_deep_in_a_closed_mesh(void **state)
{
    const clash_capsule blade = {{0, -0.3f, 0.1f}, {0, 0.4f, 0}, 0.02f};
    builder b = {.count = 0};
    clash_obstacle cube = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};
    const clash_obstacle box = {{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.5f, 0.5f, 0.5f}}}}, origin};
    clash_mesh *mesh;

    (void)state;
    add_cube(&b, V(0, 0, 0), 0.5, false, false);
    cube.shape.as.mesh = mesh = made(&b);
    for (int k = 0; k < 40; k++) {
        const clash_pose pose = {{0.36f, 0.48f, 0, 0.8f}, V(0.02 * k, 0.01 * k, 0.3 - 0.02 * k)};
        clash_overlap of_cube, of_box;

        assert_true(clash_overlap_of(&blade, &pose, &cube, &of_cube));
        assert_true(clash_overlap_of(&blade, &pose, &box, &of_box));
        if (of_box.depth < 0)
            assert_near(of_cube.depth, of_box.depth, 1e-6);
        else
            assert_in_range((long)(1e6f * of_cube.depth), (long)(1e6f * of_box.depth) - 2,
                            (long)(1.05e6f * of_box.depth) + 2);
        assert_true(of_cube.triangle < 12);
    }
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_cubes_are_closed),
        cmocka_unit_test(zeros_of_both_signs_are_one_place),
        cmocka_unit_test(what_lacks_something_is_open),
        cmocka_unit_test(triangles_of_no_area),
        cmocka_unit_test(inverted_cubes_are_hollows_or_rooms),
        cmocka_unit_test(a_blade_inside_is_not_outside),
        cmocka_unit_test(a_blade_in_a_hollow_is_outside),
        cmocka_unit_test(a_room_seen_from_within_keeps_nobody_out),
        cmocka_unit_test(how_deep_in_a_closed_mesh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

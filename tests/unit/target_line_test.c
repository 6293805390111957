/* Targets on the wire: what a client may say of one and what it is told where it is wrong, in whose axes.
 * What recordings say is in target_record_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cjson/cJSON.h>
#include <clash/mesh.h>
#include <clash/ray.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"

#define TARGET(fields) "{\"type\":\"target\",\"id\":1,\"name\":\"shield\"," fields "}"
#define SQUARE "\"vertices\":[[0,0,0],[1,0,0],[1,1,0],[0,1,2]],\"triangles\":[[0,1,2],[0,2,3]]"
#define GRID "\"columns\":3,\"rows\":2,\"spacing\":[0.5,2],\"heights\":[0,1,2,3,4,5]"

static protocol_request request;
static protocol_error mistake;

static const clash_target_definition *target_of(const char *text)
{
    if (protocol_parse_request(text, strlen(text), &request, &mistake) != 0)
        fail_msg("%s: %s", text, mistake.message);
    assert_int_equal(request.type, PROTOCOL_REQUEST_TARGET);
    return &request.target;
}

static void assert_vector(clash_vec3 v, float x, float y, float z)
{
    if (!(v.x == x && v.y == y && v.z == z))
        fail_msg("(%g %g %g) is not (%g %g %g)", (double)v.x, (double)v.y, (double)v.z, (double)x, (double)y,
                 (double)z);
}

static void shapes_are_read(void **state)
{
    const clash_target_definition *t = target_of(TARGET("\"sphere\":{\"radius\":0.5}"));

    (void)state;
    assert_string_equal(t->name, "shield");
    assert_string_equal(t->device, "");
    assert_int_equal(t->kind, CLASH_SHAPE_SPHERE);
    assert_vector(t->pose.position, 0, 0, 0);
    assert_true(t->pose.orientation.w == 1 && t->as.sphere.radius == 0.5f);
    t = target_of(TARGET("\"device\":\"npc/hand\",\"position\":[1,2,3],\"orientation\":[0,0,1,0],"
                         "\"capsule\":{\"base\":[0,0,1],\"tip\":[0,0,2],\"radius\":0.25}"));
    assert_string_equal(t->device, "npc/hand");
    assert_int_equal(t->kind, CLASH_SHAPE_CAPSULE);
    assert_vector(t->pose.position, 1, 2, 3);
    assert_true(t->pose.orientation.z == 1 && t->as.capsule.radius == 0.25f);
    assert_vector(t->as.capsule.tip, 0, 0, 2);
    t = target_of(TARGET("\"box\":{\"size\":[1,2,3],\"center\":[0,1,0],\"orientation\":[1,0,0,0]}"));
    assert_int_equal(t->kind, CLASH_SHAPE_BOX);
    assert_vector(t->as.box.half, 0.5f, 1, 1.5f);
    assert_vector(t->as.box.center, 0, 1, 0);
    assert_true(t->as.box.orientation.x == 1);
    assert_true(target_of(TARGET("\"box\":{\"size\":[1,2,3]}"))->as.box.orientation.w == 1);
}

static void surfaces_are_read(void **state)
{
    const clash_target_definition *t = target_of(TARGET("\"mesh\":{" SQUARE "}"));

    (void)state;
    assert_int_equal(t->kind, CLASH_SHAPE_MESH);
    assert_string_equal(t->file, "");
    assert_true(t->as.mesh.vertex_count == 4 && t->as.mesh.triangle_count == 2);
    assert_vector(t->as.mesh.vertices[3], 0, 1, 2);
    assert_true(t->as.mesh.triangles[1][0] == 0 && t->as.mesh.triangles[1][1] == 2 && t->as.mesh.triangles[1][2] == 3);
    assert_false(t->as.mesh.convex);
    t = target_of(TARGET(
        "\"mesh\":{\"vertices\":[[0,0,0],[1,0,0]],\"convex\":true}")); /* what makes no hull is found out later */
    assert_true(t->as.mesh.convex && t->as.mesh.vertex_count == 2 && t->as.mesh.triangle_count == 0);
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"mesh\"," SQUARE ",\"convex\":true}"));
    assert_true(t->as.mesh.convex && t->as.mesh.vertex_count == 4 && t->as.mesh.triangle_count == 2);
    assert_false(target_of(TARGET("\"mesh\":{" SQUARE ",\"convex\":false}"))->as.mesh.convex);
    t = target_of(TARGET("\"terrain\":{" GRID "}"));
    assert_int_equal(t->kind, CLASH_SHAPE_TERRAIN);
    assert_true(t->as.terrain.columns == 3 && t->as.terrain.rows == 2);
    assert_true(t->as.terrain.spacing_x == 0.5f && t->as.terrain.spacing_z == 2.0f && t->as.terrain.heights[5] == 5);
}

/* Mirrored in z: points and turns as everywhere, triangles wound the other way, rows from the other end. */
static void axes_are_those_of_all_but_a_collider(void **state)
{
    const clash_target_definition *t =
        target_of(TARGET("\"axes\":\"unity\",\"position\":[1,2,3],\"orientation\":[0,1,0,0],"
                         "\"box\":{\"size\":[1,2,3],\"center\":[0,0,1],\"orientation\":[1,0,0,0]}"));

    (void)state;
    assert_vector(t->pose.position, 1, 2, -3);
    assert_true(t->pose.orientation.y == -1);
    assert_vector(t->as.box.center, 0, 0, -1);
    assert_true(t->as.box.orientation.x == -1);
    t = target_of(TARGET("\"axes\":\"unity\",\"capsule\":{\"base\":[0,0,1],\"tip\":[0,0,2],\"radius\":0.25}"));
    assert_vector(t->as.capsule.tip, 0, 0, -2);
    t = target_of(TARGET("\"axes\":\"unity\",\"mesh\":{" SQUARE "}"));
    assert_vector(t->as.mesh.vertices[3], 0, 1, -2);
    assert_true(t->as.mesh.triangles[1][0] == 0 && t->as.mesh.triangles[1][1] == 3 && t->as.mesh.triangles[1][2] == 2);
    t = target_of(TARGET("\"axes\":\"unity\",\"position\":[1,2,3],\"terrain\":{" GRID "}"));
    /* What was at (1 + 0.5, 2 + 4, 3 + 2) in Unity's: row 1, column 1. It is row 0 now, and 2 m further along -z. */
    assert_vector(t->pose.position, 1, 2, -5);
    assert_true(t->as.terrain.heights[1] == 4 && t->as.terrain.heights[4] == 1);
    t = target_of(TARGET("\"axes\":\"openxr\",\"unity_collider\":{\"type\":\"sphere\",\"radius\":1,"
                         "\"transforms\":[{\"position\":[1,2,3]}]}"));
    assert_vector(t->pose.position, 1, 2, -3);
}

static void colliders_become_what_unity_makes_of_them(void **state)
{
    const clash_target_definition *t =
        target_of(TARGET("\"unity_collider\":{\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":0.5,"
                         "\"transforms\":[{\"position\":[10,0,0],\"scale\":[0.75,0.5,1.25]}]}"));

    (void)state;
    assert_int_equal(t->kind, CLASH_SHAPE_SPHERE);
    assert_true(t->as.sphere.radius == 0.625f); /* 0.5 * 1.25 */
    assert_vector(t->pose.position, 10.75f, 1, -3.75f);
    t = target_of(TARGET("\"device\":\"npc\",\"unity_collider\":{\"type\":\"capsule\",\"radius\":0.25,\"height\":2,"
                         "\"direction\":2,\"transforms\":[{\"scale\":[2,1,3]},{}]}"));
    assert_int_equal(t->kind, CLASH_SHAPE_CAPSULE);
    assert_true(t->as.capsule.radius == 0.5f); /* 0.25 * 2; the axis 2 * 3 / 2 - 0.5 = 2.5 either way along z */
    assert_vector(t->as.capsule.base, 0, 0, 2.5f);
    assert_vector(t->as.capsule.tip, 0, 0, -2.5f);
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"box\",\"size\":[1,1,1],\"transforms\":[{\"scale\":[1.5,1,1]},"
                         "{\"rotation\":[0,0,0.25881905,0.96592583]}]}"));
    assert_int_equal(t->kind, CLASH_SHAPE_BOX);
    assert_true(fabsf(t->as.box.half.x - 0.6875f) < 1e-6f && fabsf(t->as.box.half.y - 0.5625f) < 1e-6f);
    assert_true(fabsf(t->pose.orientation.z - 0.25881905f) < 1e-6f);
    /* (0, 1, 2) scaled to (0, 3, 2) and moved to (0, 3, 3); in our axes (0, 3, -3). Unity's order is turned round. */
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"mesh\"," SQUARE ",\"transforms\":[{\"position\":[0,0,1],"
                         "\"scale\":[1,3,1]}]}"));
    assert_int_equal(t->kind, CLASH_SHAPE_MESH);
    assert_vector(t->as.mesh.vertices[3], 0, 3, -3);
    assert_vector(t->pose.position, 0, 0, 0);
    assert_int_equal(t->as.mesh.triangles[1][1], 3);
    /* A mirroring scale turns it round once more. */
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"mesh\"," SQUARE ",\"transforms\":[{\"scale\":[-1,1,1]}]}"));
    assert_vector(t->as.mesh.vertices[1], -1, 0, 0);
    assert_int_equal(t->as.mesh.triangles[1][1], 2);
    /* Moved only: row 0 of Unity's is 2 m from the last, which is the first of ours. */
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"terrain\"," GRID ",\"transforms\":[{\"position\":[1,2,3],"
                         "\"rotation\":[0,1,0,0],\"scale\":[9,9,9]}]}"));
    assert_int_equal(t->kind, CLASH_SHAPE_TERRAIN);
    assert_vector(t->pose.position, 1, 2, -5);
    assert_true(t->pose.orientation.w == 1 && t->as.terrain.spacing_x == 0.5f && t->as.terrain.heights[0] == 3);
}

/* Their absolute values count, and who keeps a log can say so. */
static void negative_sizes_are_told(void **state)
{
    static const char blade[] = "{\"type\":\"blade\",\"name\":\"npc\",\"device\":\"npc/hand\",\"unity_collider\":"
                                "{\"type\":\"capsule\",\"radius\":-0.25,\"height\":-2}}";
    const clash_target_definition *t = target_of(
        TARGET("\"unity_collider\":{\"type\":\"box\",\"size\":[1,-2,4],\"transforms\":[{\"scale\":[-1,1,1]}]}"));

    (void)state;
    assert_true(t->unity_negative && t->as.box.half.y == 1);
    t = target_of(
        TARGET("\"unity_collider\":{\"type\":\"box\",\"size\":[1,2,4],\"transforms\":[{\"scale\":[-1,1,1]}]}"));
    assert_false(t->unity_negative);
    t = target_of(TARGET("\"unity_collider\":{\"type\":\"sphere\",\"radius\":-3}"));
    assert_true(t->unity_negative && t->as.sphere.radius == 3);
    t = target_of(TARGET("\"sphere\":{\"radius\":3}"));
    assert_false(t->unity_negative);
    assert_int_equal(protocol_parse_request(blade, strlen(blade), &request, &mistake), 0);
    assert_true(request.blade.properties.unity_negative && request.blade.properties.shape.radius == 0.25f);
    assert_vector(request.blade.properties.shape.tip, 0, 0.75f, 0);
}

/* One third of a turn about x below 1.5: lossyScale and columns differ. */
static void a_spheres_rule_can_be_chosen(void **state)
{
#define SKEWED(rule)                                                    \
    TARGET("\"unity_collider\":{\"type\":\"sphere\",\"radius\":2," rule \
           "\"transforms\":[{\"scale\":[1.5,1,1]},{\"rotation\":[0,0,0.25881905,0.96592583]}]}")
    (void)state;
    assert_true(fabsf(target_of(SKEWED(""))->as.sphere.radius - 2.75f) < 1e-5f);
    assert_true(fabsf(target_of(SKEWED("\"sphere_rule\":\"lossy_scale\","))->as.sphere.radius - 2.75f) < 1e-5f);
    assert_true(fabsf(target_of(SKEWED("\"sphere_rule\":\"column\","))->as.sphere.radius - 2.7838822f) < 1e-5f);
#undef SKEWED
}

/* Unity parts the square between points (i, j) and (i + 1, j + 1) along the line between these two. Its only point above 0
 * is one end of that line, so that in the middle of it the ground is half as high; on the other line it would be at 0. */
static void a_terrain_is_parted_as_in_unity(void **state)
{
    const clash_target_definition *t =
        target_of(TARGET("\"unity_collider\":{\"type\":\"terrain\",\"columns\":2,\"rows\":2,\"spacing\":[2,2],"
                         "\"heights\":[0,0,0,1],\"transforms\":[{\"position\":[10,0,20]}]}"));
    const clash_target_terrain *grid = &t->as.terrain;
    clash_terrain *terrain =
        clash_terrain_create(grid->heights, grid->columns, grid->rows, grid->spacing_x, grid->spacing_z);
    const clash_shape shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}};
    clash_ray_hit hit;

    (void)state;
    assert_non_null(terrain);
    assert_int_equal(clash_ray_shape((clash_vec3){11, 9, -21}, (clash_vec3){0, -1, 0}, 99, &shape, &t->pose, &hit), 1);
    assert_true(fabsf(hit.point.y - 0.5f) < 1e-6f);
    assert_int_equal(clash_ray_shape((clash_vec3){12, 9, -22}, (clash_vec3){0, -1, 0}, 99, &shape, &t->pose, &hit), 1);
    assert_true(fabsf(hit.point.y - 1.0f) < 1e-6f);
    clash_terrain_destroy(terrain);
}

static void a_collider_may_be_a_blade(void **state)
{
    static const char text[] =
        "{\"type\":\"blade\",\"name\":\"npc\",\"device\":\"npc/hand\",\"edge\":[0,-1,0.5],\"unity_collider\":"
        "{\"type\":\"capsule\",\"center\":[0,0,1],\"radius\":0.25,\"height\":2,\"direction\":2,"
        "\"transforms\":[{\"scale\":[0.5,0.25,0.5]}]}}";
    static const char ball[] = "{\"type\":\"blade\",\"name\":\"npc\",\"device\":\"npc/hand\",\"unity_collider\":"
                               "{\"type\":\"sphere\",\"center\":[1,0,0],\"radius\":0.25}}";

    (void)state;
    assert_int_equal(protocol_parse_request(text, strlen(text), &request, &mistake), 0);
    assert_int_equal(request.type, PROTOCOL_REQUEST_BLADE);
    /* 0.25 * 0.5; half the height is 0.5, 0.375 without the cap; the center at 0.5 along z, which is -z here. */
    assert_true(request.blade.properties.shape.radius == 0.125f && request.blade.sword.part_count == 0);
    assert_vector(request.blade.properties.shape.base, 0, 0, -0.125f);
    assert_vector(request.blade.properties.shape.tip, 0, 0, -0.875f);
    assert_true(request.blade.properties.has_edge);
    assert_vector(request.blade.properties.edge, 0, -1, 0.5f);
    assert_int_equal(protocol_parse_request(ball, strlen(ball), &request, &mistake), 0);
    assert_vector(request.blade.properties.shape.base, 1, 0, 0);
    assert_vector(request.blade.properties.shape.tip, 1, 0, 0);
}

#define COLLIDER(fields) TARGET("\"unity_collider\":{" fields "}")
#define BLADE(fields) "{\"type\":\"blade\",\"id\":1,\"name\":\"n\",\"device\":\"d\"," fields "}"

static const char *const wrong_lines[][2] = {
    {TARGET("\"x\":1"), "expected a shape, one of sphere, capsule, box, mesh, terrain, unity_collider"},
    {TARGET("\"sphere\":{\"radius\":1},\"box\":{\"size\":[1,1,1]}"), "box: stands beside sphere: expected one of"},
    {TARGET("\"sphere\":{\"radius\":1},\"unity_collider\":{\"type\":\"box\"}"), "sphere: stands beside unity_coll"},
    {TARGET("\"sphere\":{}"), "sphere: \"radius\" is missing"},
    {TARGET("\"sphere\":{\"radius\":-1}"), "sphere.radius: expected a number"},
    {TARGET("\"sphere\":{\"radius\":1,\"center\":[0,0,1e39]}"),
     "sphere.center[2]: expected a number from -10000 to 10000"},
    {TARGET("\"position\":[0,0,1e39],\"sphere\":{\"radius\":1}"),
     "position[2]: expected a number from -10000 to 10000"},
    {TARGET("\"orientation\":[0,0,0,0],\"sphere\":{\"radius\":1}"), "orientation: expected a quaternion of unit"},
    {TARGET("\"box\":{\"size\":[1,1,1],\"orientation\":[0,0,0,2]}"), "box.orientation: expected a quaternion"},
    {TARGET("\"box\":{\"size\":[1,1]}"), "box.size: expected an array of 3"},
    {TARGET("\"mesh\":{\"vertices\":[[0,0,0]]}"), "mesh.triangles: is missing: expected vertices and triangles"},
    {TARGET("\"mesh\":{\"vertices\":[[0,0,0]],\"convex\":false}"), "mesh.triangles: is missing"},
    {TARGET("\"mesh\":{\"vertices\":[[0,0,0]],\"convex\":1}"), "mesh.convex: expected"},
    {TARGET("\"mesh\":{\"convex\":true}"), "mesh.vertices: is missing"},
    {TARGET("\"mesh\":{\"file\":\"/etc/passwd\"}"), "mesh.file: clashd reads no files for clients: expected vert"},
    {TARGET("\"mesh\":{\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0],[0,1,0]]}"),
     "mesh.triangles[1]: there is no vertex 1: there are 1, counted from 0"},
    {TARGET("\"mesh\":{\"vertices\":[[0,0,0]],\"triangles\":[[0,0,512]]}"), "mesh.triangles[0][2]: expected"},
    {TARGET("\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],\"heights\":[0,0,0,0,0]}"),
     "terrain.heights: expected 4, 2 columns by 2 rows, got 5"},
    {TARGET("\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1]}"), "terrain.heights: is missing"},
    {TARGET("\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,0],\"heights\":[0,0,0,0]}"),
     "terrain.spacing[1]: expected a number"},
    {TARGET("\"device\":\"npc\",\"terrain\":{" GRID "}"), "device: a terrain stands still: expected none"},
    {TARGET("\"position\":[0,0,0],\"unity_collider\":{\"type\":\"sphere\",\"radius\":1}"),
     "position: stands beside unity_collider, whose transforms say it"},
    {COLLIDER("\"type\":\"sphere\",\"radius\":1,\"sphere_rule\":\"row\""), "unity_collider.sphere_rule: expected"},
    {COLLIDER("\"type\":\"wheel\""), "unity_collider.type: expected one of"},
    {COLLIDER("\"type\":\"sphere\""), "unity_collider.radius: is missing: a sphere has a radius"},
    {COLLIDER("\"type\":\"capsule\",\"radius\":1"), "unity_collider.height: is missing: a capsule has a radius and"},
    {COLLIDER("\"type\":\"box\",\"radius\":1"), "unity_collider.size: is missing: a box has a size"},
    {COLLIDER("\"type\":\"mesh\""), "unity_collider.vertices: is missing: expected vertices and triangles"},
    {COLLIDER("\"type\":\"terrain\",\"columns\":2"), "unity_collider.rows: is missing"},
    {COLLIDER("\"type\":\"sphere\",\"radius\":1,\"transforms\":[{},{\"rotation\":[0,0,0,0]}]"),
     "unity_collider.transforms[1].rotation: expected a quaternion of unit length"},
    {COLLIDER("\"type\":\"sphere\",\"radius\":1,\"transforms\":[{\"scale\":[1e39,1,1]}]"),
     "unity_collider.transforms[0].scale["},
    {COLLIDER("\"type\":\"sphere\",\"radius\":10000,\"transforms\":[{\"scale\":[1e38,1,1]}]"),
     "unity_collider.transforms[0].scale[0]: expected a number from -10000 to 10000"},
    {TARGET("\"unity_collider\":{\"type\":\"sphere\",\"radius\":1,\"transforms\":[{\"scale\":[1e3,1e3,1e3]},"
            "{\"scale\":[1e3,1e3,1e3]}]}"),
     "what is made of it reaches further than 10000 m from the origin of its frame"},
    {TARGET("\"terrain\":{\"columns\":2,\"rows\":3,\"spacing\":[1,5001],\"heights\":[0,0,0,0,0,0]}"),
     "what is made of it reaches further than 10000 m from the origin of its frame"},
    {BLADE("\"unity_collider\":{\"type\":\"box\",\"size\":[1,1,1]}"), "unity_collider.type: expected one of"},
    {BLADE("\"radius\":1,\"unity_collider\":{\"type\":\"sphere\",\"radius\":1}"),
     "radius: stands beside unity_collider, which says it"},
    {BLADE("\"unity_collider\":{\"type\":\"sphere\",\"radius\":1,\"transforms\":[{\"scale\":[1,2,1]}]}"),
     "unity_collider.radius: after its transforms it is 2 m, and a blade's may be 1 at most"},
};

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_lines / sizeof wrong_lines[0]; i++) {
        if (protocol_parse_request(wrong_lines[i][0], strlen(wrong_lines[i][0]), &request, &mistake) == 0)
            fail_msg("%s was taken", wrong_lines[i][0]);
        assert_int_equal(mistake.code, PROTOCOL_ERROR_BAD_MESSAGE);
        if (strncmp(mistake.message, wrong_lines[i][1], strlen(wrong_lines[i][1])) != 0)
            fail_msg("\"%s\" is not \"%s\"", mistake.message, wrong_lines[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_read),
        cmocka_unit_test(surfaces_are_read),
        cmocka_unit_test(axes_are_those_of_all_but_a_collider),
        cmocka_unit_test(colliders_become_what_unity_makes_of_them),
        cmocka_unit_test(negative_sizes_are_told),
        cmocka_unit_test(a_spheres_rule_can_be_chosen),
        cmocka_unit_test(a_terrain_is_parted_as_in_unity),
        cmocka_unit_test(a_collider_may_be_a_blade),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Targets and the C client: what it defines, as clashd itself reads it, of every shape and from Unity, and what
 * cannot be sent. What clients are told of targets is client_struck_test.c's. */
#include "support/client_pair.h"

#include "protocol/messages/codec.h"

#include <math.h>

/** The next line that the client has sent, as clashd understands it. */
static const clash_target_definition *hear(told *t)
{
    static protocol_request request;
    char line[PROTOCOL_LINE_MAX];
    protocol_error error = {.message = ""};

    pair_receive(t, line, sizeof line);
    assert_non_null(strchr(line, '\n'));
    if (protocol_parse_request(line, strlen(line) - 1, &request, &error) != 0)
        fail_msg("%s: %s", error.message, line);
    assert_int_equal(request.type, PROTOCOL_REQUEST_TARGET);
    assert_string_equal(request.id, "\"t\"");
    return &request.target;
}

static const clash_target_definition *define(told *t, const clash_client_target *target, const char *axes)
{
    assert_int_equal(clash_client_define_target(t->client, "t", target, axes), 0);
    return hear(t);
}

static const clash_pose somewhere = {{0.0f, 0.6f, 0.0f, 0.8f}, {1.0f / 3.0f, -2.0f, 0x1p-30f}};

static void solid_shapes(void **state)
{
    clash_client_target target = {.name = "a \"shield\"",
                                  .device = "npc/arm",
                                  .pose = somewhere,
                                  .kind = CLASH_SHAPE_SPHERE,
                                  .sphere = {{0.1f, 0.2f, 0.3f}, 0.7f},
                                  .capsule = {{0, 0, 0.1f}, {0, 1.1f, 0}, 0.3f},
                                  .box = {{1, 2, 3}, {0.6f, 0, 0, 0.8f}, {0.1f, 0.25f, 1.0f / 3.0f}}};
    const clash_target_definition *seen = define(*state, &target, NULL);

    assert_string_equal(seen->name, target.name);
    assert_string_equal(seen->device, "npc/arm");
    assert_memory_equal(&seen->pose, &somewhere, sizeof somewhere);
    assert_int_equal(seen->kind, CLASH_SHAPE_SPHERE);
    assert_memory_equal(&seen->as.sphere, &target.sphere, sizeof target.sphere);
    target.kind = CLASH_SHAPE_CAPSULE;
    target.device = NULL;
    seen = define(*state, &target, "unity");
    assert_int_equal(seen->kind, CLASH_SHAPE_CAPSULE);
    assert_string_equal(seen->device, "");
    assert_true(seen->as.capsule.base.z == -0.1f && seen->as.capsule.tip.y == 1.1f && seen->as.capsule.radius == 0.3f);
    assert_true(seen->pose.position.z == -0x1p-30f);
    target.kind = CLASH_SHAPE_BOX;
    seen = define(*state, &target, "openxr");
    assert_int_equal(seen->kind, CLASH_SHAPE_BOX);
    assert_memory_equal(&seen->as.box, &target.box, sizeof target.box);
}

static void surfaces(void **state)
{
    static const clash_vec3 corners[] = {{-0.3f, 0, 0}, {0.3f, 0, 0}, {0.1f, 1.0f / 7.0f, 0}, {0, 0, 2}};
    static const uint32_t triangles[][3] = {{0, 2, 1}, {3, 1, 0}};
    static const float heights[] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
    const clash_client_mesh mesh = {corners, 4, triangles, 2, .convex = false};
    const clash_client_terrain terrain = {heights, 3, 2, 0.5f, 2};
    clash_client_target target = {.name = "m", .pose = somewhere, .kind = CLASH_SHAPE_MESH, .mesh = &mesh};
    const clash_target_definition *seen = define(*state, &target, NULL);

    assert_int_equal(seen->kind, CLASH_SHAPE_MESH);
    assert_int_equal(seen->as.mesh.vertex_count, 4);
    assert_int_equal(seen->as.mesh.triangle_count, 2);
    assert_memory_equal(seen->as.mesh.vertices, corners, sizeof corners);
    assert_memory_equal(seen->as.mesh.triangles, triangles, sizeof triangles);
    assert_false(seen->as.mesh.convex);
    target.mesh = &(clash_client_mesh){.vertices = corners, .vertex_count = 4, .convex = true};
    seen = define(*state, &target, NULL);
    assert_true(seen->as.mesh.convex && seen->as.mesh.vertex_count == 4 && seen->as.mesh.triangle_count == 0);
    target.kind = CLASH_SHAPE_TERRAIN;
    target.terrain = &terrain;
    target.pose.orientation = (clash_quat){0, 0, 0, 1};
    seen = define(*state, &target, NULL);
    assert_int_equal(seen->kind, CLASH_SHAPE_TERRAIN);
    assert_true(seen->as.terrain.columns == 3 && seen->as.terrain.rows == 2);
    assert_true(seen->as.terrain.spacing_x == 0.5f && seen->as.terrain.spacing_z == 2.0f);
    assert_memory_equal(seen->as.terrain.heights, heights, sizeof heights);
}

/** A mesh and a terrain as large as may be written out go into one line. */
static void the_largest_surfaces(void **state)
{
    static clash_vec3 corners[CLASH_TARGET_VERTICES_MAX];
    static uint32_t triangles[CLASH_TARGET_TRIANGLES_MAX][3];
    static float heights[CLASH_TARGET_HEIGHTS_MAX];
    const clash_client_mesh mesh = {corners, CLASH_TARGET_VERTICES_MAX, triangles, CLASH_TARGET_TRIANGLES_MAX,
                                    .convex = true};
    const clash_client_terrain terrain = {heights, 60, 60, 1, 1};
    clash_client_target target = {.name = "m",
                                  .pose = {.orientation = {0, 0, 0, 1}},
                                  .kind = CLASH_SHAPE_MESH,
                                  .mesh = &mesh,
                                  .terrain = &terrain};

    for (int i = 0; i < CLASH_TARGET_VERTICES_MAX; i++)
        corners[i] = (clash_vec3){-1.23456789e-5f * (float)(i + 1), -9.87654321f, -3.33333333e-10f};
    for (uint32_t i = 0; i < CLASH_TARGET_TRIANGLES_MAX; i++)
        for (uint32_t k = 0; k < 3; k++)
            triangles[i][k] = 509 + k;
    for (int i = 0; i < CLASH_TARGET_HEIGHTS_MAX; i++)
        heights[i] = -1.23456789e-5f * (float)(i + 1);
    assert_memory_equal(define(*state, &target, NULL)->as.mesh.vertices, corners, sizeof corners);
    target.kind = CLASH_SHAPE_TERRAIN;
    assert_memory_equal(define(*state, &target, NULL)->as.terrain.heights, heights, sizeof heights);
}

/** The same place as libclash finds for the same numbers. */
static void colliders_of_unity(void **state)
{
    static const clash_unity_transform chain[] = {{{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {1, 2, 0.5f}},
                                                  {{0, -0.5f, 0}, {0.6f, 0, 0, 0.8f}, {-1, 1.5f, 1}}};
    static const clash_unity_collider colliders[] = {
        {.kind = CLASH_UNITY_SPHERE, .center = {0.1f, 0.2f, 0.3f}, .radius = 0.4f},
        {.kind = CLASH_UNITY_SPHERE, .radius = -0.4f, .sphere_rule = CLASH_UNITY_SPHERE_COLUMN},
        {.kind = CLASH_UNITY_BOX, .center = {0.1f, 0.2f, 0.3f}, .size = {1, 2, 3}},
        {.kind = CLASH_UNITY_CAPSULE, .center = {0, 1, 0}, .radius = 0.25f, .height = 2, .direction = 2}};

    for (size_t i = 0; i < sizeof colliders / sizeof colliders[0]; i++) {
        const clash_client_unity unity = {colliders[i], chain, 2};
        const clash_client_target target = {.name = "u", .unity = &unity};
        const clash_target_definition *seen = define(*state, &target, NULL);
        clash_shape shape;
        clash_pose pose;

        assert_true(clash_unity_shape(&colliders[i], chain, 2, &shape, &pose));
        assert_int_equal(seen->kind, shape.kind);
        assert_float_equal(seen->pose.position.x, pose.position.x, 1e-6);
        assert_float_equal(seen->pose.position.z, -pose.position.z, 1e-6);
        if (shape.kind == CLASH_SHAPE_BOX)
            assert_float_equal(seen->as.box.half.y, shape.as.box.half.y, 1e-6);
        else if (shape.kind == CLASH_SHAPE_CAPSULE)
            assert_float_equal(seen->as.capsule.radius, shape.as.capsule.radius, 1e-6);
        else
            assert_float_equal(seen->as.sphere.radius, shape.as.sphere.radius, 1e-6);
    }
}

static void removed_by_name(void **state)
{
    told *t = *state;
    static protocol_request request;
    protocol_error error;
    char line[256];

    assert_int_equal(clash_client_remove_target(t->client, NULL, "shield"), 0);
    pair_receive(t, line, sizeof line);
    assert_int_equal(protocol_parse_request(line, strlen(line) - 1, &request, &error), 0);
    assert_int_equal(request.type, PROTOCOL_REQUEST_REMOVE);
    assert_string_equal(request.blade.name, "shield");
}

static void refused(told *t, const clash_client_target *target, const char *why)
{
    char line[64];

    assert_int_equal(clash_client_define_target(t->client, NULL, target, NULL), -1);
    if (!strstr(clash_client_problem(t->client), why))
        fail_msg("'%s' instead of '%s'", clash_client_problem(t->client), why);
    assert_string_equal(pair_receive(t, line, sizeof line), "");
}

static void what_cannot_be_sent(void **state)
{
    static const clash_vec3 corners[] = {{0, 0, 0}, {0, NAN, 0}};
    static const uint32_t triangle[][3] = {{0, 1, 1}};
    static const float heights[] = {0, 0, 0, INFINITY};
    const clash_client_mesh no_corners = {.triangles = triangle}, mesh = {corners, 2, triangle, 1, .convex = false};
    const clash_client_terrain terrain = {heights, 2, 2, 1, 1}, endless = {heights, SIZE_MAX / 2, 3, 1, 1};
    const clash_unity_transform turned = {.rotation = {NAN, 0, 0, 1}};
    const clash_client_unity unity = {{.kind = CLASH_UNITY_BOX, .size = {1, INFINITY, 1}}, NULL, 0},
                             below = {{.kind = CLASH_UNITY_SPHERE}, &turned, 1}, none = {{.kind = 7}, NULL, 0};
    const clash_client_target good = {.name = "s", .pose = {.orientation = {0, 0, 0, 1}}};
    clash_client_target t = good;

    refused(*state, &(clash_client_target){.kind = CLASH_SHAPE_SPHERE}, "target : it has no name");
    t.pose.position.y = NAN;
    refused(*state, &t, "target s: its pose is not finite");
    t = good;
    t.sphere.radius = INFINITY;
    refused(*state, &t, "its shape is not finite");
    t.kind = CLASH_SHAPE_MESH;
    refused(*state, &t, "it has no vertices");
    t.mesh = &no_corners;
    refused(*state, &t, "it has no vertices");
    t.mesh = &mesh;
    refused(*state, &t, "a vertex is not finite");
    t.kind = CLASH_SHAPE_TERRAIN;
    refused(*state, &t, "it has no heights");
    t.terrain = &terrain;
    refused(*state, &t, "a height or spacing is not finite");
    t.terrain = &endless;
    refused(*state, &t, "more heights than fit");
    t.kind = (clash_shape_kind)9;
    refused(*state, &t, "its shape is of no kind");
    t.unity = &unity;
    refused(*state, &t, "its collider is not finite");
    t.unity = &below;
    refused(*state, &t, "a transform is not finite");
    t.unity = &none;
    refused(*state, &t, "its collider is of no kind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solid_shapes, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(surfaces, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(the_largest_surfaces, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(colliders_of_unity, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(removed_by_name, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_sent, pair_setup, pair_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

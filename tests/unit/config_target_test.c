/* Targets in the configuration: what is right is taken, files are found beside it, what is wrong is named by place and key;
 * and what becomes of a file's heights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "scene/targets.h"
#include "support/fresh.h"
#include "support/temporary.h"

#define ORIGIN "my.json"
#define TARGETS(text) "{\"targets\":[" text "]}"

static config_values config;
static failure error;

static config_result apply(const char *text)
{
    config_defaults(&config);
    return config_apply_text(&config, ORIGIN, text, fresh(&error));
}

static void targets_are_taken(void **state)
{
    const clash_target_definition *t = config.targets;

    (void)state;
    if (apply(TARGETS("{\"name\":\"pillar\",\"position\":[1,0,-2],\"capsule\":{\"base\":[0,0,0],\"tip\":[0,3,0],"
                      "\"radius\":0.3}},"
                      "{\"name\":\"shield\",\"device\":\"/user/hand/left\",\"box\":{\"size\":[0.6,0.8,0.05]}},"
                      "{\"name\":\"rock\",\"unity_collider\":{\"type\":\"sphere\",\"radius\":1,"
                      "\"transforms\":[{\"position\":[0,0,5],\"scale\":[1,2,1]}]}},"
                      "{\"name\":\"floor\",\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],"
                      "\"heights\":[0,0,0,1]}}")) != CONFIG_OK)
        fail_msg("%s", error.text);
    assert_int_equal(config.target_count, 4);
    assert_string_equal(t[0].name, "pillar");
    assert_true(t[0].device[0] == '\0' && t[0].pose.position.z == -2 && t[0].as.capsule.tip.y == 3);
    assert_string_equal(t[1].device, "/user/hand/left");
    assert_true(t[1].as.box.half.y == 0.4f);
    assert_true(t[2].as.sphere.radius == 2 && t[2].pose.position.z == -5);
    assert_true(t[3].as.terrain.heights[3] == 1);
    assert_true(config_can_clash(&config));
    /* They are replaced as a whole. */
    assert_int_equal(config_apply_text(&config, ORIGIN, "{\"contact\":{\"margin\":0.01}}", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.target_count, 4);
    assert_int_equal(config_apply_text(&config, ORIGIN, "{\"targets\":[]}", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.target_count, 0);
}

static void a_blade_may_be_a_collider(void **state)
{
    (void)state;
    if (apply("{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"unity_collider\":{\"type\":\"capsule\",\"radius\":0.25,"
              "\"height\":2,\"direction\":2,\"transforms\":[{\"scale\":[0.25,0.25,0.5]}]}}]}") != CONFIG_OK)
        fail_msg("%s", error.text);
    assert_true(config.blades[0].properties.shape.radius == 0.0625f);
    assert_true(config.blades[0].properties.shape.tip.z == -0.4375f &&
                config.blades[0].properties.shape.base.z == 0.4375f);
    assert_int_equal(apply("{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"unity_collider\":{\"type\":\"box\"}}]}"),
                     CONFIG_BAD);
    assert_non_null(strstr(error.text, "blades[0].unity_collider.type"));
}

static const char *const wrong[][2] = {
    {TARGETS("{\"sphere\":{\"radius\":1}}"), "targets[0]: \"name\" is missing"},
    {TARGETS("{\"name\":\"a\"}"), "targets.a.expected a shape, one of sphere"},
    {TARGETS("{\"name\":\"a\",\"sphere\":{\"radius\":1,\"centre\":[0,0,0]}}"), "targets[0].sphere"},
    {TARGETS("{\"name\":\"a\",\"sphere\":{\"radius\":-1}}"), "targets[0].sphere.radius"},
    {TARGETS("{\"name\":\"a\",\"orientation\":[0,0,0,0],\"sphere\":{\"radius\":1}}"), "targets.a.orientation"},
    {TARGETS("{\"name\":\"left\",\"sphere\":{\"radius\":1}}"),
     "targets[0].name: 'left' is the name of blades[0] already: each needs its own"},
    {TARGETS("{\"name\":\"a\",\"sphere\":{\"radius\":1}},{\"name\":\"a\",\"sphere\":{\"radius\":1}}"),
     "targets[1].name: 'a' is the name of targets[0] already: each needs its own"},
    {TARGETS("{\"name\":\"a\",\"mesh\":{\"file\":\"/nowhere/wall.obj\"}}"),
     "targets.a.mesh.file: /nowhere/wall.obj: No such file or directory"},
    {TARGETS("{\"name\":\"a\",\"mesh\":{\"file\":\"x\",\"vertices\":[[0,0,0]]}}"),
     "targets.a.mesh.vertices: stands beside file"},
    {TARGETS("{\"name\":\"a\",\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],\"file\":\"x\"}}"),
     "targets.a.terrain.height: is missing"},
    {TARGETS("{\"name\":\"a\",\"device\":\"d\",\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],"
             "\"heights\":[0,0,0,0]}}"),
     "targets.a.device: a terrain stands still"},
};

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (apply(wrong[i][0]) != CONFIG_BAD)
            fail_msg("%s was taken", wrong[i][0]);
        if (!strstr(error.text, wrong[i][1]) || strncmp(error.text, ORIGIN ":1:", strlen(ORIGIN ":1:")) != 0)
            fail_msg("'%s' does not say '%s'", error.text, wrong[i][1]);
        assert_int_equal(config.target_count, 0);
    }
}

static void write_to(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Heights of 0, half and all of 100 m, in a file beside the configuration. */
static void files_are_found_beside_the_configuration(void **state)
{
    static const unsigned char heights[] = {0, 0, 0xff, 0xff, 0, 0x80, 0, 0};
    static const char text[] = TARGETS("{\"name\":\"land\",\"terrain\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],"
                                       "\"file\":\"land.raw\",\"height\":100}}");
    failure reason = {0};
    char directory[] = "/tmp/clashd-target-" TEMPORARY, path[100], land[100];
    clash_target_definition *t = &config.targets[0];
    clash_vec3 corners[3];
    target_shape shape;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/config.json", directory);
    snprintf(land, sizeof land, "%s/land.raw", directory);
    write_to(path, text, strlen(text));
    write_to(land, heights, sizeof heights);
    config_defaults(&config);
    if (config_load(&config, path, fresh(&error)) != CONFIG_OK)
        fail_msg("%s", error.text);
    assert_string_equal(t->file, land);
    assert_int_equal(target_shape_make_now(t, &shape, fresh(&reason)), 0);
    assert_int_equal(strlen(t->digest), SURFACE_DIGEST_MAX - 1);
    assert_int_equal(clash_terrain_triangle(shape.terrain, 0, corners), 0);
    assert_true(corners[0].y == 0 && corners[1].y == (float)(0x8000 / 65535.0 * 100) && corners[2].y == 100);
    target_shape_finish(&shape);
    /* Another file of that name is not it, nor is a longer or a shorter one. */
    write_to(land, "12345678", 8);
    assert_int_equal(target_shape_make_now(t, &shape, fresh(&reason)), -1);
    assert_non_null(strstr(reason.text, "is not the file that is meant"));
    t->digest[0] = '\0';
    write_to(land, "123456789", 9);
    assert_int_equal(target_shape_make_now(t, &shape, fresh(&reason)), -1);
    assert_non_null(strstr(reason.text, "expected 8 bytes"));
    t->digest[0] = '\0';
    unlink(land);
    assert_int_equal(target_shape_make_now(t, &shape, fresh(&reason)), -1);
    assert_non_null(strstr(reason.text, "No such file"));
    unlink(path);
    rmdir(directory);
}

/* Centimetres, as modellers like them. */
static void a_mesh_comes_from_a_file(void **state)
{
    static const char obj[] = "v 0 0 0\nv 100 0 0\nv 0 200 0\nv 0 0 300\nf 1 2 3\nf 1 4 2\n";
    failure reason = {0};
    char path[] = "/tmp/clashd-target-" TEMPORARY ".obj";
    const int file = mkstemps(path, 4);
    clash_target_definition t = {.name = "a", .pose = {{0, 0, 0, 1}, {5, 0, 0}}, .kind = CLASH_SHAPE_MESH};
    clash_vec3 corners[3];
    target_shape shape;

    (void)state;
    assert_true(file >= 0);
    close(file);
    write_to(path, obj, strlen(obj));
    snprintf(t.file, sizeof t.file, "%s", path);
    t.as.mesh.scale = 0.01f;
    if (target_shape_make_now(&t, &shape, fresh(&reason)) != 0)
        fail_msg("%s", reason.text);
    assert_int_equal(clash_mesh_triangle_count(shape.mesh), 2);
    assert_int_equal(clash_mesh_triangle(shape.mesh, 0, corners), 0);
    assert_true(corners[0].x == 0 && corners[1].x == 1 &&
                corners[2].y == 2); /* a static one stands where its pose says */
    assert_int_equal(strlen(t.digest), SURFACE_DIGEST_MAX - 1);
    target_shape_finish(&shape);
    snprintf(t.device, sizeof t.device, "d");
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), 0);
    assert_int_equal(clash_mesh_triangle(shape.mesh, 0, corners), 0);
    assert_true(corners[0].x == 5 && corners[1].x == 6);
    target_shape_finish(&shape);
    write_to(path, "no mesh", 7);
    t.digest[0] = '\0';
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), -1);
    assert_non_null(strstr(reason.text, path));
    unlink(path);
}

/* What a device carries is in its frame: moved and turned with it. */
static void what_is_carried_is_put_into_the_devices_frame(void **state)
{
    clash_target_definition t = {.name = "a", .device = "d", .pose = {{0, 0, 0.70710678f, 0.70710678f}, {1, 0, 0}}};
    failure reason = {0};
    target_shape shape;

    (void)state;
    t.kind = CLASH_SHAPE_CAPSULE; /* along x, turned by 90 degrees about z: along y */
    t.as.capsule = (clash_capsule){{1, 0, 0}, {2, 0, 0}, 0.5f};
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), 0);
    assert_true(fabsf(shape.shape.as.capsule.tip.x - 1) < 1e-6f && fabsf(shape.shape.as.capsule.tip.y - 2) < 1e-6f);
    t.kind = CLASH_SHAPE_BOX;
    t.as.box = (clash_box){{1, 0, 0}, {0, 0, 0.70710678f, 0.70710678f}, {1, 2, 3}};
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), 0);
    assert_true(fabsf(shape.shape.as.box.center.y - 1) < 1e-6f && fabsf(shape.shape.as.box.orientation.z - 1) < 1e-6f);
    t.device[0] = '\0'; /* a static one stands where its pose says */
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), 0);
    assert_true(shape.shape.as.box.center.x == 1);
    t = (clash_target_definition){
        .name = "a", .device = "d", .pose = {{0, 0, 0, 1}, {0, 0, 7}}, .kind = CLASH_SHAPE_MESH};
    t.as.mesh = (clash_target_mesh){.vertex_count = 3,
                                    .triangle_count = 1,
                                    .vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                    .triangles = {{0, 1, 2}}};
    assert_int_equal(target_shape_make_now(&t, &shape, fresh(&reason)), 0);
    clash_vec3 corners[3];
    assert_int_equal(clash_mesh_triangle(shape.mesh, 0, corners), 0);
    assert_true(corners[1].x == 1 && corners[1].z == 7);
    target_shape_finish(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_taken),        cmocka_unit_test(a_blade_may_be_a_collider),
        cmocka_unit_test(what_is_wrong_is_named),   cmocka_unit_test(files_are_found_beside_the_configuration),
        cmocka_unit_test(a_mesh_comes_from_a_file), cmocka_unit_test(what_is_carried_is_put_into_the_devices_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Targets in recordings: every kind comes back to the same bits, what may be written out always fits into a line, and a
 * removal says what is removed. */
#include "support/recording_file.h"

#include <cjson/cJSON.h>
#include <float.h>

#include "protocol/messages/codec.h"
#include "protocol/schema_check/schema.h"
#include "support/random.h"

static char line[PROTOCOL_LINE_MAX];

/* The line, held against its schema, through a file. */
static const clash_target_definition *through_a_file(recording_file *f, const clash_target_definition *target)
{
    static char text[PROTOCOL_LINE_MAX + 100];
    const size_t length = protocol_encode_recorded_target(line, sizeof line, 77, target);
    failure error = {0};
    cJSON *value;

    assert_in_range(length, 3, sizeof line - 1);
    value = cJSON_ParseWithLength(line, length);
    if (protocol_schema_validate(protocol_schema_get("recording/target"), value, &error) < 0)
        fail_msg("%s", error.text);
    cJSON_Delete(value);
    snprintf(text, sizeof text, "%s%.*s", HEADER, (int)length, line);
    open_text(f, text);
    if (recording_next(f->recording, &f->item) != RECORDING_TARGET)
        fail_msg("%s", f->said);
    assert_int_equal(f->item.time_ns, 77);
    return &f->item.target;
}

static float any_float(random_state *r)
{
    return (float)random_in(r, -1, 1) * powf(10.0f, (float)random_in(r, -30, 4));
}

static clash_vec3 any_vector(random_state *r)
{
    const float x = any_float(r), y = any_float(r), z = any_float(r);

    return (clash_vec3){x, y, z};
}

static clash_target_definition any_target(random_state *r, clash_shape_kind kind)
{
    clash_target_definition t = {.name = "sh\"i\xc3\xa4ld", .pose = {random_turn(r, 3.0), any_vector(r)}, .kind = kind};

    if (kind != CLASH_SHAPE_TERRAIN && random_below(r, 2))
        strcpy(t.device, "npc/hand");
    return t;
}

static void assert_same(const clash_target_definition *found, const clash_target_definition *expected)
{
    assert_string_equal(found->name, expected->name);
    assert_string_equal(found->device, expected->device);
    assert_string_equal(found->file, expected->file);
    assert_string_equal(found->digest, expected->digest);
    assert_int_equal(found->kind, expected->kind);
    assert_memory_equal(&found->pose, &expected->pose, sizeof found->pose);
}

static void solids_come_back_to_the_bit(void **state)
{
    random_state random = {random_seed(41)};
    clash_target_definition t;

    for (int i = 0; i < 100; i++) {
        t = any_target(&random, CLASH_SHAPE_SPHERE);
        t.as.sphere = (clash_sphere){any_vector(&random), (float)random_in(&random, 0, 10)};
        assert_same(through_a_file(*state, &t), &t);
        assert_memory_equal(&((recording_file *)*state)->item.target.as.sphere, &t.as.sphere, sizeof t.as.sphere);
        t = any_target(&random, CLASH_SHAPE_CAPSULE);
        t.as.capsule = (clash_capsule){any_vector(&random), any_vector(&random), (float)random_in(&random, 0, 10)};
        assert_same(through_a_file(*state, &t), &t);
        assert_memory_equal(&((recording_file *)*state)->item.target.as.capsule, &t.as.capsule, sizeof t.as.capsule);
        t = any_target(&random, CLASH_SHAPE_BOX);
        t.as.box = (clash_box){any_vector(&random),
                               random_turn(&random, 3.0),
                               {(float)random_in(&random, 0, 10), 0, (float)random_in(&random, 0, 1e-30)}};
        assert_same(through_a_file(*state, &t), &t);
        assert_memory_equal(&((recording_file *)*state)->item.target.as.box, &t.as.box, sizeof t.as.box);
    }
}

/* As many and as long numbers as there may be, and the longest names. */
static void whole_surfaces_come_back_to_the_bit(void **state)
{
    random_state random = {random_seed(42)};
    clash_target_definition t = any_target(&random, CLASH_SHAPE_MESH);
    const clash_target_definition *found;

    memset(t.name, 1, sizeof t.name - 1);
    memset(t.device, 2, sizeof t.device - 1);
    t.as.mesh.vertex_count = CLASH_TARGET_VERTICES_MAX;
    t.as.mesh.triangle_count = CLASH_TARGET_TRIANGLES_MAX;
    for (int i = 0; i < CLASH_TARGET_VERTICES_MAX; i++)
        t.as.mesh.vertices[i] = (clash_vec3){-FLT_MIN * 1.2345678f, -9999.99902f, any_float(&random)};
    for (int i = 0; i < CLASH_TARGET_TRIANGLES_MAX; i++)
        for (int k = 0; k < 3; k++)
            t.as.mesh.triangles[i][k] = (uint32_t)(CLASH_TARGET_VERTICES_MAX - 1 - (i + k) % 100);
    found = through_a_file(*state, &t);
    assert_same(found, &t);
    assert_memory_equal(found->as.mesh.vertices, t.as.mesh.vertices, sizeof t.as.mesh.vertices);
    assert_memory_equal(found->as.mesh.triangles, t.as.mesh.triangles, sizeof t.as.mesh.triangles);
    t = any_target(&random, CLASH_SHAPE_TERRAIN);
    t.as.terrain.columns = 60, t.as.terrain.rows = 60;
    t.as.terrain.spacing_x = 0.1f, t.as.terrain.spacing_z = FLT_MIN;
    for (int i = 0; i < CLASH_TARGET_HEIGHTS_MAX; i++)
        t.as.terrain.heights[i] = i % 2 ? -FLT_MIN * 1.2345678f : any_float(&random);
    found = through_a_file(*state, &t);
    assert_same(found, &t);
    assert_true(found->as.terrain.columns == 60 && found->as.terrain.spacing_z == FLT_MIN);
    assert_memory_equal(found->as.terrain.heights, t.as.terrain.heights, sizeof t.as.terrain.heights);
}

static void files_are_named_with_their_digest(void **state)
{
    random_state random = {random_seed(43)};
    clash_target_definition t = any_target(&random, CLASH_SHAPE_MESH);
    const clash_target_definition *found;

    strcpy(t.file, "/some where/wall.obj");
    memset(t.digest, 'a', sizeof t.digest - 1);
    t.as.mesh.scale = 0.01f;
    found = through_a_file(*state, &t);
    assert_same(found, &t);
    assert_true(found->as.mesh.scale == 0.01f && !found->as.mesh.convex);
    t.as.mesh.convex = true;
    assert_true(through_a_file(*state, &t)->as.mesh.convex);
    t = any_target(&random, CLASH_SHAPE_MESH);
    t.as.mesh = (clash_target_mesh){.vertex_count = 3, .triangle_count = 1, .triangles = {{0, 1, 2}}, .convex = true};
    assert_false(through_a_file(*state, &t)->as.mesh.convex); /* what was written out is the hull by now */
    t = any_target(&random, CLASH_SHAPE_TERRAIN);
    strcpy(t.file, "/land.raw");
    t.as.terrain.columns = t.as.terrain.rows = 4097;
    t.as.terrain.spacing_x = t.as.terrain.spacing_z = 1;
    t.as.terrain.height = 600;
    found = through_a_file(*state, &t);
    assert_same(found, &t);
    assert_true(found->as.terrain.columns == 4097 && found->as.terrain.height == 600);
}

static void removals_say_what_goes(void **state)
{
    static const char removal[] = "{\"type\":\"remove\",\"time_ns\":5,\"target\":\"shield\"}\n";
    recording_file *f = *state;

    assert_int_equal(protocol_encode_recorded_target_removal(line, sizeof line, 5, "shield"), strlen(removal));
    assert_memory_equal(line, removal, strlen(removal));
    open_text(
        f, HEADER
        "{\"type\":\"remove\",\"time_ns\":5,\"target\":\"shield\"}\n"
        "{\"type\":\"remove\",\"time_ns\":6,\"blade\":\"npc\"}\n"
        "{\"type\":\"remove\",\"time_ns\":7,\"blade\":\"npc\",\"target\":\"shield\"}\n"
        "{\"type\":\"remove\",\"time_ns\":8}\n"
        "{\"type\":\"target\",\"time_ns\":9,\"name\":\"n\",\"sphere\":{\"radius\":1},\"box\":{\"size\":[1,1,1]}}\n");
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_REMOVE);
    assert_string_equal(f->item.target.name, "shield");
    assert_true(f->item.blade.name[0] == '\0' && f->item.device[0] == '\0');
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_REMOVE);
    assert_string_equal(f->item.blade.name, "npc");
    assert_true(f->item.target.name[0] == '\0');
    assert_string_equal(kinds(f), "");
    assert_string_equal(f->said, "4: expected one of blade, target and device\n"
                                 "5: expected one of blade, target and device\n"
                                 "6: box: stands beside sphere: expected one of sphere, capsule, box, mesh, terrain, "
                                 "unity_collider\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solids_come_back_to_the_bit, recording_file_setup, recording_file_teardown),
        cmocka_unit_test_setup_teardown(whole_surfaces_come_back_to_the_bit, recording_file_setup,
                                        recording_file_teardown),
        cmocka_unit_test_setup_teardown(files_are_named_with_their_digest, recording_file_setup,
                                        recording_file_teardown),
        cmocka_unit_test_setup_teardown(removals_say_what_goes, recording_file_setup, recording_file_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Whose things are whose: what one owner has defined no other changes or removes, who is told of it, and what goes with an owner
 * or a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fresh.h"
#include "support/push_bench.h"

static protocol_error error;

static int define(bench *b, const void *owner, const char *name, const char *device)
{
    const clash_blade blade = {
        .name = name, .device = device, .properties.shape = {.tip = {0, 0, -1}, .radius = 0.02f}};

    return scene_define_blade(&b->scene, owner, EPOCH_NS, &blade, &error);
}

static int define_target(bench *b, const void *owner, const char *name, const char *device)
{
    clash_target_definition ball = {.pose = {{0, 0, 0, 1}, {0, 0, 0}}, .kind = CLASH_SHAPE_SPHERE};
    failure reason = {0};

    snprintf(ball.name, sizeof ball.name, "%s", name);
    snprintf(ball.device, sizeof ball.device, "%s", device);
    ball.as.sphere.radius = 0.1f;
    return scene_define_target(&b->scene, owner, EPOCH_NS, scene_target_make(&ball, fresh(&reason)), &error);
}

static void a_name_has_one_owner(void **state)
{
    const void *owners[] = {scene_settings, scene_recording, &alice, &bob};
    bench *b = *state;

    for (size_t i = 0; i < 4; i++) {
        const char *const device = i < 2 ? "tracker" : i == 2 ? "npc" : "other";

        assert_int_equal(define(b, owners[i], "blade", device), 0);
        assert_int_equal(define_target(b, owners[i], "ball", i < 2 ? "tracker" : ""), 0);
        b->told[0] = '\0';
        for (size_t k = 0; k < 4; k++) {
            if (k == i)
                continue;
            if ((i < 2) == (k < 2)) { /* a client's blade goes before the others': see feed_blades_test */
                assert_int_equal(define(b, owners[k], "blade", "elsewhere"), -1);
                assert_int_equal(error.code, PROTOCOL_ERROR_NAME_TAKEN);
            }
            assert_int_equal(define_target(b, owners[k], "ball", ""), -1);
            assert_int_equal(scene_remove(&b->scene, owners[k], EPOCH_NS, "blade", &error), -1);
            assert_int_equal(scene_remove(&b->scene, owners[k], EPOCH_NS, "ball", &error), -1);
            assert_int_equal(error.code, PROTOCOL_ERROR_NAME_TAKEN);
        }
        told(b, "");
        assert_int_equal(pipeline_find_device(b->pipeline, "elsewhere"), UINT32_MAX);
        assert_int_equal(define(b, owners[i], "ball", device), -1);
        assert_string_equal(error.message, "name: \"ball\" is the name of a target");
        assert_int_equal(scene_remove(&b->scene, owners[i], EPOCH_NS, "blade", &error), 0);
        assert_int_equal(scene_remove(&b->scene, owners[i], EPOCH_NS, "ball", &error), 0);
        told(b, i < 2 ? "-blade, -ball" : i == 2 ? "-blade, -npc, -ball" : "-blade, -other, -ball");
        assert_int_equal(scene_remove(&b->scene, owners[i], EPOCH_NS, "ball", &error), -1);
        assert_int_equal(error.code, PROTOCOL_ERROR_UNKNOWN_NAME);
    }
}

/* A recording ends a device that the settings' blade is on as well. */
static void a_device_takes_along_its_owners_things_only(void **state)
{
    bench *b = *state;

    assert_int_equal(define(b, scene_recording, "mine", "tracker"), 0);
    assert_int_equal(define_target(b, scene_recording, "shield", "tracker"), 0);
    assert_int_equal(define(b, scene_recording, "npc", "npc/hand"), 0);
    assert_int_equal(define_target(b, scene_recording, "wall", "npc/hand"), 0);
    told(b, "+mine, +shield, +npc, +wall");
    scene_remove_device(&b->scene, scene_recording, EPOCH_NS, "tracker");
    told(b, "-mine, -shield");
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), scene_settings);
    scene_remove_device(&b->scene, scene_recording, EPOCH_NS, "npc/hand");
    told(b, "-npc/hand");
    assert_int_equal(pipeline_target_count(b->pipeline), 0);
    assert_int_equal(pipeline_blade_count(b->pipeline), 1);
    assert_int_equal(define(b, &alice, "npc", "npc/hand"), 0);
    assert_int_equal(define(b, scene_recording, "other", "npc/hand"), -1);
    assert_int_equal(define(b, scene_settings, "other", "npc/hand"), -1);
    scene_remove_device(&b->scene, scene_recording, EPOCH_NS, "npc/hand");
    scene_remove_device(&b->scene, scene_recording, EPOCH_NS, "nothing");
    told(b, "+npc");
}

static void what_an_owner_defined_goes_with_it(void **state)
{
    bench *b = *state;

    assert_int_equal(define(b, &alice, "one", "npc/1"), 0);
    assert_int_equal(define_target(b, &bob, "rock", ""), 0);
    assert_int_equal(define(b, scene_recording, "two", "npc/2"), 0);
    assert_int_equal(define_target(b, &alice, "ball", "npc/1"), 0);
    assert_int_equal(scene_count(&b->scene, NULL, true), 2);
    b->told[0] = '\0';
    while (scene_owner_goes(&b->scene, &alice, EPOCH_NS))
        continue;
    told(b, "-one, -ball, -npc/1");
    assert_int_equal(scene_count(&b->scene, NULL, true), 1);
    assert_int_equal(scene_count(&b->scene, scene_recording, false), 1);
    assert_int_equal(scene_count(&b->scene, scene_settings, false), 1);
    while (scene_owner_goes(&b->scene, &bob, EPOCH_NS))
        continue;
    while (scene_owner_goes(&b->scene, &bob, EPOCH_NS))
        continue;
    told(b, "-rock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_has_one_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_takes_along_its_owners_things_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_an_owner_defined_goes_with_it, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Blades that a client has on a device that it feeds: they stand in for those of the settings and of recordings, which come back. The
 * settings' blade "left" is on "tracker". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/feeds.h"
#include "support/push_bench.h"

static protocol_error error;

static protocol_request feed(const char *device)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_FEED, .feed = {.source = CLASH_SOURCE_GAME, .space = "game"}};

    if (device)
        snprintf(r.feed.devices[r.feed.count++], PROTOCOL_NAME_MAX, "%s", device);
    return r;
}

static void leaves(bench *b, const int *client, int64_t now_ns)
{
    while (push_client_goes(b->push, client, now_ns))
        continue;
}

static int define(bench *b, const void *owner, const char *name, const char *device, float length)
{
    const clash_blade made = {
        .name = name, .device = device, .properties.shape = {.tip = {0, 0, -length}, .radius = 0.02f}};

    return scene_define_blade(&b->scene, owner, EPOCH_NS, &made, &error);
}

static float length_of(const bench *b, const char *name)
{
    const pipeline_blade *found = pipeline_find_blade(b->pipeline, name);

    assert_non_null(found);
    return -found->properties.shape.tip.z;
}

static void they_stand_in(void **state)
{
    bench *b = *state;

    assert_int_equal(define(b, scene_recording, "second", "tracker", 1), 0);
    refused(b, &alice, blade("left", "tracker"), 0, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    taken(b, &alice, feed("tracker"), 0);
    b->told[0] = '\0';
    taken(b, &alice, blade("katana", "tracker"), MS);
    told(b, "-left, -second, +katana");
    taken(b, &alice, blade("left", "tracker"), MS); /* their names are free for it.. */
    told(b, "+left");
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), &alice);
    taken(b, &bob, blade("npc", "npc/hand"), MS);
    taken(b, &bob, blade("second", "npc/hand"), MS); /* ..and for others */
    refused(b, &alice, blade("second", "tracker"), MS, PROTOCOL_ERROR_NAME_TAKEN, "second");
    taken(b, &bob, removal("second"), MS);
    b->told[0] = '\0';
    taken(b, &alice, removal("katana"), 2 * MS);
    told(b, "-katana");
    push_check_silence(b->push, 10000 * MS); /* silence is no end */
    told(b, "");
    taken(b, &alice, removal("left"), 2 * MS);
    told(b, "-left, +left, +second");
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), scene_settings);
    assert_ptr_equal(scene_owner_of(&b->scene, "second"), scene_recording);
    assert_true(length_of(b, "left") == 1.0f);
    assert_int_equal(scene_count(&b->scene, scene_settings, false), 1);
}

static void they_go_with_the_feed(void **state)
{
    bench *b = *state;

    taken(b, &alice, feed("tracker"), 0);
    taken(b, &alice, blade("left", "tracker"), MS);
    taken(b, &alice, poses("tracker", 1), 2 * MS);
    told(b, "+left, frame 1@2, tracking tracker found");
    taken(b, &alice, feed(NULL), 3 * MS);
    told(b, "-left, +left, tracking tracker lost");
    refused(b, &alice, blade("left", "tracker"), 4 * MS, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    taken(b, &alice, feed("tracker"), 5 * MS);
    taken(b, &alice, blade("sabre", "tracker"), 5 * MS);
    taken(b, &alice, blade("own", "npc"), 5 * MS);
    b->told[0] = '\0';
    taken(b, &alice, feed("npc"), 6 * MS); /* what it owns it keeps */
    told(b, "-sabre, +left");
    leaves(b, &alice, 7 * MS);
    told(b, "-own, -npc");
    assert_null(b->scene.displaced);
}

/* It moves to a device of the client's own, and so is gone from here. */
static void one_that_moves_away(void **state)
{
    bench *b = *state;

    taken(b, &alice, feed("tracker"), 0);
    taken(b, &alice, blade("sabre", "tracker"), MS);
    b->told[0] = '\0';
    taken(b, &alice, blade("sabre", "own"), MS);
    told(b, "+sabre, +left");
    taken(b, &alice, blade("sabre", "tracker"), MS);
    told(b, "-left, +sabre, -own");
}

static void a_reload_changes_what_comes_back(void **state)
{
    bench *b = *state;

    taken(b, &alice, feed("tracker"), 0);
    taken(b, &alice, blade("left", "tracker"), MS);
    b->told[0] = '\0';
    assert_true(scene_is_displaced(&b->scene, "left"));
    assert_int_equal(define(b, scene_settings, "left", "tracker", 0.5f), 0);
    assert_int_equal(define(b, scene_settings, "third", "tracker", 0.25f), 0);
    assert_int_equal(define(b, scene_settings, "elsewhere", "other", 0.25f), 0);
    told(b, "+elsewhere");
    assert_int_equal(define(b, scene_settings, "elsewhere", "tracker", 0.25f), 0);
    told(b, "-elsewhere");
    assert_int_equal(scene_remove(&b->scene, scene_settings, EPOCH_NS, "elsewhere", &error), 0);
    assert_int_equal(scene_count(&b->scene, scene_settings, false), 2);
    assert_int_equal(define(b, scene_recording, "third", "tracker", 1), -1);
    told(b, "");
    leaves(b, &alice, 2 * MS);
    told(b, "-left, +left, +third");
    assert_true(length_of(b, "left") == 0.5f);
    taken(b, &alice, feed("tracker"), 3 * MS);
    taken(b, &alice, blade("left", "tracker"), 3 * MS);
    assert_int_equal(scene_remove(&b->scene, scene_settings, EPOCH_NS, "left", &error), 0);
    assert_int_equal(scene_remove(&b->scene, scene_settings, EPOCH_NS, "third", &error), 0);
    leaves(b, &alice, 4 * MS);
    assert_int_equal(pipeline_blade_count(b->pipeline), 0);
}

/* A recording that is played ends a device that a game feeds. */
static void a_recording_ends_the_device(void **state)
{
    bench *b = *state;

    assert_int_equal(define(b, scene_recording, "second", "tracker", 1), 0);
    taken(b, &alice, feed("tracker"), 0);
    taken(b, &alice, blade("sabre", "tracker"), MS);
    b->told[0] = '\0';
    scene_remove_device(&b->scene, scene_recording, EPOCH_NS, "tracker");
    told(b, "");
    leaves(b, &alice, 2 * MS);
    told(b, "-sabre, +left");
}

/* Swapped, thrown, handed over: a client's blade keeps the name of one of the settings' wherever it goes. */
static void a_name_goes_with_the_sword(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("left", "npc"), 0);
    told(b, "-left, +left");
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), &alice);
    taken(b, &alice, feed("tracker"), MS);
    taken(b, &alice, blade("left", "tracker"), MS);
    told(b, "+left, -npc");
    taken(b, &alice, feed(NULL), 2 * MS); /* with the feed goes what is on the device, and the settings' comes back.. */
    told(b, "-left, +left");
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), scene_settings);
    taken(b, &alice, blade("left", "npc"), 3 * MS); /* ..but not for long */
    told(b, "-left, +left");
    refused(b, &bob, removal("left"), 4 * MS, PROTOCOL_ERROR_NAME_TAKEN, "not this client's");
    refused(b, &bob, blade("left", "other"), 4 * MS, PROTOCOL_ERROR_NAME_TAKEN, "not this client's");
    leaves(b, &alice, 5 * MS);
    told(b, "-left, -npc, +left");
    assert_int_equal(pipeline_blade_count(b->pipeline), 1);
    refused(b, &bob, removal("left"), 6 * MS, PROTOCOL_ERROR_NAME_TAKEN, "not this client's");
}

/* One sword in one hand: the default settings' other one, which the player does not see, gives way too. */
static void default_blades_give_way_to_a_game(void **state)
{
    bench *b = *state;
    const char *names[4];

    assert_int_equal(define(b, scene_settings, "right", "tracker 2", 1), 0);
    scene_set_default_blades(&b->scene, true, EPOCH_NS);
    b->told[0] = '\0';
    taken(b, &bob, blade("npc", "npc"), 0); /* an enemy's sword alone changes nothing.. */
    told(b, "+npc");
    taken(b, &alice, feed("tracker 2"), 0); /* ..nor do poses alone */
    told(b, "");
    taken(b, &alice, blade("saber", "tracker 2"), MS);
    assert_non_null(strstr(b->told, "-right, +saber, -left, log the default blades"));
    assert_int_equal(scene_list_displaced(&b->scene, names, 4), 2);
    b->told[0] = '\0';
    taken(b, &alice, blade("saber", "thrown"), 2 * MS); /* empty hands */
    told(b, "+saber");
    taken(b, &bob, feed("tracker"), 3 * MS);
    told(b, "");
    leaves(b, &alice, 4 * MS); /* bob is a game as well */
    told(b, "-saber, -thrown");
    leaves(b, &bob, 5 * MS);
    told(b, "-npc, -npc, +right, +left");
    assert_int_equal(scene_list_displaced(&b->scene, names, 4), 0);
    scene_set_default_blades(&b->scene, false, EPOCH_NS);
    taken(b, &alice, feed("tracker 2"), 6 * MS);
    taken(b, &alice, blade("saber", "tracker 2"), 6 * MS);
    told(b, "-right, +saber"); /* of blades that the settings name only those on that device */
    scene_set_default_blades(&b->scene, true, EPOCH_NS);
    told(b, "-left");
    scene_set_default_blades(&b->scene, false, EPOCH_NS);
    told(b, "+left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(they_stand_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_go_with_the_feed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_moves_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reload_changes_what_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_goes_with_the_sword, set_up, tear_down),
        cmocka_unit_test_setup_teardown(default_blades_give_way_to_a_game, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_recording_ends_the_device, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Who feeds a device, rule by rule: who may, who comes first, when the lower one yields and takes over again, and where the track
 * goes on. The source's device is "tracker"; all poses lie on y = t / 1 s, whoever sends them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "scene/feeds.h"
#include "support/push_bench.h"

static uint32_t tracker;

static int set_up_source(void **state)
{
    bench *b;

    set_up(state);
    b = *state;
    b->scene.own = CLASH_SOURCE_OPENXR;
    tracker = scene_source_device(&b->scene, "tracker");
    return 0;
}

static protocol_request feed_of(clash_feed_source source, const char *space, const char *first, const char *second)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_FEED, .feed.source = source};

    snprintf(r.feed.space, sizeof r.feed.space, "%s", space);
    for (int i = 0; i < 2; i++)
        if ((i == 0 ? first : second))
            snprintf(r.feed.devices[r.feed.count++], PROTOCOL_NAME_MAX, "%s", i == 0 ? first : second);
    return r;
}

static protocol_request game(const char *device)
{
    return feed_of(CLASH_SOURCE_GAME, "game", device, NULL);
}

static protocol_request layer(const char *device)
{
    return feed_of(CLASH_SOURCE_LAYER, "local", device, NULL);
}

static void own(bench *b, int64_t ms)
{
    pose_frame frame = {.time_ns = EPOCH_NS + ms * MS, .count = 1};

    frame.samples[0] = (pose_sample){
        .device = tracker, .flags = POSE_VALID | POSE_TRACKED, .pose = {{0, 0, 0, 1}, {0, (float)ms * 0.001f, 0}}};
    scene_frame(&b->scene, NULL, &frame, 0);
}

/* Sampled at `ms`, and there at `at`. */
static void sends(bench *b, const int *client, int64_t ms, int64_t at)
{
    taken(b, client, timed(poses("tracker", (float)ms * 0.001f), ms * MS), at * MS);
}

static const char *space(const bench *b)
{
    return scene_space_of(&b->scene, tracker);
}

static void who_may(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("npc", "npc/hand"), 0);
    refused(b, &bob, game("npc/hand"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc/hand");
    taken(b, &alice, feed_of(CLASH_SOURCE_GAME, "game", "tracker", "npc/hand"), 0);
    refused(b, &bob, feed_of(CLASH_SOURCE_GAME, "game", "/user/hand/left", "tracker"), 0, PROTOCOL_ERROR_NAME_TAKEN,
            "tracker");
    assert_int_equal(pipeline_find_device(b->pipeline, "/user/hand/left"), UINT32_MAX);
    refused(b, &bob, feed_of(CLASH_SOURCE_LAYER, "a", "one", "one"), 0, PROTOCOL_ERROR_BAD_MESSAGE, "twice");
    taken(b, &bob, layer("tracker"), 0);
    refused(b, &bob, poses("npc/hand", 1), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "npc/hand");
    taken(b, &alice, game(NULL), 0);
    refused(b, &alice, poses("tracker", 1), MS, PROTOCOL_ERROR_UNKNOWN_NAME, "tracker");
    taken(b, &alice, poses("npc/hand", 1), MS);
    taken(b, &bob, game("tracker"), MS);
    refused(b, &alice, game("tracker"), MS, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    while (push_client_goes(b->push, &bob, MS))
        continue;
    taken(b, &alice, game("tracker"), MS);
}

/* There is no room for a device more: the client goes on feeding what it fed. */
static void a_feed_for_which_there_is_no_room(void **state)
{
    bench *b = *state;
    char name[32] = "";

    taken(b, &alice, game("tracker"), 0);
    for (int i = 0; i < PIPELINE_DEVICES_MAX; i++) {
        snprintf(name, sizeof name, "other %d", i);
        if (pipeline_device(b->pipeline, name) == UINT32_MAX)
            break;
    }
    assert_int_equal(0, pipeline_remove_device(b->pipeline, pipeline_find_device(b->pipeline, "other 7")));
    refused(b, &alice, feed_of(CLASH_SOURCE_GAME, "game", "one", "two"), 0, PROTOCOL_ERROR_LIMIT, "cannot follow");
    assert_int_equal(pipeline_find_device(b->pipeline, "one"), UINT32_MAX);
    taken(b, &alice, poses("tracker", 1), MS);
    taken(b, &alice, feed_of(CLASH_SOURCE_GAME, "game", "tracker", "one"), 2 * MS);
}

/* A device that nobody knows is there as long as somebody feeds it or has something on it. */
static void a_device_of_nobodys(void **state)
{
    bench *b = *state;

    taken(b, &alice, game("/user/hand/left"), 0);
    taken(b, &alice, poses("/user/hand/left", 1), MS);
    taken(b, &bob, layer("/user/hand/left"), MS);
    told(b, "frame 1@1, tracking /user/hand/left found");
    taken(b, &alice, game("katana"), 2 * MS);
    told(b, "tracking /user/hand/left lost");
    while (push_client_goes(b->push, &bob, 3 * MS))
        continue;
    told(b, "-/user/hand/left");
    refused(b, &bob, blade("npc", "katana"), 4 * MS, PROTOCOL_ERROR_NAME_TAKEN, "katana");
    taken(b, &alice, blade("sword", "katana"), 4 * MS);
    taken(b, &alice, poses("katana", 1), 6 * MS);
    taken(b, &alice, game(NULL), 7 * MS);
    told(b, "+sword, frame 1@6, tracking katana found, -sword, tracking katana lost, -katana");
    assert_null(b->scene.feeds);
}

static void a_game_comes_before_the_layer_and_that_before_the_source(void **state)
{
    bench *b = *state;

    own(b, 10);
    taken(b, &alice, game("tracker"), 11 * MS);
    taken(b, &bob, layer("tracker"), 11 * MS);
    own(b, 20);
    told(b, "frame 1@10, tracking tracker found, frame 1@20");
    assert_int_equal(pipeline_device_source(b->pipeline, tracker), CLASH_SOURCE_OPENXR);
    assert_null(space(b));
    sends(b, &bob, 25, 25); /* begins later than the source has ended */
    told(b, "frame 1@25, space of 2@25");
    assert_int_equal(pipeline_device_source(b->pipeline, tracker), CLASH_SOURCE_LAYER);
    assert_string_equal(space(b), "local");
    own(b, 30);
    sends(b, &bob, 35, 35);
    told(b, "frame 1@35");
    sends(b, &alice, 36, 36);
    sends(b, &bob, 45, 45);
    own(b, 50);
    sends(b, &alice, 46, 51);
    told(b, "frame 1@36, space of 1@36, frame 1@46");
    assert_string_equal(space(b), "game");
    taken(b, &alice, game(NULL), 52 * MS);
    told(b, "");
    sends(b, &bob, 55, 55);
    told(b, "frame 1@46, space of 2@46, frame 1@55");
    own(b, 60);
    while (push_client_goes(b->push, &bob, 61 * MS))
        continue;
    told(b, "frame 1@55, space of 3@55, frame 1@60");
    own(b, 70);
    told(b, "frame 1@70");
    assert_int_equal(counter(b, "feed_switches"), 4);
}

/* Who is ahead has been there already: the other begins where that ends, on the motion between two of its own samples. */
static void of_what_both_cover_nothing_is_lost(void **state)
{
    clash_pose pose;
    bench *b = *state;

    own(b, 10);
    own(b, 20);
    taken(b, &alice, game("tracker"), 20 * MS);
    b->told[0] = '\0';
    sends(b, &alice, 14, 21);
    own(b, 30); /* it yields from the first pose of the other on */
    sends(b, &alice, 19, 31);
    told(b, "");
    sends(b, &alice, 24, 32);
    told(b, "frame 1@20, space of 1@20, frame 1@24");
    assert_true(pipeline_pose_at(b->pipeline, tracker, EPOCH_NS + 20 * MS, &pose));
    assert_float_equal(pose.position.y, 0.020, 1e-6);
    assert_true(pipeline_pose_at(b->pipeline, tracker, EPOCH_NS + 21 * MS, &pose));
    assert_float_equal(pose.position.y, 0.021, 1e-6);
    assert_true(pipeline_pose_at(b->pipeline, tracker, EPOCH_NS + 19 * MS, &pose));
    assert_float_equal(pose.position.y, 0.019, 1e-6);
    sends(b, &alice, 55, 33);
    own(b, 40);
    while (push_client_goes(b->push, &alice, 41 * MS))
        continue;
    own(b, 50);
    told(b, "frame 1@55");
    own(b, 60);
    told(b, "frame 1@55, space of 3@55, frame 1@60");
    assert_true(pipeline_pose_at(b->pipeline, tracker, EPOCH_NS + 56 * MS, &pose));
    assert_float_equal(pose.position.y, 0.056, 1e-6);
}

/* The one that yielded for nothing goes on with all that it has. */
static void a_feed_that_ends_before_it_begins(void **state)
{
    bench *b = *state;

    own(b, 10);
    own(b, 20);
    taken(b, &alice, game("tracker"), 20 * MS);
    b->told[0] = '\0';
    sends(b, &alice, 12, 21);
    own(b, 30);
    own(b, 40);
    told(b, "");
    taken(b, &alice, game(NULL), 41 * MS);
    own(b, 50);
    told(b, "frame 1@30, frame 1@40, frame 1@50");
    assert_int_equal(counter(b, "feed_switches"), 0);
    assert_int_equal(pipeline_get_counters(b->pipeline)->cuts, 0);
}

static void silence(void **state)
{
    bench *b = *state;

    taken(b, &alice, game("tracker"), 0);
    sends(b, &alice, 10, 10);
    told(b, "frame 1@10, tracking tracker found");
    push_check_silence(b->push, 10 * MS + TIMEOUT_NS - 1);
    told(b, "");
    push_check_silence(b->push, 10 * MS + TIMEOUT_NS);
    told(b, "tracking tracker lost"); /* there is no other */
    assert_int_equal(counter(b, "push_silent"), 1);
    for (int64_t ms = 270; ms <= 300; ms += 10)
        own(b, ms);
    told(b, "frame 1@270, tracking tracker found, space of 3@270, frame 1@280, frame 1@290, frame 1@300");
    sends(b, &alice, 301, 301);
    told(b, "frame 1@301, space of 1@301");
    for (int64_t ms = 310; ms <= 560; ms += 10)
        own(b, ms);
    push_check_silence(b->push, 301 * MS + TIMEOUT_NS);
    assert_memory_equal(b->told, "frame 1@301, space of 3@301, frame 1@310, ", 42);
    b->told[0] = '\0';
    own(b, 570);
    told(b, "frame 1@570");
    assert_int_equal(counter(b, "push_silent"), 2);
}

/* What cannot be used is no reason to yield, and if nothing else comes the lower one takes over. */
static void only_usable_poses_count(void **state)
{
    protocol_request bad;
    bench *b = *state;

    taken(b, &alice, game("tracker"), 0);
    own(b, 10);
    bad = timed(poses("tracker", 1), 12 * MS);
    bad.poses.poses[0].valid = false;
    taken(b, &alice, bad, 12 * MS);
    own(b, 20);
    told(b, "frame 1@10, tracking tracker found, frame 1@20");
    sends(b, &alice, 21, 21);
    bad = timed(poses("tracker", 1), 25 * MS);
    bad.poses.poses[0].tracked = false;
    taken(b, &alice, bad, 25 * MS);
    told(b, "frame 1@21, space of 1@21, frame 1@25, tracking tracker lost");
    own(b, 260);
    bad = timed(bad, 270 * MS);
    taken(b, &alice, bad, 270 * MS);
    push_check_silence(b->push, 21 * MS + TIMEOUT_NS);
    own(b, 280);
    told(b, "frame 1@270, frame 1@270, tracking tracker found, space of 3@270, frame 1@280");
}

static void another_space_is_another_feed(void **state)
{
    bench *b = *state;

    taken(b, &alice, game("tracker"), 0);
    sends(b, &alice, 10, 10);
    taken(b, &alice, game("tracker"), 11 * MS);
    sends(b, &alice, 20, 20);
    told(b, "frame 1@10, tracking tracker found, frame 1@20");
    taken(b, &alice, feed_of(CLASH_SOURCE_GAME, "level 2", "tracker", NULL), 21 * MS);
    sends(b, &alice, 30, 30);
    sends(b, &alice, 40, 40);
    told(b, "frame 1@30, space of 1@30, frame 1@40");
    assert_string_equal(space(b), "level 2");
}

static void what_the_source_reports_while_it_yields(void **state)
{
    bench *b = *state;

    own(b, 10);
    taken(b, &alice, game("tracker"), 10 * MS);
    sends(b, &alice, 11, 11);
    b->told[0] = '\0';
    scene_source_lost(&b->scene, tracker, EPOCH_NS + 12 * MS, CLASH_TRACKING_LOST);
    scene_source_space_changed(&b->scene, EPOCH_NS + 13 * MS);
    scene_source_gone(&b->scene, EPOCH_NS + 14 * MS, CLASH_TRACKING_JUMPED);
    told(b, "");
    own(b, 15);
    sends(b, &alice, 18, 18);
    own(b, 20);
    scene_source_space_changed(&b->scene, EPOCH_NS + 21 * MS);
    while (push_client_goes(b->push, &alice, 21 * MS))
        continue;
    own(b, 25); /* no motion leads from before the change to there */
    told(b, "frame 1@18, frame 1@25, space of 3@25");
    assert_int_equal(pipeline_get_counters(b->pipeline)->cuts, 2);
    scene_source_space_changed(&b->scene, EPOCH_NS + 26 * MS);
    told(b, "space of 0@26");
}

static void count(void *context)
{
    (*(int *)context)++;
}

/* A program that draws over another one feeds while no other does; and an end of a feed is reported, once for all of its devices. */
static void an_overlay_comes_before_nothing_but_the_source(void **state)
{
    bench *b = *state;
    protocol_request overlay = feed_of(CLASH_SOURCE_LAYER, "stage", "tracker", "other");
    const int carol = 3;
    int ends = 0;

    b->scene.on_feed_end = count;
    b->scene.feed_end_context = &ends;
    overlay.feed.is_overlay = true;
    own(b, 10);
    taken(b, &bob, overlay, 10 * MS);
    sends(b, &bob, 20, 20);
    assert_string_equal(space(b), "stage");
    refused(b, &carol, overlay, 20 * MS, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    taken(b, &alice, layer("tracker"), 20 * MS);
    sends(b, &alice, 30, 30);
    assert_string_equal(space(b), "local");
    sends(b, &bob, 35, 35);
    sends(b, &bob, 45, 45);
    assert_string_equal(space(b), "local");
    assert_int_equal(ends, 0);
    while (push_client_goes(b->push, &alice, 45 * MS))
        continue;
    assert_int_equal(ends, 1);
    assert_string_equal(space(b), "stage");
    taken(b, &bob, layer(NULL), 46 * MS);
    assert_int_equal(ends, 2);
    taken(b, &bob, layer(NULL), 47 * MS);
    assert_int_equal(ends, 2);
}

/* Up and down past a post at 5 m/s, twice 0.4 s; both are sampled at the same times. */
static void both_send(bench *b, int64_t time_ns)
{
    const double phase = fmod((double)time_ns * 1e-9, 0.4) / 0.4;
    protocol_request r = poses("tracker", (float)(0.5 - 2.0 * fabs(phase - 0.5)));

    add_pose(&r, "npc/hand", 0);
    taken(b, &alice, timed(r, time_ns), time_ns);
}

/* Return how many clashes and releases there are in 10 s at 90 Hz, with hitches of that length twice a second. */
static void play_with_hitches(bench *b, int64_t hitch_ms, int64_t max_gap_ms, size_t out_counts[2])
{
    static const char *const words[2] = {"clash", "release"};
    protocol_request feed = game("tracker");
    int64_t next_hitch_ns = 250 * MS, step_ns;
    pipeline_settings settings = *pipeline_get_settings(b->pipeline);

    settings.gap_by_rate = true; /* as clashd's defaults have it */
    pipeline_change_settings(b->pipeline, &settings);
    feed.feed.max_gap_ns = max_gap_ms * MS;
    taken(b, &alice, feed, 0);
    taken(b, &alice, blade("sabre", "tracker"), 0);
    taken(b, &alice, blade("post", "npc/hand"), 0);
    out_counts[0] = out_counts[1] = 0;
    for (int64_t ns = MS; ns < 10000 * MS; ns += step_ns) {
        step_ns = ns > next_hitch_ns ? hitch_ms * MS : 11111111;
        next_hitch_ns += ns > next_hitch_ns ? 500 * MS : 0;
        b->told[0] = '\0';
        both_send(b, ns);
        for (size_t i = 0; i < 2; i++)
            for (const char *at = b->told; (at = strstr(at, words[i])); at++)
                out_counts[i]++;
    }
}

/* 5 m/s times 55 ms is less than the way to either side, so a straight motion over a hitch has the same contacts. */
static void hitches_lose_no_contact(void **state)
{
    static const struct {
        int64_t hitch_ms, max_gap_ms;
        bool loses;
    } cases[] = {{11, 0, false}, {55, 0, false}, {95, 0, false},   {55, 100, false},
                 {55, 40, true}, {105, 0, true}, {105, 110, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        void *own;
        size_t counts[2];

        set_up_source(&own);
        play_with_hitches(own, cases[i].hitch_ms, cases[i].max_gap_ms, counts);
        if ((counts[0] != 50 || counts[1] != 50) != cases[i].loses)
            fail_msg("hitches of %d ms, max_gap_ms %d: %zu clashes, %zu releases", (int)cases[i].hitch_ms,
                     (int)cases[i].max_gap_ms, counts[0], counts[1]);
        tear_down(&own);
    }
}

/* A number in the settings counts for feeds too, unless the feed has its own. */
static void the_settings_may_say_how_far(void **state)
{
    bench *b = *state;
    pipeline_settings settings = *pipeline_get_settings(b->pipeline);

    settings.gap_by_rate = false;
    settings.max_gap_ns = 60 * MS;
    pipeline_change_settings(b->pipeline, &settings);
    assert_int_equal(scene_gap_of_feed(&b->scene, 0), 0);
    assert_int_equal(scene_gap_of_feed(&b->scene, 500 * MS), 500 * MS);
    settings.gap_by_rate = true;
    pipeline_change_settings(b->pipeline, &settings);
    assert_int_equal(scene_gap_of_feed(&b->scene, 0), FEED_GAP_NS);
}

/* One whose next pose would be joined is not silent: the source does not take over. */
static void silence_waits_for_the_gap(void **state)
{
    bench *b = *state;
    protocol_request feed = game("tracker");

    feed.feed.max_gap_ns = 600 * MS;
    taken(b, &alice, feed, 0);
    sends(b, &alice, 10, 10);
    for (int64_t ms = 20; ms < 600; ms += 10) {
        own(b, ms);
        push_check_silence(b->push, ms * MS);
    }
    assert_null(strstr(b->told, "lost"));
    assert_string_equal(space(b), "game");
    push_check_silence(b->push, 620 * MS);
    own(b, 630);
    assert_null(space(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hitches_lose_no_contact),
        cmocka_unit_test_setup_teardown(the_settings_may_say_how_far, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(silence_waits_for_the_gap, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(who_may, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(a_feed_for_which_there_is_no_room, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(a_device_of_nobodys, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(a_game_comes_before_the_layer_and_that_before_the_source, set_up_source,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_what_both_cover_nothing_is_lost, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(a_feed_that_ends_before_it_begins, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(silence, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(only_usable_poses_count, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(another_space_is_another_feed, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(what_the_source_reports_while_it_yields, set_up_source, tear_down),
        cmocka_unit_test_setup_teardown(an_overlay_comes_before_nothing_but_the_source, set_up_source, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

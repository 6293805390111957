/* What clients push, without a daemon: whose names are whose, limits on count, rate and time, what is told to the sinks and
 * in which order, silence, and that a refused request has changed nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/push_bench.h"

#include <math.h>

static void names_have_owners(void **state)
{
    bench *b = *state;

    refused(b, &alice, blade("npc", "tracker"), 0, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    refused(b, &alice, blade("npc", "/user/hand/left"), 0, PROTOCOL_ERROR_NAME_TAKEN, "/user/hand/left");
    assert_null(scene_owner_of(&b->scene, "npc"));
    assert_false(scene_is_clients_device(&b->scene, "npc/hand"));
    taken(b, &alice, blade("npc", "npc/hand"), 0);
    assert_ptr_equal(scene_owner_of(&b->scene, "npc"), &alice);
    assert_true(scene_is_clients_device(&b->scene, "npc/hand"));
    assert_ptr_equal(scene_owner_of(&b->scene, "left"), scene_settings);
    refused(b, &bob, blade("npc", "other"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc");
    refused(b, &bob, blade("other", "npc/hand"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc/hand");
    refused(b, &bob, removal("npc"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc");
    refused(b, &alice, removal("left"), 0, PROTOCOL_ERROR_NAME_TAKEN, "left");
    refused(b, &alice, removal("nothing"), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "nothing");
    refused(b, &bob, poses("npc/hand", 1), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "npc/hand");
    refused(b, &alice, poses("npc", 1), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "npc");
    told(b, "+npc");
    while (push_client_goes(b->push, &alice, 1))
        continue;
    told(b, "-npc, -npc/hand");
    taken(b, &bob, blade("npc", "npc/hand"), 2);
    assert_int_equal(counter(b, "pushed_blades"), 1);
}

static void a_device_goes_with_its_last_blade(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("one", "hand"), 0);
    taken(b, &alice, blade("two", "hand"), 0);
    taken(b, &alice, poses("hand", 1), MS);
    told(b, "+one, +two, frame 1@1, tracking hand found");
    taken(b, &alice, removal("one"), 2 * MS);
    taken(b, &alice, poses("hand", 1), 3 * MS);
    told(b, "-one, frame 1@3");
    taken(b, &alice, blade("two", "other"), 4 * MS);
    told(b, "+two, tracking hand lost, -hand");
    refused(b, &alice, poses("hand", 1), 5 * MS, PROTOCOL_ERROR_UNKNOWN_NAME, "hand");
    taken(b, &alice, poses("other", 1), 5 * MS);
    assert_int_equal(pipeline_find_device(b->pipeline, "hand"), UINT32_MAX);
    assert_int_equal(pipeline_blade_count(b->pipeline), 2);
    assert_int_equal(counter(b, "pushed_blades"), 1);
}

/* Everything told in the order in which a recording needs it. */
static void who_goes_lets_go(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("npc", "npc/hand"), 0);
    taken(b, &bob, blade("wall", "wall"), 0);
    for (int i = 0; i < 3; i++) {
        taken(b, &bob, poses("wall", 0), (10 * i + 5) * MS);
        taken(b, &alice, poses("npc/hand", 0.5f - 0.25f * (float)i), (10 * i + 10) * MS);
    }
    taken(b, &bob, poses("wall", 0), 40 * MS);
    assert_non_null(strstr(b->told, "clash npc wall"));
    b->told[0] = '\0';
    while (push_client_goes(b->push, &alice, 50 * MS))
        continue;
    told(b, "-npc, release removed, tracking npc/hand lost, -npc/hand");
    while (push_client_goes(b->push, &alice, 50 * MS))
        continue;
    told(b, "");
}

static void times_are_checked(void **state)
{
    const int64_t now = 10000 * MS;
    bench *b = *state;

    taken(b, &alice, blade("npc", "hand"), 0);
    refused(b, &alice, timed(poses("hand", 1), now + POSE_AHEAD_MAX_NS + 1), now, PROTOCOL_ERROR_BAD_TIME, "future");
    refused(b, &alice, timed(poses("hand", 1), now - POSE_BEHIND_MAX_NS - 1), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, timed(poses("hand", 1), now - POSE_BEHIND_MAX_NS), now);
    refused(b, &alice, timed(poses("hand", 1), now - POSE_BEHIND_MAX_NS), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, timed(poses("hand", 1), now + POSE_AHEAD_MAX_NS), now);
    refused(b, &alice, poses("hand", 1), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, poses("hand", 1), now + POSE_AHEAD_MAX_NS + 1);
    assert_int_equal(counter(b, "push_refused_future"), 1);
    assert_int_equal(counter(b, "push_refused_late"), 3);
    assert_int_equal(counter(b, "pushed_poses"), 3);
}

static void partly(bench *b, const void *client, protocol_request r, int64_t now_ns, protocol_error_code code,
                   const char *names)
{
    protocol_error error;

    assert_int_equal(push_request(b->push, client, &r, now_ns, &error), PUSH_PARTLY);
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.message, names));
}

static protocol_request twenty(bench *b)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES};
    char name[8];

    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "d%d", i);
        taken(b, &alice, blade(name, name), 0);
        add_pose(&r, name, 1);
    }
    b->told[0] = '\0';
    return r;
}

/* Whatever is wrong with one of them, the others are where they were said to be. */
static void a_bad_pose_costs_itself(void **state)
{
    bench *b = *state;
    protocol_request r = twenty(b);

    add_pose(&r, "d3", 1);
    partly(b, &alice, r, MS, PROTOCOL_ERROR_BAD_MESSAGE, "\"d3\" stands twice");
    assert_memory_equal(b->told, "frame 16@1+, frame 4@1, tracking d0 found", 41);
    r.poses.count--;
    add_pose(&r, "nobody", 1);
    partly(b, &alice, r, 2 * MS, PROTOCOL_ERROR_UNKNOWN_NAME, "nobody");
    r.poses.count--;
    r.poses.poses[0].pose.orientation = (clash_quat){0, 0, 0, 0};
    r.poses.poses[7].pose.position.y = CLASH_COORDINATE_MAX + 1;
    r.poses.poses[8].pose.position.z = INFINITY;
    b->told[0] = '\0';
    partly(b, &alice, r, 3 * MS, PROTOCOL_ERROR_BAD_MESSAGE, "d0: orientation: expected a quaternion of unit length");
    told(b, "frame 16@3+, frame 1@3");
    r.poses.poses[0].valid = r.poses.poses[7].valid = r.poses.poses[8].valid = false; /* then numbers mean nothing */
    taken(b, &alice, r, 4 * MS);
    assert_int_equal(counter(b, "pushed_messages"), 4);
    assert_int_equal(counter(b, "pushed_poses"), 20 + 20 + 17 + 20);
    assert_int_equal(counter(b, "push_refused_pose"), 1);
    assert_int_equal(pipeline_get_counters(b->pipeline)->refused_not_unit, 0);
}

/* One device has had a pose of that time already, the others have not. */
static void a_late_pose_costs_itself(void **state)
{
    bench *b = *state;
    protocol_request r = twenty(b);

    taken(b, &alice, timed(poses("d1", 1), 10 * MS), 10 * MS);
    b->told[0] = '\0';
    partly(b, &alice, timed(r, 10 * MS), 10 * MS, PROTOCOL_ERROR_BAD_TIME, "d1");
    assert_memory_equal(b->told, "frame 16@10+, frame 3@10, tracking d0 found", 43);
    refused(b, &alice, timed(r, 10 * MS), 10 * MS, PROTOCOL_ERROR_BAD_TIME, "d0");
    refused(b, &alice, timed(r, 90 * MS), 10 * MS, PROTOCOL_ERROR_BAD_TIME, "future");
    taken(b, &alice, timed(r, 20 * MS), 20 * MS); /* and nobody is deaf */
    assert_int_equal(counter(b, "push_refused_late"), 2);
    assert_int_equal(counter(b, "push_refused_future"), 1);
}

/* A crowd leaves room for the player's hands, of a client and of all together. */
static void there_are_limits(void **state)
{
    bench *b = *state;
    static const int clients[4];
    const int most = PUSH_BLADES_MAX - PUSH_HAND_BLADES, rest = PUSH_ALL_BLADES_MAX - PUSH_HAND_BLADES - 2 * most;
    protocol_request feed = {.type = PROTOCOL_REQUEST_FEED, .feed = {.source = CLASH_SOURCE_GAME, .space = "game"}};
    char name[16];

    for (int i = 0; i < 2 * most + rest; i++) {
        snprintf(name, sizeof name, "b%d", i);
        taken(b, &clients[i / most], blade(name, name), 0);
        b->told[0] = '\0';
        if (i == most - 1)
            refused(b, &clients[0], blade("more", "more"), 0, PROTOCOL_ERROR_LIMIT,
                    "blade \"more\": this client has 4032 blades");
    }
    refused(b, &clients[3], blade("more", "more"), 0, PROTOCOL_ERROR_LIMIT, "all clients together have 8128 blades");
    taken(b, &clients[0], blade("b0", "elsewhere"), 0);
    assert_int_equal(counter(b, "push_refused_limit"), 2);
    snprintf(feed.feed.devices[feed.feed.count++], PROTOCOL_NAME_MAX, "/user/hand/left");
    taken(b, &clients[0], feed, 0);
    for (int i = 0; i < PUSH_HAND_BLADES; i++) {
        snprintf(name, sizeof name, "hand %d", i);
        taken(b, &clients[0], blade(name, "/user/hand/left"), 0);
        b->told[0] = '\0';
    }
    refused(b, &clients[0], blade("more", "/user/hand/left"), 0, PROTOCOL_ERROR_LIMIT, "4096 blades, and no more");
    while (push_client_goes(b->push, &clients[1], 1))
        b->told[0] = '\0';
    assert_int_equal(counter(b, "pushed_blades"), PUSH_ALL_BLADES_MAX - most);
}

static void messages_have_a_rate(void **state)
{
    bench *b = *state;
    int64_t now = 0;
    unsigned count = 0;

    taken(b, &alice, blade("npc", "hand"), now);
    for (int i = 0; i < POSE_RATE_HZ; i++, b->told[0] = '\0')
        taken(b, &alice, poses("hand", 1), ++now);
    refused(b, &alice, poses("hand", 1), ++now, PROTOCOL_ERROR_LIMIT, "2000");
    for (int i = 0; i < 4000; i++, b->told[0] = '\0') {
        protocol_request r = poses("hand", 1);
        protocol_error error;

        now += MS / 4; /* twice as often as is allowed */
        count += push_request(b->push, &alice, &r, now, &error) == 0;
    }
    assert_in_range(count, POSE_RATE_HZ - 1, POSE_RATE_HZ + 1);
    taken(b, &bob, blade("other", "other"), now);
    taken(b, &bob, poses("other", 1), now);
}

static void silence_cuts(void **state)
{
    bench *b = *state;

    assert_false(push_check_silence(b->push, 0));
    taken(b, &alice, blade("npc", "hand"), 0);
    taken(b, &alice, poses("hand", 1), 10 * MS);
    assert_true(push_check_silence(b->push, 10 * MS + TIMEOUT_NS - 1));
    told(b, "+npc, frame 1@10, tracking hand found");
    assert_true(push_check_silence(b->push, 10 * MS + TIMEOUT_NS));
    assert_true(push_check_silence(b->push, 10 * MS + 2 * TIMEOUT_NS));
    told(b, "tracking hand lost");
    taken(b, &alice, poses("hand", 1), 600 * MS);
    told(b, "frame 1@600, tracking hand found");
    assert_int_equal(counter(b, "push_silent"), 1);
}

static protocol_request teleport(float y, float w, int64_t ms)
{
    protocol_request r = timed(poses("npc/hand", y), ms * MS);

    r.poses.poses[0].teleport = true;
    r.poses.poses[0].pose.orientation.w = w;
    return r;
}

/* Whatever a pose is refused for, its blade has jumped: nothing is swept from before that to the next pose. */
static void a_refused_teleport_still_cuts(void **state)
{
    bench *b = *state;
    int64_t now_ns = 2000 * MS;
    protocol_error error = {0};
    protocol_request jump = teleport(1, 1, 2000);

    taken(b, &alice, blade("npc", "npc/hand"), 0);
    taken(b, &alice, timed(poses("npc/hand", 1), 10 * MS), 10 * MS);
    told(b, "+npc, frame 1@10, tracking npc/hand found");
    refused(b, &alice, teleport(1, 1, 1000), 20 * MS, PROTOCOL_ERROR_BAD_TIME, "future");
    taken(b, &alice, timed(poses("npc/hand", 1), 20 * MS), 20 * MS);
    refused(b, &alice, teleport(1, 9, 21), 21 * MS, PROTOCOL_ERROR_BAD_MESSAGE, "orientation");
    taken(b, &alice, timed(poses("npc/hand", 1), 22 * MS), 22 * MS);
    taken(b, &alice, timed(poses("npc/hand", 1), 24 * MS), 24 * MS);                   /* only once */
    refused(b, &alice, teleport(1, 1, 23), 25 * MS, PROTOCOL_ERROR_BAD_TIME, "after"); /* was before the last pose */
    taken(b, &alice, timed(poses("npc/hand", 1), 26 * MS), 26 * MS);
    refused(b, &alice, teleport(1, 1, 30), 1100 * MS, PROTOCOL_ERROR_BAD_TIME, "1 s ago");
    taken(b, &alice, timed(poses("npc/hand", 1), 1100 * MS), 1100 * MS);
    told(b, "frame 1@20 cut, frame 1@22 cut, frame 1@24, frame 1@26, frame 1@1100 cut");
    while (push_request(b->push, &alice, &jump, now_ns, &error) == 0) { /* more messages than a client may send */
        jump.poses.time_ns += 1000;
        b->told[0] = '\0';
    }
    assert_int_equal(error.code, PROTOCOL_ERROR_LIMIT);
    taken(b, &alice, timed(poses("npc/hand", 1), 3000 * MS), 3000 * MS);
    told(b, "frame 1@3000 cut");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_have_owners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_goes_with_its_last_blade, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_goes_lets_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_bad_pose_costs_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_late_pose_costs_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_are_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_have_a_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence_cuts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_teleport_still_cuts, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

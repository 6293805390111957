/* What the C client pushes, as clashd itself reads it: blades with and without parts, poses with and without a time; what
 * cannot be sent is refused whole; and poses wait in less room than other requests. */
#include "support/client_pair.h"

#include "protocol/messages/codec.h"

#include <math.h>

/** The next line that the client has sent, as clashd understands it; a connection that a test has filled is read on. */
static void hear(told *t, protocol_request *out)
{
    char line[PROTOCOL_LINE_MAX];
    protocol_error error = {.message = ""};

    pair_receive(t, line, sizeof line);
    assert_non_null(strchr(line, '\n'));
    assert_int_equal(line[strlen(line) - 1], '\n');
    assert_int_equal(protocol_parse_request(line, strlen(line) - 1, out, &error), 0);
}

static void refused(told *t, int result, const char *why)
{
    char line[64];

    assert_int_equal(result, -1);
    assert_non_null(strstr(clash_client_problem(t->client), why));
    assert_string_equal(pair_receive(t, line, sizeof line), "");
}

static const clash_blade plain = {.name = "npc \"7\"",
                                  .device = "npc/7",
                                  .properties = {.shape = {{0.1f, 0.0f, 1.0f / 3.0f}, {0.0f, -2.5f, 1e-7f}, 0.015f},
                                                 .has_edge = true,
                                                 .is_body = true,
                                                 .is_disabled = true,
                                                 .layers = {true, 5, 0x80000000u},
                                                 .edge = {0.0f, -1.0f, 0.0f}}};

static void a_blade(void **state)
{
    told *t = *state;
    static protocol_request request;
    clash_blade blade = plain;

    assert_int_equal(clash_client_define_blade(t->client, "b", &blade, NULL), 0);
    hear(t, &request);
    assert_int_equal(request.type, PROTOCOL_REQUEST_BLADE);
    assert_string_equal(request.id, "\"b\"");
    assert_string_equal(request.blade.name, blade.name);
    assert_string_equal(request.blade.device, "npc/7");
    assert_memory_equal(&request.blade.properties.shape, &blade.properties.shape, sizeof blade.properties.shape);
    assert_true(request.blade.properties.is_disabled &&
                clash_layers_are_same(&request.blade.properties.layers, &blade.properties.layers));
    assert_true(request.blade.properties.is_body && request.blade.properties.has_edge &&
                request.blade.properties.edge.y == -1.0f);
    assert_int_equal(request.blade.sword.part_count, 0);
    blade.properties.has_edge = false;
    assert_int_equal(clash_client_define_blade(t->client, NULL, &blade, "unity"), 0);
    hear(t, &request);
    assert_string_equal(request.id, "");
    assert_false(request.blade.properties.has_edge);
    assert_true(request.blade.properties.shape.base.z == -1.0f / 3.0f);
    assert_int_equal(clash_client_remove_blade(t->client, "r", blade.name), 0);
    hear(t, &request);
    assert_int_equal(request.type, PROTOCOL_REQUEST_REMOVE);
    assert_string_equal(request.blade.name, blade.name);
}

/** A curved blade of two capsules, and a guard. */
static clash_sword make_sword(void)
{
    return (clash_sword){.part_count = 2,
                         .capsule_count = 3,
                         .parts = {{.name = "blade", .count = 2, .has_edge = true, .edge = {0.0f, -1.0f, 0.0f}},
                                   {.name = "guard", .first = 2, .count = 1}},
                         .capsules = {{{0.0f, 0.0f, -0.1f}, {0.0f, 0.02f, -0.5f}, 0.012f},
                                      {{0.0f, 0.02f, -0.5f}, {0.0f, 0.1f, -0.9f}, 0.012f},
                                      {{-0.09f, 0.0f, -0.09f}, {0.09f, 0.0f, -0.09f}, 0.01f}}};
}

static void a_sword_of_parts(void **state)
{
    told *t = *state;
    static protocol_request request;
    clash_sword sword = make_sword();
    clash_blade blade = plain;

    blade.sword = &sword;
    assert_int_equal(clash_client_define_blade(t->client, "b", &blade, NULL), 0);
    hear(t, &request);
    assert_int_equal(request.blade.sword.part_count, 2);
    assert_int_equal(request.blade.sword.capsule_count, 3);
    assert_memory_equal(request.blade.sword.capsules, sword.capsules, 3 * sizeof sword.capsules[0]);
    assert_string_equal(request.blade.sword.parts[1].name, "guard");
    assert_true(request.blade.sword.parts[0].has_edge && !request.blade.sword.parts[1].has_edge);
}

static void blades_that_cannot_be_sent(void **state)
{
    told *t = *state;
    clash_sword sword = make_sword();
    clash_blade blade = plain;

    blade.properties.shape.tip.y = NAN;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "npc \"7\": its shape is not finite");
    blade = plain;
    blade.properties.edge.x = INFINITY;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "not finite");
    blade = plain;
    blade.device = NULL;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "no device");
    blade = plain;
    blade.sword = &sword;
    sword.capsules[1].base.x = 0.5f;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "does not begin where");
    sword = make_sword();
    sword.capsules[1].radius = 0.5f;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "differ in radius");
    sword = make_sword();
    sword.parts[1].count = 1u << 31;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "not among the sword's");
    sword.part_count = 0;
    refused(t, clash_client_define_blade(t->client, "b", &blade, NULL), "1 to 16 parts");
    clash_client_close(t->client);
    refused(t, clash_client_define_blade(t->client, "b", &plain, NULL), "not connected");
}

static clash_client_pose pose_of(const char *device)
{
    return (clash_client_pose){.device = device,
                               .pose = {{0.0f, 0.6f, 0.0f, 0.8f}, {1.0f / 3.0f, -2.0f, 1e4f}},
                               .tracked = true,
                               .valid = true};
}

static void poses(void **state)
{
    told *t = *state;
    static protocol_request request;
    clash_client_pose two[] = {pose_of("a"), pose_of("b")};
    clash_client_push push = {.poses = two, .count = 2};

    two[1].teleport = true;
    two[1].tracked = false;
    assert_int_equal(clash_client_push_poses(t->client, "p", &push), 0); /* no time is needed, so no hello */
    hear(t, &request);
    assert_int_equal(request.type, PROTOCOL_REQUEST_POSES);
    assert_string_equal(request.id, "\"p\"");
    assert_false(request.poses.has_time);
    assert_int_equal(request.poses.count, 2);
    assert_string_equal(request.poses.poses[1].device, "b");
    assert_memory_equal(&request.poses.poses[0].pose, &two[0].pose, sizeof two[0].pose);
    assert_true(request.poses.poses[0].tracked && !request.poses.poses[0].teleport);
    assert_true(!request.poses.poses[1].tracked && request.poses.poses[1].teleport && request.poses.poses[1].valid);
    two[0].valid = false;
    two[0].pose.position.x = NAN; /* means nothing then */
    push.axes = "unity";
    assert_int_equal(clash_client_push_poses(t->client, NULL, &push), 0);
    hear(t, &request);
    assert_false(request.poses.poses[0].valid);
    assert_true(request.poses.poses[1].pose.position.z == -1e4f);
    assert_true(request.poses.poses[1].pose.orientation.y == -0.6f);
}

static void times_are_the_sessions(void **state)
{
    told *t = *state;
    static protocol_request request;
    clash_client_pose one = pose_of("a");
    clash_client_push push = {.poses = &one, .count = 1, .has_time = true, .time_ns = 1750};

    refused(t, clash_client_push_poses(t->client, "p", &push), "before hello");
    pair_send(t, HELLO); /* its epoch is 1000 */
    assert_int_equal(clash_client_push_poses(t->client, "p", &push), 0);
    hear(t, &request);
    assert_true(request.poses.has_time);
    assert_int_equal(request.poses.time_ns, 750);
    push.time_ns = INT64_MIN;
    refused(t, clash_client_push_poses(t->client, "p", &push), "out of range");
    push.time_ns = 1751;
    one.pose.orientation.w = NAN;
    refused(t, clash_client_push_poses(t->client, "p", &push), "the pose of a is not finite");
    one.device = NULL;
    refused(t, clash_client_push_poses(t->client, "p", &push), "no device");
    pair_connect(t); /* another session: its clock is not known yet */
    one = pose_of("a");
    refused(t, clash_client_push_poses(t->client, "p", &push), "before hello");
}

/** Poses are refused while others can still ask, nothing is torn, and it goes on once clashd reads. */
static void poses_leave_room_for_requests(void **state)
{
    told *t = *state;
    char bytes[777];
    size_t pushed = 0, lines = 0;
    clash_client_pose one = pose_of("a");
    const clash_client_push push = {.poses = &one, .count = 1};

    while (clash_client_push_poses(t->client, NULL, &push) == 0)
        assert_true(++pushed < 1000000);
    assert_true(pushed > 100);
    assert_non_null(strstr(clash_client_problem(t->client), "does not read"));
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ | CLASH_CLIENT_WRITE);
    for (int i = 0; i < 100; i++)
        assert_int_equal(clash_client_define_blade(t->client, "b", &plain, NULL), 0);
    for (int quiet = 0; quiet < 2;) {
        ssize_t length = recv(t->peer, bytes, sizeof bytes, MSG_DONTWAIT);

        quiet = length <= 0 ? quiet + 1 : 0;
        if (length <= 0)
            assert_int_equal(clash_client_dispatch(t->client), 0);
        for (ssize_t i = 0; i < length; i++)
            lines += bytes[i] == '\n';
    }
    assert_int_equal(lines, pushed + 100);
    assert_int_equal(clash_client_push_poses(t->client, NULL, &push), 0);
}

static void refusals_are_told_by_id(void **state)
{
    told *t = *state;

    pair_send(t, HELLO "{\"type\":\"error\",\"id\":\"b\",\"code\":\"name_taken\",\"message\":\"npc is another's\"}\n");
    assert_int_equal(t->errors, 1);
    assert_string_equal(t->id, "b");
    assert_string_equal(t->code, "name_taken");
    pair_send(t, "{\"type\":\"ok\",\"id\":\"c\",\"time_ns\":1}\n");
    assert_int_equal(t->oks, 1);
    assert_string_equal(t->id, "c");
    assert_int_equal(t->seq, -1);
}

static void a_feed(void **state)
{
    told *t = *state;
    static protocol_request request;
    const char *const devices[] = {"/user/hand/left", "/user/hand/right"};
    const clash_pose stage = {{0.0f, 1.0f, 0.0f, 0.0f}, {0.5f, -1.6f, 1.0f / 3.0f}}, wrong = {.position = {NAN, 0, 0}};
    clash_client_feeding feeding = {.devices = devices, .device_count = 2};

    assert_int_equal(clash_client_feed(t->client, "f", &feeding), 0);
    hear(t, &request);
    assert_int_equal(request.type, PROTOCOL_REQUEST_FEED);
    assert_int_equal(request.feed.source, CLASH_SOURCE_GAME);
    assert_string_equal(request.feed.space, "game");
    assert_int_equal(request.feed.count, 2);
    assert_false(request.feed.has_stage || request.feed.has_haptics);
    assert_string_equal(request.feed.devices[1], "/user/hand/right");
    feeding = (clash_client_feeding){.devices = devices,
                                     .device_count = 1,
                                     .space = "my \"origin\"",
                                     .source = "layer",
                                     .stage = &stage,
                                     .haptics = true};
    assert_int_equal(clash_client_feed(t->client, NULL, &feeding), 0);
    hear(t, &request);
    assert_int_equal(request.feed.source, CLASH_SOURCE_LAYER);
    assert_string_equal(request.feed.space, "my \"origin\"");
    assert_int_equal(request.feed.count, 1);
    assert_true(request.feed.has_stage && request.feed.has_haptics);
    assert_memory_equal(&request.feed.stage, &stage, sizeof stage);
    assert_int_equal(clash_client_feed(t->client, NULL, &(clash_client_feeding){.device_count = 0}), 0);
    hear(t, &request);
    assert_int_equal(request.feed.count, 0);
    feeding.stage = &wrong;
    refused(t, clash_client_feed(t->client, NULL, &feeding), "feed: the pose of stage is not finite");
    feeding = (clash_client_feeding){.devices = (const char *const[]){NULL}, .device_count = 1};
    refused(t, clash_client_feed(t->client, NULL, &feeding), "feed: a device has no name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_blade, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(a_sword_of_parts, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(blades_that_cannot_be_sent, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(poses, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(times_are_the_sessions, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(poses_leave_room_for_requests, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(refusals_are_told_by_id, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(a_feed, pair_setup, pair_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the C client is told of targets and of where pictures of blades should stop, in events, poses and hello, as clashd
 * writes it; and what is wrong there is an error. */
#include "support/client_pair.h"

#include "protocol/messages/codec.h"

#define EPOCH_NS 1000 /* as HELLO has it */

static const clash_pose somewhere = {{0.0f, 0.6f, 0.0f, 0.8f}, {1.0f / 3.0f, -2.0f, 0x1p-30f}};

static clash_event struck(clash_event_kind kind)
{
    clash_event e = {.kind = kind, .seq = 7, .time_ns = EPOCH_NS + 5, .id = 3, .has_target = true};

    e.blades[0] = "left";
    e.blades[1] = "shield";
    e.as.clash =
        (clash_event_clash){.contact = {.normal = {0, -1, 0}}, .surface_normal = {0, 0.8f, -0.6f}, .triangle = 5};
    return e;
}

static void say_event(told *t, const clash_event *event, const protocol_resolved *resolved)
{
    char line[4096];

    pair_send_bytes(t, line, protocol_encode_resolved_event(line, sizeof line, event, resolved, EPOCH_NS));
    assert_int_equal(t->errors, 0);
}

static void events_name_the_target(void **state)
{
    told *t = *state;
    clash_event e = struck(CLASH_EVENT_CLASH);

    pair_send(t, HELLO);
    say_event(t, &e, NULL);
    assert_true(t->event.has_target);
    assert_string_equal(t->names[1], "shield");
    assert_memory_equal(&t->event.as.clash.surface_normal, &e.as.clash.surface_normal, sizeof(clash_vec3));
    assert_int_equal(t->event.as.clash.triangle, 5);
    e.kind = CLASH_EVENT_HOLD;
    e.as.clash.triangle = CLASH_NO_TRIANGLE;
    say_event(t, &e, NULL);
    assert_true(t->holds == 1 && t->event.has_target);
    assert_true(t->event.as.clash.triangle == CLASH_NO_TRIANGLE);
    e.has_target = false;
    say_event(t, &e, NULL);
    assert_false(t->event.has_target);
    assert_true(t->event.as.clash.triangle == CLASH_NO_TRIANGLE && t->event.as.clash.surface_normal.y == 0.0f);
    e = struck(CLASH_EVENT_RELEASE);
    e.as.release = (clash_event_release){0.5f, 4.0f, CLASH_RELEASE_REMOVED};
    say_event(t, &e, NULL);
    assert_true(t->releases == 1 && t->event.has_target);
    assert_int_equal(t->event.as.release.reason, CLASH_RELEASE_REMOVED);
}

static void where_pictures_stop(void **state)
{
    told *t = *state;
    clash_event e = struck(CLASH_EVENT_CLASH);
    protocol_resolved resolved[2] = {{PROTOCOL_RESOLUTION_AT, somewhere}, {PROTOCOL_RESOLUTION_NONE, somewhere}};
    protocol_pose pose = {.device = "d", .pose = somewhere, .tracked = true, .valid = true, .resolved = resolved[0]};
    char line[4096];

    pair_send(t, HELLO);
    say_event(t, &e, resolved);
    assert_true(t->has_resolved && t->resolved[0].has_pose && !t->resolved[1].has_pose);
    assert_memory_equal(&t->resolved[0].pose, &somewhere, sizeof somewhere);
    assert_null(clash_client_resolved_poses(t->client));
    e.kind = CLASH_EVENT_HOLD;
    say_event(t, &e, NULL);
    assert_false(t->has_resolved);
    for (int is = PROTOCOL_RESOLUTION_NONE; is <= PROTOCOL_RESOLUTION_NOWHERE; is++) {
        pose.resolved.is = (protocol_resolution)is;
        pair_send_bytes(t, line, protocol_encode_poses(line, sizeof line, 42, &pose, 1));
        assert_int_equal(t->pose.sinks, is != PROTOCOL_RESOLUTION_NONE);
        assert_int_equal(t->pose.resolved.has_pose, is == PROTOCOL_RESOLUTION_AT);
    }
    pose.resolved.is = PROTOCOL_RESOLUTION_AT;
    pair_send_bytes(t, line, protocol_encode_poses(line, sizeof line, 42, &pose, 1));
    assert_memory_equal(&t->pose.resolved.pose, &somewhere, sizeof somewhere);
    assert_int_equal(t->poses, 4);
    assert_int_equal(t->errors, 0);
}

static void asked_for(void **state)
{
    told *t = *state;
    static protocol_request request;
    protocol_error error;
    clash_client_subscription subscription = clash_client_subscription_default();
    char line[1024];

    for (int resolved = 0; resolved < 2; resolved++) {
        subscription.resolved_poses = resolved == 1;
        assert_int_equal(clash_client_subscribe(t->client, NULL, &subscription), 0);
        pair_receive(t, line, sizeof line);
        assert_int_equal(protocol_parse_request(line, strlen(line) - 1, &request, &error), 0);
        assert_int_equal(request.subscribe.resolved_poses, resolved);
    }
}

static const clash_target_definition *const *listed(void)
{
    static clash_target_definition targets[5];
    static const clash_target_definition *pointers[5];

    for (int i = 0; i < 5; i++) {
        targets[i] = (clash_target_definition){.name = "t", .pose = somewhere, .kind = (clash_shape_kind)i};
        pointers[i] = &targets[i];
    }
    snprintf(targets[1].device, sizeof targets[1].device, "arm");
    targets[0].as.sphere = (clash_sphere){{1, 2, 3}, 0.5f};
    targets[1].as.capsule = (clash_capsule){{1, 2, 3}, {4, 5, 6}, 0.25f};
    targets[2].as.box = (clash_box){{1, 2, 3}, {0, 0, 0.6f, 0.8f}, {0.5f, 1.0f / 3.0f, 2}};
    return pointers;
}

static void hello_lists_targets(void **state)
{
    told *t = *state;
    const clash_target_definition *const *targets = listed();
    const protocol_session session = {
        .version = "1", .session = "5", .space = "stage", .targets = targets, .target_count = 5};
    char line[8192];

    pair_send_bytes(t, line, protocol_encode_hello(line, sizeof line, "", &session));
    assert_int_equal(t->errors, 0);
    assert_int_equal(t->hello.target_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(t->targets[i].kind, i);
        assert_memory_equal(&t->targets[i].pose, &somewhere, sizeof somewhere);
        assert_true(!t->targets[i].mesh && !t->targets[i].terrain && !t->targets[i].unity);
        assert_true((t->targets[i].device != NULL) == (i == 1));
    }
    assert_memory_equal(&t->targets[0].sphere, &targets[0]->as.sphere, sizeof(clash_sphere));
    assert_memory_equal(&t->targets[1].capsule, &targets[1]->as.capsule, sizeof(clash_capsule));
    assert_memory_equal(&t->targets[2].box, &targets[2]->as.box, sizeof(clash_box));
}

#define TARGET_HELLO(targets)                                                               \
    "{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"session\":\"5\",\"time_ns\":0," \
    "\"epoch_monotonic_ns\":\"1000\",\"epoch_unix_ns\":\"0\",\"space\":\"stage\","          \
    "\"axes\":\"openxr\",\"blades\":[],\"targets\":" targets ",\"capabilities\":[]}\n"
#define PLACE "\"position\":[0,0,0],\"orientation\":[0,0,0,1]"
#define TOUCH(more)                                                                                               \
    "{\"type\":\"clash\",\"seq\":3,\"time_ns\":5,\"id\":1,\"blades\":[\"a\",\"b\"]," more "\"midpoint\":[0,0,0]," \
    "\"distance\":0,\"points\":[[0,0,0],[0,0,0]],\"normal\":[0,0,1],\"along\":[0,1],\"velocities\":[[0,0,0],"     \
    "[0,0,0]],\"closing_speed\":1,\"slide_speed\":0,\"crossing_angle\":0,\"intensity\":0,\"fraction\":0,"         \
    "\"tracked\":true}\n"

/** A kind of target that this client does not know is passed over; one that is wrong is an error. */
static void wrong_ones(void **state)
{
    static const char *const lines[] = {TARGET_HELLO("{}"),
                                        TARGET_HELLO("[7]"),
                                        TARGET_HELLO("[{\"name\":\"a\",\"sphere\":{}}]"),
                                        TARGET_HELLO("[{\"name\":\"a\"," PLACE ",\"sphere\":{\"radius\":1}}]"),
                                        TARGET_HELLO("[{\"name\":\"a\"," PLACE ",\"device\":3,\"mesh\":{}}]"),
                                        TARGET_HELLO("[{\"name\":\"a\"," PLACE ",\"box\":[]}]"),
                                        TOUCH("\"target\":\"b\","),
                                        TOUCH("\"target\":\"b\",\"surface_normal\":[0,1],"),
                                        TOUCH("\"target\":\"b\",\"surface_normal\":[0,1,0],\"triangle\":-1,"),
                                        TOUCH("\"target\":\"b\",\"surface_normal\":[0,1,0],\"triangle\":4294967296,"),
                                        TOUCH("\"resolved_pose\":null,"),
                                        TOUCH("\"resolved_pose\":[null],"),
                                        TOUCH("\"resolved_pose\":[null,4],"),
                                        TOUCH("\"resolved_pose\":[{\"position\":[0,0,0]},null],"),
                                        "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"d\"," PLACE
                                        ",\"tracked\":true,\"resolved_pose\":[]}]}\n"};
    told *t = *state;

    pair_send(t, TARGET_HELLO("[{\"name\":\"a\"," PLACE ",\"torus\":{}},{\"name\":\"b\"," PLACE ",\"mesh\":{}}]"));
    assert_int_equal(t->hellos, 1);
    assert_int_equal(t->hello.target_count, 1);
    assert_int_equal(t->targets[0].kind, CLASH_SHAPE_MESH);
    pair_send(t, TOUCH("\"target\":\"b\",\"surface_normal\":[0,1,0],\"resolved_pose\":[null,null],"));
    assert_true(t->clashes == 1 && t->has_resolved);
    assert_int_equal(t->errors, 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        pair_send(t, lines[i]);
        if (t->errors != i + 1)
            fail_msg("no error for %s", lines[i]);
    }
    assert_true(t->clashes == 1 && t->hellos == 1 && t->poses == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_name_the_target, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(where_pictures_stop, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(asked_for, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(hello_lists_targets, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(wrong_ones, pair_setup, pair_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What clashd says, word for word; that its own schemas accept it; that it fits or is not there at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cjson/cJSON.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"
#include "protocol/messages/names.h"
#include "protocol/schema_check/schema.h"
#include "support/random.h"
#include "support/sample_events.h"

static char line[PROTOCOL_LINE_MAX];

/** The line without its newline, accepted by the schema that its type names. */
static const char *checked(size_t length)
{
    failure error = {0};
    char name[64];
    cJSON *value, *type;

    assert_in_range(length, 3, sizeof line - 1);
    assert_int_equal(line[length - 1], '\n');
    line[length - 1] = '\0';
    assert_int_equal(strlen(line), length - 1);
    assert_null(strchr(line, '\n'));
    value = cJSON_Parse(line);
    type = cJSON_GetObjectItemCaseSensitive(value, "type");
    assert_true(cJSON_IsString(type));
    snprintf(name, sizeof name, "%s%s", strcmp(type->valuestring, "recording") == 0 ? "" : "server/",
             type->valuestring);
    protocol_schema_validate(protocol_schema_get(name), value, &error);
    assert_string_equal(error.text, "");
    cJSON_Delete(value);
    return line;
}

static const char *event_line(const clash_event *event)
{
    return checked(protocol_encode_event(line, sizeof line, event, SAMPLE_EPOCH_NS));
}

static void a_clash_is_told(void **state)
{
    clash_event event = sample_clash(3, 4.5f);

    (void)state;
    assert_string_equal(
        event_line(&event),
        "{\"type\":\"clash\",\"seq\":3,\"time_ns\":3000000,\"id\":3,\"blades\":[\"left\",\"right\"],"
        "\"midpoint\":[0.100000001,1.20000005,-0.5],\"distance\":0.0199999996,"
        "\"points\":[[0.0900000036,1.20000005,-0.5],[0.109999999,1.20000005,-0.5]],\"normal\":[1,0,0],"
        "\"along\":[0.5,0.600000024],\"velocities\":[[4.5,0,0],[0,0,0]],\"closing_speed\":4.5,"
        "\"slide_speed\":0.300000012,\"crossing_angle\":1.5,\"intensity\":0.200000003,\"fraction\":0.25,"
        "\"interval_ns\":11000000,\"tracked\":true}");
}

static void a_clash_says_how_long_they_were_apart(void **state)
{
    clash_event event = sample_clash(3, 4.5f);

    (void)state;
    event.as.clash.has_since_release = true;
    assert_non_null(strstr(event_line(&event), ",\"interval_ns\":11000000,\"since_release_ns\":0,\"tracked\":"));
    event.as.clash.since_release_ns = INT64_C(9007199254740991);
    assert_non_null(strstr(event_line(&event), ",\"since_release_ns\":9007199254740991,\"tracked\":"));
    assert_null(strstr(event_line(&event), "late"));
    event.as.clash.late = true;
    assert_non_null(strstr(event_line(&event), ",\"since_release_ns\":9007199254740991,\"late\":true,\"tracked\":"));
    event.kind = CLASH_EVENT_HOLD;
    assert_null(strstr(event_line(&event), "since_release_ns"));
    assert_null(strstr(event_line(&event), "late"));
}

static void a_clash_of_parts_names_them(void **state)
{
    clash_event event = sample_clash(3, 4.5f);
    const char *text;

    (void)state;
    event.as.clash.parts[1] = "gu\"ard";
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"blades\":[\"left\",\"right\"],\"parts\":[null,\"gu\\\"ard\"],\"midpoint\":"));
    event.kind = CLASH_EVENT_HOLD;
    event.as.clash.parts[0] = "tip";
    assert_non_null(strstr(event_line(&event), ",\"parts\":[\"tip\",\"gu\\\"ard\"],\"duration_ns\":"));
}

static void a_hold_is_a_clash_that_lasts(void **state)
{
    clash_event event = sample_clash(4, -1.0f);
    const char *text;

    (void)state;
    event.kind = CLASH_EVENT_HOLD;
    event.duration_ns = INT64_C(33333333);
    text = event_line(&event);
    assert_ptr_equal(strstr(text, "{\"type\":\"hold\",\"seq\":4,\"time_ns\":4000000,\"id\":4,"
                                  "\"blades\":[\"left\",\"right\"],\"duration_ns\":33333333,\"midpoint\":["),
                     text);
    assert_non_null(strstr(text, "\"closing_speed\":-1,"));
}

static void edges_are_told_where_there_are_some(void **state)
{
    clash_event event = sample_clash(1, 1.0f);

    (void)state;
    assert_null(strstr(event_line(&event), "edge_alignment"));
    event.as.clash.has_edge[0] = true;
    event.as.clash.edge_alignment[0] = -0.25f;
    event.as.clash.edge_alignment[1] = 0.75f;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[-0.25,null],\"intensity\""));
    event.as.clash.has_edge[1] = true;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[-0.25,0.75],"));
    event.as.clash.has_edge[0] = false;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[null,0.75],"));
}

static void a_target_is_named_with_the_surface_that_is_struck(void **state)
{
    clash_event event = sample_target_clash(3, 4.5f), release = sample_release(4, 3, 4.5f);
    const char *text;

    (void)state;
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"blades\":[\"left\",\"shield\"],\"target\":\"shield\",\"midpoint\":"));
    assert_non_null(
        strstr(text, ",\"normal\":[1,0,0],\"surface_normal\":[-1,0,0.5],\"triangle\":17,\"along\":[0.5,0]"));
    event.kind = CLASH_EVENT_HOLD;
    event.as.clash.triangle = 0;
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"target\":\"shield\",\"duration_ns\":"));
    assert_non_null(strstr(text, ",\"triangle\":0,"));
    event.as.clash.triangle = CLASH_NO_TRIANGLE;
    assert_null(strstr(event_line(&event), "triangle"));
    release.has_target = true;
    assert_non_null(
        strstr(event_line(&release), ",\"blades\":[\"left\",\"right\"],\"target\":\"right\",\"duration_ns\":"));
    event = sample_clash(5, 1.0f); /* between two blades nothing of it is told, whatever stands there */
    event.as.clash.triangle = 17;
    assert_null(strstr(event_line(&event), "target"));
    assert_null(strstr(line, "triangle"));
    assert_null(strstr(line, "surface_normal"));
}

static void a_release_is_told(void **state)
{
    static const char *const reasons[] = {"apart", "track_cut", "removed"};
    clash_event event = sample_release(5, 2, 1.5f);
    char expected[300];

    (void)state;
    for (int reason = CLASH_RELEASE_APART; reason <= CLASH_RELEASE_REMOVED; reason++) {
        event.as.release.reason = (clash_release_reason)reason;
        snprintf(expected, sizeof expected,
                 "{\"type\":\"release\",\"seq\":5,\"time_ns\":5000000,\"id\":2,\"blades\":[\"left\",\"right\"],"
                 "\"duration_ns\":1000000,\"min_distance\":0.00999999978,\"peak_closing_speed\":1.5,\"reason\":\"%s\"}",
                 reasons[reason]);
        assert_string_equal(event_line(&event), expected);
    }
}

static void tracking_and_space_are_told(void **state)
{
    static const char *const reasons[] = {"ok",           "untracked",       "lost",
                                          "inactive",     "no_runtime",      "no_headset",
                                          "runtime_lost", "runtime_stalled", "source_ended"};
    clash_event event = sample_tracking(6, false);
    char expected[200];

    (void)state;
    for (int reason = CLASH_TRACKING_OK; reason <= CLASH_TRACKING_SOURCE_ENDED; reason++) {
        clash_tracking_reason found = CLASH_TRACKING_OK;

        event.as.tracking.reason = (clash_tracking_reason)reason;
        snprintf(expected, sizeof expected,
                 "{\"type\":\"tracking\",\"seq\":6,\"time_ns\":6000000,\"device\":\"/user/hand/left\","
                 "\"tracked\":false,\"reason\":\"%s\"}",
                 reasons[reason]);
        assert_string_equal(event_line(&event), expected);
        assert_true(names_find_tracking_reason(reasons[reason], &found));
        assert_int_equal(found, reason);
    }
    event = (clash_event){.kind = CLASH_EVENT_SPACE_CHANGED, .seq = 7, .time_ns = SAMPLE_EPOCH_NS - 8};
    assert_string_equal(event_line(&event), "{\"type\":\"space_changed\",\"seq\":7,\"time_ns\":-8}");
}

static void poses_are_told(void **state)
{
    const protocol_pose poses[] = {
        {"/user/hand/left", {{0.5f, -0.5f, 0.5f, 0.5f}, {1, 2, -3}}, true, true, false, CLASH_SOURCE_NONE, {0}},
        {"npc/7", {{0, 0, 0, 1}, {0, 0, 0}}, false, true, true, CLASH_SOURCE_GAME, {0}},
        {"lost", {{NAN, 0, 0, 0}, {INFINITY, 0, 0}}, false, false, false, CLASH_SOURCE_NONE, {0}},
    };

    (void)state;
    assert_string_equal(checked(protocol_encode_poses(line, sizeof line, 123, poses, 3)),
                        "{\"type\":\"poses\",\"time_ns\":123,\"poses\":["
                        "{\"device\":\"/user/hand/left\",\"position\":[1,2,-3],\"orientation\":[0.5,-0.5,0.5,0.5],"
                        "\"tracked\":true},"
                        "{\"device\":\"npc/7\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":false,"
                        "\"teleport\":true,\"source\":\"game\"},"
                        "{\"device\":\"lost\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":false,"
                        "\"valid\":false}]}");
    assert_string_equal(checked(protocol_encode_poses(line, sizeof line, -1, NULL, 0)),
                        "{\"type\":\"poses\",\"time_ns\":-1,\"poses\":[]}");
    assert_string_equal(checked(protocol_encode_recorded_poses(line, sizeof line, 2, poses + 1, 1, true)),
                        "{\"type\":\"poses\",\"time_ns\":2,\"poses\":["
                        "{\"device\":\"npc/7\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":false,"
                        "\"teleport\":true,\"source\":\"game\"}],\"more\":true}");
}

static void where_to_draw_blades_is_told(void **state)
{
    const protocol_resolved at = {PROTOCOL_RESOLUTION_AT, {{0, 0.5f, 0, 0.5f}, {1, 2, -3}}},
                            nowhere = {.is = PROTOCOL_RESOLUTION_NOWHERE};
    const protocol_resolved both[2] = {at, nowhere}, none[2] = {{0}, at};
    const protocol_pose poses[] = {
        {.device = "a", .pose.orientation.w = 1, .tracked = true, .valid = true, .resolved = at},
        {.device = "b", .pose.orientation.w = 1, .tracked = true, .valid = true, .resolved = nowhere}};
    const clash_event clash = sample_clash(5, 1.0f), release = sample_release(5, 2, 1.5f);
    char expected[2000];
    size_t length;

    (void)state;
    snprintf(expected, sizeof expected, "%s", event_line(&clash));
    length = strlen(expected) - 1;
    snprintf(expected + length, sizeof expected - length, "%s",
             ",\"resolved_pose\":[{\"position\":[1,2,-3],\"orientation\":[0,0.5,0,0.5]},null]}");
    assert_string_equal(checked(protocol_encode_resolved_event(line, sizeof line, &clash, both, SAMPLE_EPOCH_NS)),
                        expected);
    snprintf(expected + length, sizeof expected - length, "%s",
             ",\"resolved_pose\":[null,{\"position\":[1,2,-3],\"orientation\":[0,0.5,0,0.5]}]}");
    assert_string_equal(checked(protocol_encode_resolved_event(line, sizeof line, &clash, none, SAMPLE_EPOCH_NS)),
                        expected);
    snprintf(expected, sizeof expected, "%s", event_line(&release));
    assert_string_equal(checked(protocol_encode_resolved_event(line, sizeof line, &release, both, SAMPLE_EPOCH_NS)),
                        expected);
    assert_string_equal(
        checked(protocol_encode_poses(line, sizeof line, 123, poses, 2)),
        "{\"type\":\"poses\",\"time_ns\":123,\"poses\":["
        "{\"device\":\"a\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true,"
        "\"resolved_pose\":{\"position\":[1,2,-3],\"orientation\":[0,0.5,0,0.5]}},"
        "{\"device\":\"b\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true,\"resolved_pose\":null}]}");
}

#define BLADES                                                                                                         \
    "\"blades\":[{\"name\":\"left\",\"device\":\"/user/hand/left\",\"base\":[0,0,0],\"tip\":[0,0,-1],"                 \
    "\"radius\":0.00999999978},{\"name\":\"right\",\"device\":\"/user/hand/right\",\"base\":[0,0,0],\"tip\":[0,0,-1]," \
    "\"radius\":0.00999999978}]"

static void the_session_is_told(void **state)
{
    const protocol_contact_settings settings = {0,   0.5f, 0.25f, 30, 10, 100, true, PROTOCOL_INTENSITY_LOGARITHMIC,
                                                true};
    protocol_session session;

    (void)state;
    sample_session(&session);
    session.time_ns = 77;
    assert_string_equal(
        checked(protocol_encode_hello(line, sizeof line, "", &session)),
        "{\"type\":\"hello\",\"protocol\":1,\"version\":\"0.1.0\",\"session\":\"0123456789abcdef\","
        "\"time_ns\":77,\"epoch_monotonic_ns\":\"5000000000\",\"epoch_unix_ns\":\"1700000000000000000\","
        "\"space\":\"stage\",\"axes\":\"openxr\"," BLADES ","
        "\"units\":{\"length\":\"m\",\"angle\":\"rad\",\"speed\":\"m/s\",\"time\":\"ns\"},"
        "\"capabilities\":[\"subscribe\",\"blades\",\"min_closing_speed\",\"poses\",\"status\","
        "\"ping\",\"axes\",\"since_seq\",\"push\",\"parts\",\"record\",\"targets\",\"resolved_poses\",\"min_peak_"
        "speed\",\"min_apart_ms\",\"feed\",\"haptic\",\"config\",\"reload\",\"hello\",\"outlines\"]}");
    assert_string_equal(checked(protocol_encode_recording_header(line, sizeof line, &session, &settings)),
                        "{\"type\":\"recording\",\"version\":1,\"clashd\":\"0.1.0\",\"session\":\"0123456789abcdef\","
                        "\"epoch_monotonic_ns\":\"5000000000\",\"epoch_unix_ns\":\"1700000000000000000\","
                        "\"space\":\"stage\",\"axes\":\"openxr\"," BLADES ","
                        "\"contact\":{\"margin\":0,\"release_margin\":0.5,\"min_closing_speed\":0.25,"
                        "\"hold_rate_hz\":30,\"max_gap_ms\":100,\"require_tracked\":true,\"full_intensity_speed\":10,"
                        "\"gap_by_rate\":true,\"intensity_curve\":\"logarithmic\"}}");
}

/* Of a surface only what it is: a line has no room for more. */
static void targets_are_listed(void **state)
{
    static clash_target_definition rock = {.name = "rock", .device = "npc", .kind = CLASH_SHAPE_SPHERE};
    static clash_target_definition wall = {.name = "wall", .kind = CLASH_SHAPE_MESH, .file = "/wall.obj"};
    const clash_target_definition *const targets[] = {&rock, &wall};
    protocol_session session;

    (void)state;
    sample_session(&session);
    rock.pose = wall.pose = (clash_pose){{0, 0, 0, 1}, {1, 2, 3}};
    rock.as.sphere.radius = 0.5f;
    session.targets = targets;
    session.target_count = 2;
    assert_non_null(
        strstr(checked(protocol_encode_hello(line, sizeof line, "", &session)),
               "}],\"targets\":[{\"name\":\"rock\",\"device\":\"npc\",\"position\":[1,2,3],"
               "\"orientation\":[0,0,0,1],\"sphere\":{\"center\":[0,0,0],\"radius\":0.5}},"
               "{\"name\":\"wall\",\"position\":[1,2,3],\"orientation\":[0,0,0,1],\"mesh\":{}}],\"units\":"));
}

static void the_status_is_told(void **state)
{
    const clash_pose stage = {{0, 1, 0, 0}, {0.5f, -1.5f, 2}};
    const protocol_status_device devices[] = {{"a", false, 0, CLASH_SOURCE_GAME, NULL, &stage}, {"b", .lost_ns = 70}};
    static const int64_t bounds_ns[PROTOCOL_HISTOGRAM_BOUNDS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const protocol_histogram queue = {.counts = {2, [13] = 3, [14] = 1}, .sum_ns = 9}, write = {.sum_ns = 0};
    const protocol_latency latency = {bounds_ns, &queue, &write};
    const protocol_counter counters[] = {{"samples", 12}, {"sweeps", 9007199254740991}};
    const protocol_status status = {.time_ns = 5,
                                    .source = "replay",
                                    .state = "",
                                    .runtime = "a \"file\"",
                                    .detail = "",
                                    .devices = devices,
                                    .device_count = 2,
                                    .counters = counters,
                                    .counter_count = 2,
                                    .clients = 3,
                                    .latency = &latency};

    (void)state;
    assert_string_equal(
        checked(protocol_encode_status(line, sizeof line, "\"q\"", &status)),
        "{\"type\":\"status\",\"id\":\"q\",\"time_ns\":5,\"source\":\"replay\",\"state\":\"\","
        "\"runtime\":\"a \\\"file\\\"\",\"detail\":\"\",\"devices\":[{\"device\":\"a\",\"tracked\":false,"
        "\"source\":\"game\",\"stage\":{\"position\":[0.5,-1.5,2],\"orientation\":[0,1,0,0]}},{\"device\":\"b\","
        "\"tracked\":false,\"lost_ns\":70}],\"clients\":3,\"latency\":{\"bounds_ns\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]"
        ",\"sample_to_queue\":{\"count\":6,\"sum_ns\":9,\"counts\":[2,0,0,0,0,0,0,0,0,0,0,0,0,3,1]},"
        "\"sample_to_write\":{\"count\":0,\"sum_ns\":0,\"counts\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}},"
        "\"counters\":{\"samples\":12,\"sweeps\":9007199254740991}}");
    assert_null(strstr(checked(protocol_encode_status(line, sizeof line, "", &status)), "\"id\""));
}

static void replies_repeat_the_id(void **state)
{
    static const char *const codes[] = {"line_too_long", "bad_json",     "bad_message", "unknown_type", "unknown_name",
                                        "limit",         "unauthorized", "unknown_seq", "name_taken",   "bad_time"};
    protocol_error error = {.message = "x: \"y\" \xff"};
    protocol_subscribe wanted = {0};
    char expected[200];

    (void)state;
    assert_string_equal(checked(protocol_encode_ok(line, sizeof line, "7", 12)),
                        "{\"type\":\"ok\",\"id\":7,\"time_ns\":12}");
    assert_string_equal(checked(protocol_encode_subscribed(line, sizeof line, "7", 12, 0, &wanted)),
                        "{\"type\":\"ok\",\"id\":7,\"time_ns\":12,\"seq\":0}");
    wanted.ignored_count = 2;
    strcpy(wanted.ignored[0], "min \"\x01");
    assert_string_equal(checked(protocol_encode_subscribed(line, sizeof line, "7", 12, 5, &wanted)),
                        "{\"type\":\"ok\",\"id\":7,\"time_ns\":12,\"seq\":5,\"ignored\":[\"min \\\"\\u0001\",\"\"]}");
    assert_string_equal(checked(protocol_encode_lagged(line, sizeof line, 3, 9, 5)),
                        "{\"type\":\"lagged\",\"from_seq\":3,\"to_seq\":9,\"missed\":5}");
    for (int code = PROTOCOL_ERROR_LINE_TOO_LONG; code <= PROTOCOL_ERROR_BAD_TIME; code++) {
        error.code = (protocol_error_code)code;
        snprintf(expected, sizeof expected,
                 "{\"type\":\"error\",\"id\":\"a\",\"code\":\"%s\",\"message\":\"x: \\\"y\\\" \\ufffd\"}",
                 codes[code - 1]);
        assert_string_equal(checked(protocol_encode_error(line, sizeof line, "\"a\"", &error)), expected);
    }
    assert_null(strstr(checked(protocol_encode_error(line, sizeof line, "", &error)), "\"id\""));
}

/** Every size that is too small gives 0, and nothing is written beyond it. */
static void what_does_not_fit_is_not_there(void **state)
{
    const clash_event event = sample_clash(3, 4.5f);
    size_t whole = protocol_encode_event(line, sizeof line, &event, SAMPLE_EPOCH_NS);

    (void)state;
    for (size_t size = 0; size <= whole; size++) {
        memset(line, '#', whole + 8);
        assert_int_equal(protocol_encode_event(line, size, &event, SAMPLE_EPOCH_NS), size < whole ? 0 : whole);
        for (size_t i = size; i < whole + 8; i++)
            assert_int_equal(line[i], '#');
    }
}

static float any_float(random_state *random)
{
    uint32_t bits = (uint32_t)random_bits(random);
    float value;

    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.5f;
}

static void assert_same_bits(const cJSON *array, const float *values, int count)
{
    assert_int_equal(cJSON_GetArraySize(array), count);
    for (int i = 0; i < count; i++) {
        float read = (float)cJSON_GetArrayItem(array, i)->valuedouble;

        assert_memory_equal(&read, &values[i], sizeof read);
    }
}

static void poses_come_back_to_the_bit(void **state)
{
    random_state random = {random_seed(5)};

    (void)state;
    for (long i = random_cases(3000); i > 0; i--) {
        protocol_pose pose = {.device = "d", .tracked = true, .valid = true};
        float position[3], orientation[4];
        const cJSON *item;
        cJSON *value;

        for (int k = 0; k < 3; k++)
            position[k] = any_float(&random);
        for (int k = 0; k < 4; k++)
            orientation[k] = any_float(&random);
        pose.pose = (clash_pose){{orientation[0], orientation[1], orientation[2], orientation[3]},
                                 {position[0], position[1], position[2]}};
        value = cJSON_Parse(checked(protocol_encode_poses(line, sizeof line, 1, &pose, 1)));
        item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(value, "poses"), 0);
        assert_same_bits(cJSON_GetObjectItemCaseSensitive(item, "position"), position, 3);
        assert_same_bits(cJSON_GetObjectItemCaseSensitive(item, "orientation"), orientation, 4);
        cJSON_Delete(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clash_is_told),
        cmocka_unit_test(a_clash_says_how_long_they_were_apart),
        cmocka_unit_test(a_clash_of_parts_names_them),
        cmocka_unit_test(a_hold_is_a_clash_that_lasts),
        cmocka_unit_test(edges_are_told_where_there_are_some),
        cmocka_unit_test(a_target_is_named_with_the_surface_that_is_struck),
        cmocka_unit_test(a_release_is_told),
        cmocka_unit_test(tracking_and_space_are_told),
        cmocka_unit_test(poses_are_told),
        cmocka_unit_test(where_to_draw_blades_is_told),
        cmocka_unit_test(the_session_is_told),
        cmocka_unit_test(targets_are_listed),
        cmocka_unit_test(the_status_is_told),
        cmocka_unit_test(replies_repeat_the_id),
        cmocka_unit_test(what_does_not_fit_is_not_there),
        cmocka_unit_test(poses_come_back_to_the_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

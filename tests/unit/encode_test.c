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
#include "support/encoded_line.h"
#include "support/random.h"
#include "support/sample_events.h"

static void poses_are_told(void **state)
{
    const protocol_pose poses[] = {
        {"/user/hand/left",
         {{0.5f, -0.5f, 0.5f, 0.5f}, {1, 2, -3}},
         true,
         true,
         false,
         false,
         false,
         CLASH_SOURCE_NONE,
         {0}},
        {"npc/7", {{0, 0, 0, 1}, {0, 0, 0}}, false, true, true, false, false, CLASH_SOURCE_GAME, {0}},
        {"lost", {{NAN, 0, 0, 0}, {INFINITY, 0, 0}}, false, false, false, false, false, CLASH_SOURCE_NONE, {0}},
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
    assert_string_equal(
        checked(protocol_encode_recording_header(line, sizeof line, &session, &settings)),
        "{\"type\":\"recording\",\"version\":1,\"clashd\":\"0.1.0\",\"session\":\"0123456789abcdef\",\"rules\":2,"
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
    const protocol_status_device devices[] = {
        {"a", false, CLASH_TRACKING_NO_RUNTIME, 0, CLASH_SOURCE_GAME, NULL, &stage},
        {"b", .tracked = true, .lost_ns = 70}};
    static const int64_t bounds_ns[PROTOCOL_HISTOGRAM_BOUNDS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const protocol_histogram queue = {.counts = {2, [13] = 3, [14] = 1}, .sum_ns = 9}, write = {.sum_ns = 0};
    const protocol_latency latency = {bounds_ns, &queue, &write};
    const protocol_counter counters[] = {{"samples", 12}, {"sweeps", 9007199254740991}};
    const protocol_status_player players[] = {{.player = "anna",
                                               .is_here = true,
                                               .is_placed = true,
                                               .clock_offset_ns = -50000000001,
                                               .clock_drift_ppb = -50000,
                                               .clock_error_ns = 410000,
                                               .delay_ns = 21000000,
                                               .samples = 1,
                                               .repeated = 2,
                                               .lost = 3,
                                               .late = 4,
                                               .refused = 5},
                                              {.player = "b", .is_muted = true, .delay_ns = -1}};
    protocol_status status = {.time_ns = 5,
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
        "\"reason\":\"no_runtime\",\"source\":\"game\",\"stage\":{\"position\":[0.5,-1.5,2],\"orientation\":[0,1,0,0]}}"
        ",{\"device\":\"b\","
        "\"tracked\":true,\"lost_ns\":70}],\"clients\":3,\"latency\":{\"bounds_ns\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]"
        ",\"sample_to_queue\":{\"count\":6,\"sum_ns\":9,\"counts\":[2,0,0,0,0,0,0,0,0,0,0,0,0,3,1]},"
        "\"sample_to_write\":{\"count\":0,\"sum_ns\":0,\"counts\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}},"
        "\"counters\":{\"samples\":12,\"sweeps\":9007199254740991}}");
    assert_null(strstr(checked(protocol_encode_status(line, sizeof line, "", &status)), "\"id\""));
    assert_null(strstr(line, "\"players\""));
    status.players = players;
    assert_non_null(strstr(checked(protocol_encode_status(line, sizeof line, "", &status)), "\"players\":[],"));
    status.player_count = 2;
    assert_non_null(
        strstr(checked(protocol_encode_status(line, sizeof line, "", &status)),
               "\"players\":[{\"player\":\"anna\",\"here\":true,\"muted\":false,\"clock_offset_ns\":-50000000001,"
               "\"clock_drift_ppb\":-50000,\"clock_error_ns\":410000,\"delay_ns\":21000000,\"samples\":1,\"repeated\":"
               "2,\"lost\":3,"
               "\"late\":4,\"refused\":5},{\"player\":\"b\",\"here\":false,\"muted\":true,\"samples\":0,\"repeated\":0,"
               "\"lost\":0,"
               "\"late\":0,\"refused\":0}],\"clients\":3"));
}

static void status_gives_the_reason_for_a_missing_page(void **state)
{
    protocol_status status = {
        .source = "none", .state = "", .runtime = "", .detail = "", .page_missing = "built without it"};

    (void)state;
    assert_null(strstr(checked(protocol_encode_status(line, sizeof line, "", &status)), "page_missing"));
    status.websocket = "127.0.0.1:1";
    assert_non_null(strstr(checked(protocol_encode_status(line, sizeof line, "", &status)),
                           "\"websocket\":\"127.0.0.1:1\",\"page_missing\":\"built without it\""));
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
        cmocka_unit_test(poses_are_told),
        cmocka_unit_test(where_to_draw_blades_is_told),
        cmocka_unit_test(the_session_is_told),
        cmocka_unit_test(targets_are_listed),
        cmocka_unit_test(the_status_is_told),
        cmocka_unit_test(status_gives_the_reason_for_a_missing_page),
        cmocka_unit_test(replies_repeat_the_id),
        cmocka_unit_test(what_does_not_fit_is_not_there),
        cmocka_unit_test(poses_come_back_to_the_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

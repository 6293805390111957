/* What the C client makes of lines: every event that clashd encodes comes back whole, and no line, however wrong, does
 * more than an error. */
#include "support/client_pair.h"

#include "protocol/messages/codec.h"
#include "support/random.h"
#include "support/sample_events.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#define EPOCH_NS 1000 /* as HELLO has it */

static clash_event sample(clash_event_kind kind)
{
    clash_event e = {.kind = kind, .seq = 7, .time_ns = EPOCH_NS + 9007199254740991, .id = 3, .duration_ns = 11};

    e.blades[0] = "left";
    e.blades[1] = "a \"name\" \\ \xc3\xa9";
    e.as.clash = (clash_event_clash){.contact = {.fraction = 0.25,
                                                 .distance = FLT_MIN,
                                                 .midpoint = {1.0f / 3.0f, -FLT_MAX, 0x1p-149f},
                                                 .points = {{1, 2, 3}, {4, 5, 6}},
                                                 .normal = {0, -1, 0},
                                                 .along = {0.125f, 1}},
                                     .velocities = {{7, 8, 9}, {-7, -8, -9}},
                                     .closing_speed = 2.5f,
                                     .slide_speed = 0.1f,
                                     .crossing_angle = 1.5f,
                                     .has_edge = {false, true},
                                     .edge_alignment = {0, -0.75f},
                                     .intensity = 0.2f,
                                     .tracked = true,
                                     .has_since_release = true,
                                     .since_release_ns = 1234567};
    sample_fill_fields(&e.as.clash);
    return e;
}

static void say_event(told *t, const clash_event *event)
{
    char line[4096];
    size_t length = protocol_encode_event(line, sizeof line, event, EPOCH_NS);

    assert_true(length > 0);
    pair_send_bytes(t, line, length);
}

static void assert_same_contact(const told *t, const clash_event *e)
{
    assert_int_equal(t->event.kind, e->kind);
    assert_int_equal(t->event.seq, e->seq);
    assert_int_equal(t->event.time_ns, e->time_ns);
    assert_int_equal(t->event.id, e->id);
    assert_string_equal(t->names[0], e->blades[0]);
    assert_string_equal(t->names[1], e->blades[1]);
}

static void hello(void **state)
{
    told *t = *state;

    pair_send(t, HELLO);
    assert_int_equal(t->hellos, 1);
    assert_int_equal(t->hello.protocol, 1);
    assert_int_equal(t->hello.time_ns, 1250);
    assert_true(t->hello.epoch_unix_ns == INT64_C(1795230559428234479));
    assert_int_equal(t->hello.blade_count, 2);
    assert_string_equal(t->names[1], "npc");
    assert_true(t->blades[0].properties.has_edge && t->blades[0].properties.edge.y == -1.0f);
    assert_false(t->blades[1].properties.has_edge);
    assert_true(t->blades[1].properties.shape.tip.y == 1.0f && t->blades[1].properties.shape.radius == 0.5f);
    assert_int_equal(t->hello.capability_count, 2);
    assert_string_equal(t->capability, "poses");
}

#define SWORD_HELLO(parts)                                                                                         \
    "{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"session\":\"5\",\"time_ns\":0,"                        \
    "\"epoch_monotonic_ns\":\"1000\",\"epoch_unix_ns\":\"0\",\"space\":\"stage\",\"axes\":\"openxr\",\"blades\":[" \
    "{\"name\":\"s\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,-1],\"radius\":0.5,\"parts\":" parts "},"      \
    "{\"name\":\"t\",\"device\":\"e\",\"base\":[0,0,0],\"tip\":[0,0,-1],\"radius\":0.5}],\"units\":{},"            \
    "\"capabilities\":[]}\n"
#define POINTS4 "[0,0,0],[0,0,1],[0,0,2],[0,0,3]"

static void blades_of_parts(void **state)
{
    static const char *const wrong[] = {"7",
                                        "[7]",
                                        "[{\"name\":\"a\",\"radius\":1}]",
                                        "[{\"name\":5,\"radius\":1,\"points\":[" POINTS4 "]}]",
                                        "[{\"name\":\"a\",\"points\":[" POINTS4 "]}]",
                                        "[{\"name\":\"a\",\"radius\":1,\"points\":[[0,0,0]]}]",
                                        "[{\"name\":\"a\",\"radius\":1,\"points\":[[0,0,0],[1,2]]}]",
                                        "[{\"name\":\"a\",\"radius\":1,\"points\":[" POINTS4 "],\"edge\":[1]}]"};
    told *t = *state;

    pair_send(t, SWORD_HELLO(
                     "[{\"name\":\"blade\",\"points\":[[0,0,0],[0,0,-0.5],[0,1,-1]],\"radius\":0.25,\"edge\":[0,-1,0]},"
                     "{\"name\":\"guard\",\"points\":[[1,0,0],[2,0,0]],\"radius\":0.125}]"));
    assert_int_equal(t->hellos, 1);
    assert_non_null(t->blades[0].sword);
    assert_null(t->blades[1].sword);
    assert_int_equal(t->swords[0].part_count, 2);
    assert_int_equal(t->swords[0].capsule_count, 3);
    assert_string_equal(t->swords[0].parts[1].name, "guard");
    assert_true(t->swords[0].parts[1].first == 2 && t->swords[0].parts[1].count == 1);
    assert_true(t->swords[0].parts[0].has_edge && t->swords[0].parts[0].edge.y == -1.0f);
    assert_true(t->swords[0].capsules[1].base.z == -0.5f && t->swords[0].capsules[1].tip.y == 1.0f);
    assert_true(t->swords[0].capsules[1].radius == 0.25f && t->swords[0].capsules[2].tip.x == 2.0f);
    /* More than there is room for: the one capsule is told. */
    pair_send(t, SWORD_HELLO("[{\"name\":\"a\",\"radius\":1,\"points\":[" POINTS4 "," POINTS4 "," POINTS4 "," POINTS4
                             "," POINTS4 "]}]"));
    assert_int_equal(t->hellos, 2);
    assert_null(t->blades[0].sword);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[1024], hello[] = SWORD_HELLO("%s");

        snprintf(line, sizeof line, "%.*s%s%s", (int)(strstr(hello, "%s") - hello), hello, wrong[i],
                 strstr(hello, "%s") + 2);
        pair_send(t, line);
        if (t->errors != i + 1)
            fail_msg("no error for %s", line);
    }
    assert_int_equal(t->hellos, 2);
}

/** Escapes and numbers of every form, also in a program whose locale has a decimal comma. */
static void texts_and_numbers_of_any_form(void **state)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8"};
    told *t = *state;

    for (size_t i = 0; i < 2; i++) {
        setlocale(LC_ALL, locales[i]); /* without that locale on this machine, the same again */
        pair_send(t, HELLO);
        pair_send(t,
                  " { \"type\" "
                  ":\"poses\",\"time_ns\":2.5e2,\"poses\":[{\"device\":\"\\u00e9\\ud83d\\ude00\\n\\\\\\\"\\/\\u20AC\","
                  "\"position\":[-0.12345678901234567890123,1E-30,0.5e0],\"orientation\":[0,0,0,1],\"tracked\":true } "
                  "] }\r\n");
        assert_string_equal(t->device, "\xc3\xa9\xf0\x9f\x98\x80\n\\\"/\xe2\x82\xac");
        assert_true(t->pose.pose.position.x == -0.12345678901234567890123f && t->pose.pose.position.y == 1e-30f &&
                    t->pose.pose.position.z == 0.5f);
        assert_int_equal(t->poses, i + 1);
    }
    setlocale(LC_ALL, "C");
    assert_int_equal(t->errors, 0);
}

static void parts_of_events(void **state)
{
    told *t = *state;
    clash_event e = sample(CLASH_EVENT_CLASH);

    pair_send(t, HELLO);
    e.as.clash.parts[1] = "gu\"ard";
    say_event(t, &e);
    assert_null(t->event.as.clash.parts[0]);
    assert_string_equal(t->parts[1], "gu\"ard");
    e.kind = CLASH_EVENT_HOLD;
    e.as.clash.parts[0] = "tip";
    say_event(t, &e);
    assert_string_equal(t->parts[0], "tip");
    e.as.clash.parts[0] = e.as.clash.parts[1] = NULL;
    say_event(t, &e);
    assert_true(!t->event.as.clash.parts[0] && !t->event.as.clash.parts[1]);
    assert_int_equal(t->errors, 0);
}

static void of_two_players_come_back(void **state)
{
    static const clash_event_kind kinds[] = {CLASH_EVENT_CLASH, CLASH_EVENT_HOLD, CLASH_EVENT_RELEASE};
    told *t = *state;

    pair_send(t, HELLO);
    for (size_t i = 0; i < 9; i++) {
        clash_event e = sample(kinds[i % 3]);

        if (kinds[i % 3] == CLASH_EVENT_RELEASE)
            e.as.release = (clash_event_release){.min_distance = 0.5f};
        e.room = (clash_event_room){9007199254740991, -5, 410000, (clash_agreement)(i / 3)};
        say_event(t, &e);
        assert_int_equal(t->event.room.id, e.room.id);
        assert_int_equal(t->event.room.time_ns, -5);
        assert_int_equal(t->event.room.clock_error_ns, 410000);
        assert_int_equal(t->event.room.agreed, e.room.agreed);
        e.room = (clash_event_room){0};
        say_event(t, &e);
        assert_true(t->event.room.id == 0 && t->event.room.time_ns == 0 &&
                    t->event.room.agreed == CLASH_AGREEMENT_NONE);
    }
    assert_int_equal(t->errors, 0);
}

static void clash_and_hold_come_back_to_the_bit(void **state)
{
    told *t = *state;
    clash_event e = sample(CLASH_EVENT_CLASH);

    pair_send(t, HELLO);
    say_event(t, &e);
    assert_int_equal(t->clashes, 1);
    assert_same_contact(t, &e);
    assert_memory_equal(&t->event.as.clash.contact.midpoint, &e.as.clash.contact.midpoint, sizeof(clash_vec3));
    assert_memory_equal(t->event.as.clash.contact.points, e.as.clash.contact.points, 2 * sizeof(clash_vec3));
    assert_memory_equal(t->event.as.clash.velocities, e.as.clash.velocities, 2 * sizeof(clash_vec3));
    assert_true(t->event.as.clash.contact.distance == FLT_MIN && t->event.as.clash.contact.fraction == 0.25);
    assert_true(t->event.as.clash.contact.along[0] == 0.125f && t->event.as.clash.contact.normal.y == -1.0f);
    assert_true(t->event.as.clash.closing_speed == 2.5f && t->event.start_closing_speed == 2.5f);
    assert_true(t->event.as.clash.slide_speed == 0.1f && t->event.as.clash.crossing_angle == 1.5f);
    assert_true(!t->event.as.clash.has_edge[0] && t->event.as.clash.has_edge[1]);
    assert_true(t->event.as.clash.edge_alignment[1] == -0.75f && t->event.as.clash.intensity == 0.2f);
    assert_true(t->event.as.clash.tracked);
#define IS_SAME(type, member, none) assert_true(t->event.as.clash.member == e.as.clash.member);
    CLASH_EVENT_FIELDS(IS_SAME)
#undef IS_SAME
    assert_true(t->event.as.clash.has_since_release && t->event.as.clash.since_release_ns == 1234567);
    assert_false(t->event.as.clash.late);
    e.as.clash.has_since_release = false;
    e.as.clash.late = true;
    say_event(t, &e);
    assert_true(t->event.as.clash.late && t->event.start_closing_speed == 0.0f);
    assert_true(!t->event.as.clash.has_since_release && t->event.as.clash.since_release_ns == 0);
    e.kind = CLASH_EVENT_HOLD;
    e.as.clash.has_edge[1] = false;
    say_event(t, &e);
    assert_int_equal(t->holds, 1);
    assert_same_contact(t, &e);
    assert_int_equal(t->event.duration_ns, 11);
    assert_false(t->event.as.clash.has_edge[1]);
    assert_int_equal(t->errors, 0);
}

static void releases_with_every_reason(void **state)
{
    told *t = *state;
    clash_event e = sample(CLASH_EVENT_RELEASE);

    pair_send(t, HELLO);
    for (clash_release_reason reason = CLASH_RELEASE_APART; reason <= CLASH_RELEASE_REMOVED; reason++) {
        e.as.release = (clash_event_release){0.5f, 4.0f, reason};
        say_event(t, &e);
        assert_same_contact(t, &e);
        assert_int_equal(t->event.as.release.reason, reason);
        assert_true(t->event.as.release.min_distance == 0.5f && t->event.as.release.peak_closing_speed == 4.0f);
    }
    assert_int_equal(t->releases, 3);
}

static void tracking_with_every_reason(void **state)
{
    told *t = *state;
    clash_event e = {.kind = CLASH_EVENT_TRACKING, .seq = 1, .time_ns = EPOCH_NS};

    pair_send(t, HELLO);
    for (clash_tracking_reason reason = CLASH_TRACKING_OK; reason <= CLASH_TRACKING_SOURCE_ENDED; reason++) {
        const clash_feed_source source = (clash_feed_source)((int)reason % (CLASH_SOURCE_PEER + 1));

        e.as.tracking = (clash_event_tracking){"/user/hand/left", reason == CLASH_TRACKING_OK, reason, source};
        say_event(t, &e);
        assert_string_equal(t->device, "/user/hand/left");
        assert_int_equal(t->event.as.tracking.reason, reason);
        assert_int_equal(t->event.as.tracking.source, source);
        assert_int_equal(t->event.as.tracking.tracked, reason == CLASH_TRACKING_OK);
    }
    /* One that only a newer clashd knows. */
    pair_send(
        t, "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":0,\"device\":\"d\",\"tracked\":false,\"reason\":\"fog\"}\n");
    assert_int_equal(t->event.as.tracking.reason, CLASH_TRACKING_LOST);
    e.kind = CLASH_EVENT_SPACE_CHANGED;
    e.as.space_changed.source = CLASH_SOURCE_LAYER;
    say_event(t, &e);
    assert_int_equal(t->spaces, 1);
    assert_int_equal(t->event.as.space_changed.source, CLASH_SOURCE_LAYER);
    assert_int_equal(t->errors, 0);
}

#define PULSE(amplitude, duration) \
    "{\"type\":\"haptic\",\"device\":\"/user/hand/right\",\"amplitude\":" amplitude ",\"duration_ns\":" duration "}\n"

static void pulses_within_bounds(void **state)
{
    told *t = *state;
    const char *const wrong[] = {PULSE("1.0001", "1"),
                                 PULSE("-0.1", "1"),
                                 PULSE("1e39", "1"),
                                 PULSE("\"1\"", "1"),
                                 PULSE("1", "0"),
                                 PULSE("1", "-5"),
                                 PULSE("1", "0.5"),
                                 PULSE("1", "1000000001"),
                                 PULSE("null", "1"),
                                 "{\"type\":\"haptic\"}\n",
                                 "{\"type\":\"haptic\",\"device\":1,\"amplitude\":1,\"duration_ns\":1}\n"};

    pair_send(t, HELLO);
    pair_send(t, PULSE("0.75", "45000000"));
    assert_int_equal(t->pulses, 1);
    assert_string_equal(t->device, "/user/hand/right");
    assert_true(t->pulse.amplitude == 0.75f && t->pulse.duration_ns == 45000000);
    pair_send(t, PULSE("0", "1000000000") PULSE("1", "1"));
    assert_int_equal(t->pulses, 3);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        pair_send(t, wrong[i]);
        assert_int_equal(t->errors, i + 1);
        assert_string_equal(t->code, "bad_line");
    }
    assert_int_equal(t->pulses, 3);
}

static void the_rest(void **state)
{
    told *t = *state;
    protocol_pose pose = {
        .device = "npc/7", .pose = {{0, 0.6f, 0, 0.8f}, {1, 2, 3}}, .tracked = true, .valid = true, .teleport = true};
    char line[4096];

    pair_send(t, HELLO);
    pair_send_bytes(t, line, protocol_encode_poses(line, sizeof line, 42, &pose, 1));
    assert_int_equal(t->poses, 1);
    assert_int_equal(t->poses_time_ns, EPOCH_NS + 42);
    assert_string_equal(t->device, "npc/7");
    assert_memory_equal(&t->pose.pose, &pose.pose, sizeof(clash_pose));
    assert_true(t->pose.tracked && t->pose.valid && t->pose.teleport);
    pose.valid = pose.tracked = pose.teleport = false;
    pair_send_bytes(t, line, protocol_encode_poses(line, sizeof line, 42, &pose, 1));
    assert_true(!t->pose.tracked && !t->pose.valid && !t->pose.teleport);
    pair_send_bytes(t, line, protocol_encode_lagged(line, sizeof line, 5, 9, 3));
    assert_true(t->lag.from_seq == 5 && t->lag.to_seq == 9 && t->lag.missed == 3);
    pair_send_bytes(t, line, protocol_encode_ok(line, sizeof line, "\"mine\"", 1));
    assert_string_equal(t->id, "mine");
    assert_int_equal(t->seq, -1);
    pair_send_bytes(t, line,
                    protocol_encode_subscribed(line, sizeof line, "\"mine\"", 1, 77, &(protocol_subscribe){0}));
    assert_int_equal(t->seq, 77);
    pair_send_bytes(
        t, line,
        protocol_encode_error(line, sizeof line, "", &(protocol_error){PROTOCOL_ERROR_UNKNOWN_NAME, "no such"}));
    assert_string_equal(t->code, "unknown_name");
    assert_string_equal(t->message, "no such");
    assert_string_equal(t->id, "");
    assert_int_equal(t->errors, 1);
}

static void unknown_things_are_ignored(void **state)
{
    told *t = *state;

    pair_send(
        t, HELLO
        "{\"type\":\"dance\",\"x\":1}\n{\"type\":\"lagged\",\"from_seq\":1,\"to_seq\":2,\"missed\":2,\"y\":{}}\n");
    assert_int_equal(t->lagged, 1);
    assert_int_equal(t->errors, 0);
}

static void wrong_lines_are_errors(void **state)
{
    static const char *const lines[] = {
        "\n",
        "x\n",
        "[]\n",
        "null\n",
        "{\n",
        "{}\n",
        "{\"type\":1}\n",
        "\xff\xfe\n",
        "{\"type\":\"\xc3\x28\"}\n",
        "{\"type\":\"lagged\",\"type\":\"lagged\"}\n",
        "{\"type\":\"clash\"}\n",
        "{\"type\":\"hello\"}\n",
        "{\"type\":\"lagged\",\"from_seq\":-1,\"to_seq\":2,\"missed\":2}\n",
        "{\"type\":\"lagged\",\"from_seq\":1.5,\"to_seq\":2,\"missed\":2}\n",
        "{\"type\":\"lagged\",\"from_seq\":1e999,\"to_seq\":2,\"missed\":2}\n",
        "{\"type\":\"lagged\",\"from_seq\":1e17,\"to_seq\":2,\"missed\":2}\n",
        "{\"type\":\"poses\",\"time_ns\":1,\"poses\":{}}\n",
        "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[1]}\n",
        "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"d\",\"position\":[1,2],\"orientation\":[0,0,0,1],"
        "\"tracked\":true}]}\n",
        "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"d\",\"position\":[1,2,1e39],\"orientation\":"
        "[0,0,0,1],\"tracked\":true}]}\n",
        "{\"type\":\"release\",\"seq\":1,\"time_ns\":1,\"id\":1,\"blades\":[\"a\"],\"duration_ns\":1,"
        "\"min_distance\":1,\"peak_closing_speed\":1,\"reason\":\"apart\"}\n",
        "{\"type\":\"release\",\"seq\":1,\"time_ns\":1,\"id\":1,\"blades\":[\"a\",\"b\",\"c\"],\"duration_ns\":1,"
        "\"min_distance\":1,\"peak_closing_speed\":1,\"reason\":\"apart\"}\n",
        "{\"type\":\"release\",\"seq\":1,\"time_ns\":1,\"id\":1,\"blades\":[\"a\",\"b\"],\"duration_ns\":1,"
        "\"min_distance\":1,\"peak_closing_speed\":1,\"reason\":\"bored\"}\n",
        "{\"type\":\"error\",\"code\":5,\"message\":\"m\"}\n",
    };
    told *t = *state;

    pair_send(t, HELLO);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        pair_send(t, lines[i]);
        if (t->errors != i + 1)
            fail_msg("no error for %s", lines[i]);
        assert_string_equal(t->code, "bad_line");
    }
    assert_int_equal(t->hellos, 1);
    assert_int_equal(t->clashes + t->poses + t->lagged + t->releases + t->disconnects, 0);
}

static void times_need_an_epoch_and_do_not_overflow(void **state)
{
    told *t = *state;

    pair_send(t, "{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":1}\n");
    assert_int_equal(t->errors, 1);
    pair_send(t, "{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"session\":\"5\",\"time_ns\":0,"
                 "\"epoch_monotonic_ns\":\"9223372036854775807\",\"epoch_unix_ns\":\"0\",\"space\":\"stage\","
                 "\"axes\":\"openxr\",\"blades\":[],\"units\":{},\"capabilities\":[]}\n");
    assert_int_equal(t->hellos, 1);
    pair_send(t, "{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":1}\n");
    assert_int_equal(t->errors, 2);
    assert_int_equal(t->spaces, 0);
    pair_send(t, "{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"session\":\"5\",\"time_ns\":0,"
                 "\"epoch_monotonic_ns\":\"99999999999999999999\",\"epoch_unix_ns\":\"0\",\"space\":\"stage\","
                 "\"axes\":\"openxr\",\"blades\":[],\"units\":{},\"capabilities\":[]}\n");
    assert_int_equal(t->errors, 3);
}

/** Valid lines with bytes changed, cut, doubled: whatever comes of it, each line is told or ignored, and the next one is
 *  understood. The sanitizers look for the rest. */
static void damaged_lines_do_no_harm(void **state)
{
    told *t = *state;
    const clash_event e = sample(CLASH_EVENT_CLASH);
    random_state random = {random_seed(12345)};
    char clash[4096], line[8192];
    size_t length = protocol_encode_event(clash, sizeof clash, &e, EPOCH_NS);

    pair_send(t, HELLO);
    for (int round = 0; round < 20000; round++) {
        const char *from = round % 2 ? HELLO : clash;
        size_t size = round % 2 ? strlen(HELLO) : length;

        memcpy(line, from, size);
        for (unsigned i = 0; i < 1 + (unsigned)round % 4; i++)
            line[random_bits(&random) % (size - 1)] = "\"[]{},:0-.e\\\n\x80z"[random_bits(&random) % 16];
        pair_send_bytes(t, line, size);
    }
    t->errors = 0;
    pair_send(t, "\n" HELLO); /* ends what a damaged line may have left open */
    pair_send_bytes(t, clash, length);
    assert_string_equal(t->names[1], e.blades[1]);
    assert_true(t->clashes > 0 && t->disconnects == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hello, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(blades_of_parts, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(parts_of_events, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(of_two_players_come_back, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(clash_and_hold_come_back_to_the_bit, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(releases_with_every_reason, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(tracking_with_every_reason, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(pulses_within_bounds, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(texts_and_numbers_of_any_form, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(the_rest, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(unknown_things_are_ignored, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(wrong_lines_are_errors, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(times_need_an_epoch_and_do_not_overflow, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(damaged_lines_do_no_harm, pair_setup, pair_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

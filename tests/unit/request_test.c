/* Requests: what each gives, what is said of every kind of mistake, and that no line, however hostile, does more harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/messages/codec.h"
#include "support/random.h"

typedef struct parsed {
    int result;
    protocol_request request;
    protocol_error error;
} parsed;

/** Parses a copy of exactly the line's size, so that reading beyond it is seen. Static: large. */
static const parsed *parse_bytes(const char *line, size_t length)
{
    static parsed p;
    char *copy = malloc(length + !length);

    assert_non_null(copy);
    memcpy(copy, line, length);
    memset(&p, 0x5a, sizeof p);
    p.error.code = PROTOCOL_ERROR_NONE;
    p.result = protocol_parse_request(copy, length, &p.request, &p.error);
    free(copy);
    if (p.result != 0) {
        assert_int_equal(p.result, -1);
        assert_int_not_equal(p.error.code, PROTOCOL_ERROR_NONE);
        assert_in_range(strnlen(p.error.message, sizeof p.error.message), 1, sizeof p.error.message - 1);
    }
    assert_true(strnlen(p.request.id, sizeof p.request.id) < sizeof p.request.id);
    return &p;
}

static const parsed *parse(const char *line)
{
    return parse_bytes(line, strlen(line));
}

static const protocol_subscribe *subscription(const char *line)
{
    const parsed *p = parse(line);

    if (p->result != 0)
        fail_msg("%s: %s", line, p->error.message);
    assert_int_equal(p->request.type, PROTOCOL_REQUEST_SUBSCRIBE);
    return &p->request.subscribe;
}

static void each_request_is_understood(void **state)
{
    (void)state;
    assert_int_equal(parse("{\"type\":\"ping\"}")->result, 0);
    assert_int_equal(parse("{\"type\":\"ping\"}")->request.type, PROTOCOL_REQUEST_PING);
    assert_string_equal(parse("{\"type\":\"ping\"}")->request.id, "");
    assert_int_equal(parse(" {\"type\" : \"status\" , \"id\":7}\t")->request.type, PROTOCOL_REQUEST_STATUS);
    assert_int_equal(parse("{\"type\":\"ping\",\"later\":{\"than\":[1e300,null]}}")->request.type,
                     PROTOCOL_REQUEST_PING);
}

static void what_a_subscription_says(void **state)
{
    const protocol_subscribe *s = subscription("{\"type\":\"subscribe\"}");

    (void)state;
    assert_int_equal(s->events, PROTOCOL_EVENTS_DEFAULT);
    assert_int_equal(s->blade_count, 0);
    assert_true(s->min_closing_speed == 0.0f && s->pose_rate_hz == 0.0f);
    assert_true(s->axes == PROTOCOL_AXES_OPENXR && !s->has_since_seq);
    s = subscription(
        "{\"type\":\"subscribe\",\"events\":[\"clash\",\"poses\",\"clash\"],\"blades\":[\"left\",\"\\u00e9\"],"
        "\"min_closing_speed\":1.5,\"pose_rate_hz\":60}");
    assert_int_equal(s->events, PROTOCOL_EVENT_CLASH | PROTOCOL_EVENT_POSES);
    assert_int_equal(s->blade_count, 2);
    assert_string_equal(s->blades[0], "left");
    assert_string_equal(s->blades[1], "\xc3\xa9");
    assert_true(s->min_closing_speed == 1.5f && s->pose_rate_hz == 60.0f);
    assert_int_equal(subscription("{\"type\":\"subscribe\",\"axes\":\"unity\"}")->axes, PROTOCOL_AXES_UNITY);
    s = subscription("{\"type\":\"subscribe\",\"axes\":\"godot\",\"since_seq\":0}");
    assert_true(s->axes == PROTOCOL_AXES_GODOT && s->has_since_seq && s->since_seq == 0);
    s = subscription("{\"type\":\"subscribe\",\"axes\":\"openxr\",\"since_seq\":9007199254740991}");
    assert_true(s->axes == PROTOCOL_AXES_OPENXR && s->since_seq == UINT64_C(9007199254740991));
    assert_false(s->resolved_poses);
    assert_true(subscription("{\"type\":\"subscribe\",\"resolved_poses\":true}")->resolved_poses);
    assert_false(subscription("{\"type\":\"subscribe\",\"resolved_poses\":false}")->resolved_poses);
    s = subscription("{\"type\":\"subscribe\",\"min_peak_speed\":2.5,\"min_apart_ms\":0.0005,\"since_late\":7}");
    assert_true(s->min_peak_speed == 2.5f && s->min_apart_ns == 500 && s->since_late == 7);
    assert_int_equal(subscription("{\"type\":\"subscribe\",\"min_apart_ms\":60000}")->min_apart_ns,
                     INT64_C(60000000000));
    s = subscription("{\"type\":\"subscribe\"}");
    assert_true(s->min_peak_speed == 0.0f && s->min_apart_ns == 0 && s->since_late == 0);
    assert_int_equal(subscription("{\"type\":\"subscribe\",\"events\":[]}")->events, 0);
    assert_int_equal(subscription("{\"type\":\"subscribe\",\"blades\":[]}")->blade_count, 0);
}

static void every_event_has_its_bit(void **state)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } events[] = {
        {"clash", PROTOCOL_EVENT_CLASH},
        {"hold", PROTOCOL_EVENT_HOLD},
        {"release", PROTOCOL_EVENT_RELEASE},
        {"tracking", PROTOCOL_EVENT_TRACKING},
        {"space_changed", PROTOCOL_EVENT_SPACE_CHANGED},
        {"poses", PROTOCOL_EVENT_POSES},
    };
    char line[256];

    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        snprintf(line, sizeof line, "{\"type\":\"subscribe\",\"events\":[\"%s\"]}", events[i].name);
        assert_int_equal(subscription(line)->events, events[i].bit);
    }
}

/** The reply repeats the id as JSON, so that is what is kept. */
static void an_id_comes_back_as_it_was(void **state)
{
    static const char *const cases[][2] = {
        {"7", "7"},
        {"-3", "-3"},
        {"0", "0"},
        {"2.0", "2"},
        {"1e3", "1000"},
        {"9007199254740991", "9007199254740991"},
        {"-9007199254740991", "-9007199254740991"},
        {"\"\"", "\"\""},
        {"\"a \\\"b\\\" \\u0001\\n\"", "\"a \\\"b\\\" \\u0001\\u000a\""},
        {"\"\xf0\x9f\x97\xa1\"", "\"\xf0\x9f\x97\xa1\""},
        {"\"\\ud83d\\udde1\"", "\"\xf0\x9f\x97\xa1\""},
    };
    char line[256];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(line, sizeof line, "{\"type\":\"ping\",\"id\":%s}", cases[i][0]);
        assert_int_equal(parse(line)->result, 0);
        assert_string_equal(parse(line)->request.id, cases[i][1]);
    }
}

static void an_id_that_cannot_come_back_is_refused(void **state)
{
    static const char *const cases[] = {
        "null", "true", "[]", "{}", "1.5", "9007199254740992", "-9007199254740992", "1e300", "-1e300", "1e-3",
    };
    char line[512], id[300];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(line, sizeof line, "{\"type\":\"ping\",\"id\":%s}", cases[i]);
        assert_int_equal(parse(line)->result, -1);
        assert_int_equal(parse(line)->error.code, PROTOCOL_ERROR_BAD_MESSAGE);
        assert_memory_equal(parse(line)->error.message, "id: expected a string", 21);
        assert_string_equal(parse(line)->request.id, "");
    }
    for (size_t length = 127; length <= 129; length++) {
        memset(id, 'x', length);
        id[length] = '\0';
        snprintf(line, sizeof line, "{\"type\":\"ping\",\"id\":\"%s\"}", id);
        assert_int_equal(parse(line)->result, length <= 128 ? 0 : -1);
        assert_int_equal(strlen(parse(line)->request.id), length <= 128 ? length + 2 : 0);
    }
}

/** Each of the 128 characters needs six bytes: an id is as long as its schema allows, whatever is in it. */
static void an_id_of_escapes_comes_back(void **state)
{
    char line[1000], id[129 * 6 + 1];

    (void)state;
    for (size_t count = 128; count <= 129; count++) {
        for (size_t i = 0; i < count; i++)
            memcpy(id + 6 * i, "\\u001f", 7);
        snprintf(line, sizeof line, "{\"type\":\"ping\",\"id\":\"%s\"}", id);
        assert_int_equal(parse(line)->result, count <= 128 ? 0 : -1);
        assert_int_equal(strlen(parse(line)->request.id), count <= 128 ? 6 * 128 + 2 : 0);
    }
    assert_memory_equal(parse(line)->error.message, "id: expected a string", 21);
}

typedef struct wrong {
    const char *line;
    protocol_error_code code;
    const char *message; /* a part of it */
} wrong;

static void assert_refused(const wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const parsed *p = parse(cases[i].line);

        if (p->result == 0)
            fail_msg("taken: %s", cases[i].line);
        if (p->error.code != cases[i].code || !strstr(p->error.message, cases[i].message))
            fail_msg("%s: %d, %s", cases[i].line, (int)p->error.code, p->error.message);
    }
}

static void what_is_no_json(void **state)
{
    static const wrong cases[] = {
        {"x", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\"", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{'type':'ping'}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\",}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\"}}", PROTOCOL_ERROR_BAD_JSON, "something follows"},
        {"{\"type\":\"ping\"}{\"type\":\"ping\"}", PROTOCOL_ERROR_BAD_JSON, "something follows"},
        {"{\"type\":\"ping\"} x", PROTOCOL_ERROR_BAD_JSON, "something follows"},
        {"{\"type\":\"ping\",\"x\":NaN}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\",\"x\":Infinity}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\",\"x\":01}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\",\"x\":1.}", PROTOCOL_ERROR_BAD_JSON, "not JSON"},
        {"{\"type\":\"ping\",\"x\":1e999}", PROTOCOL_ERROR_BAD_JSON, "out of range"},
        {"{\"type\":\"ping\",\"x\":[[-1e999]]}", PROTOCOL_ERROR_BAD_JSON, "out of range"},
        {"{\"type\":\"ping\",\"id\":1,\"id\":2}", PROTOCOL_ERROR_BAD_JSON, "\"id\" stands twice"},
        {"{\"type\":\"ping\",\"x\":{\"a\":1,\"b\":2,\"\\u0061\":3}}", PROTOCOL_ERROR_BAD_JSON, "\"a\" stands twice"},
        {"{\"type\":\"ping\xff\"}", PROTOCOL_ERROR_BAD_JSON, "UTF-8"},
        {"{\"type\":\"\xed\xa0\x80\"}", PROTOCOL_ERROR_BAD_JSON, "UTF-8"},
        {"{\"type\":\"ping\xe2\x82", PROTOCOL_ERROR_BAD_JSON, "UTF-8"},
        {"{\"type\":\"ping\\u0000x\"}", PROTOCOL_ERROR_BAD_JSON, "u0000"},
        {"{\"type\":\"ping\",\"x\":\"\\ud800\"}", PROTOCOL_ERROR_BAD_JSON, "surrogate"},
    };
    const parsed *p;

    (void)state;
    assert_refused(cases, sizeof cases / sizeof cases[0]);
    p = parse_bytes("{\"type\":\"ping\0\"}", 16);
    assert_int_equal(p->error.code, PROTOCOL_ERROR_BAD_JSON);
    p = parse_bytes("{\"type\":\"ping\"}\0", 16);
    assert_int_equal(p->error.code, PROTOCOL_ERROR_BAD_JSON);
}

static void what_is_no_request(void **state)
{
    static const wrong cases[] = {
        {"[]", PROTOCOL_ERROR_BAD_MESSAGE, "expected an object"},
        {"7", PROTOCOL_ERROR_BAD_MESSAGE, "expected an object"},
        {"null", PROTOCOL_ERROR_BAD_MESSAGE, "expected an object"},
        {"\"ping\"", PROTOCOL_ERROR_BAD_MESSAGE, "expected an object"},
        {"{}", PROTOCOL_ERROR_BAD_MESSAGE, "type: expected a string, one of subscribe, ping, status"},
        {"{\"type\":5}", PROTOCOL_ERROR_BAD_MESSAGE, "type: expected a string, one of"},
        {"{\"type\":null,\"id\":1}", PROTOCOL_ERROR_BAD_MESSAGE, "type: expected a string, one of"},
        {"{\"type\":\"dance\",\"id\":1}", PROTOCOL_ERROR_UNKNOWN_TYPE,
         "type: \"dance\" is not understood; there are subscribe, ping, status"},
        {"{\"type\":\"\",\"id\":1}", PROTOCOL_ERROR_UNKNOWN_TYPE, "type: \"\" is not understood"},
        {"{\"type\":\"clash\",\"id\":\"a\"}", PROTOCOL_ERROR_UNKNOWN_TYPE, "\"clash\""},
    };

    (void)state;
    assert_refused(cases, sizeof cases / sizeof cases[0]);
    assert_string_equal(parse("{\"type\":null,\"id\":1}")->request.id, "1");
    assert_string_equal(parse("{\"type\":\"dance\",\"id\":\"a\"}")->request.id, "\"a\"");
}

static void what_is_no_subscription(void **state)
{
    static const wrong cases[] = {
        {"{\"type\":\"subscribe\",\"events\":[\"clsh\"]}", PROTOCOL_ERROR_UNKNOWN_NAME,
         "events: no event is called \"clsh\"; there are clash, hold, release, tracking, space_changed, poses"},
        {"{\"type\":\"subscribe\",\"events\":[\"clash\",\"\"]}", PROTOCOL_ERROR_UNKNOWN_NAME, "called \"\""},
        {"{\"type\":\"subscribe\",\"events\":[\"an event whose name is longer than any that there is, by far\"]}",
         PROTOCOL_ERROR_UNKNOWN_NAME, "there are clash"},
        {"{\"type\":\"subscribe\",\"events\":\"clash\"}", PROTOCOL_ERROR_BAD_MESSAGE, "events: expected an array"},
        {"{\"type\":\"subscribe\",\"events\":[1]}", PROTOCOL_ERROR_BAD_MESSAGE, "events[0]: expected"},
        {"{\"type\":\"subscribe\",\"events\":null}", PROTOCOL_ERROR_BAD_MESSAGE, "events: expected an array"},
        {"{\"type\":\"subscribe\",\"blades\":[\"left\",7]}", PROTOCOL_ERROR_BAD_MESSAGE,
         "blades[1]: expected a string"},
        {"{\"type\":\"subscribe\",\"blades\":[\"\"]}", PROTOCOL_ERROR_BAD_MESSAGE, "blades[0]: expected a string"},
        {"{\"type\":\"subscribe\",\"min_closing_speed\":-1}", PROTOCOL_ERROR_BAD_MESSAGE,
         "min_closing_speed: expected a number from 0 to 1000, got -1"},
        {"{\"type\":\"subscribe\",\"min_peak_speed\":1001}", PROTOCOL_ERROR_BAD_MESSAGE,
         "min_peak_speed: expected a number from 0 to 1000, got 1001"},
        {"{\"type\":\"subscribe\",\"min_apart_ms\":60000.5}", PROTOCOL_ERROR_BAD_MESSAGE,
         "min_apart_ms: expected a number from 0 to 60000, got 60000.5"},
        {"{\"type\":\"subscribe\",\"since_late\":-1}", PROTOCOL_ERROR_BAD_MESSAGE, "since_late: "},
        {"{\"type\":\"subscribe\",\"min_closing_speed\":1e39}", PROTOCOL_ERROR_BAD_MESSAGE, "min_closing_speed: "},
        {"{\"type\":\"subscribe\",\"min_closing_speed\":\"1\"}", PROTOCOL_ERROR_BAD_MESSAGE, "got \"1\""},
        {"{\"type\":\"subscribe\",\"pose_rate_hz\":10001}", PROTOCOL_ERROR_BAD_MESSAGE, "pose_rate_hz: expected"},
        {"{\"type\":\"subscribe\",\"axes\":\"unreal\"}", PROTOCOL_ERROR_BAD_MESSAGE, "axes: expected"},
        {"{\"type\":\"subscribe\",\"since_seq\":-1}", PROTOCOL_ERROR_BAD_MESSAGE, "since_seq: expected"},
        {"{\"type\":\"subscribe\",\"resolved_poses\":1}", PROTOCOL_ERROR_BAD_MESSAGE, "resolved_poses: expected"},
        {"{\"type\":\"subscribe\",\"since_seq\":1.5}", PROTOCOL_ERROR_BAD_MESSAGE, "since_seq: expected"},
    };

    (void)state;
    assert_refused(cases, sizeof cases / sizeof cases[0]);
    assert_string_equal(parse("{\"type\":\"subscribe\",\"id\":4,\"events\":[\"clsh\"]}")->request.id, "4");
    assert_int_equal(parse("{\"type\":\"subscribe\",\"events\":[1]}")->request.type, PROTOCOL_REQUEST_IGNORED);
}

/** Half a name would be another blade's. */
static void names_are_whole_or_refused(void **state)
{
    char line[8192] = "{\"type\":\"subscribe\",\"blades\":[\"", *at = line + strlen(line);
    const char *const sword = "\xf0\x9f\x97\xa1";

    (void)state;
    for (int i = 0; i < 31; i++, at += 4)
        memcpy(at, sword, 4);
    memcpy(at, "abc\"]}", 7);
    assert_int_equal(strlen(subscription(line)->blades[0]), PROTOCOL_NAME_MAX - 1);
    memcpy(at, "abcd\"]}", 8);
    assert_int_equal(parse(line)->error.code, PROTOCOL_ERROR_BAD_MESSAGE);
    assert_string_equal(parse(line)->error.message, "blades[0]: expected at most 127 bytes of UTF-8");

    at = line + sprintf(line, "{\"type\":\"subscribe\",\"blades\":[\"0\"");
    for (int i = 1; i < PROTOCOL_NAMES_MAX; i++)
        at += sprintf(at, ",\"%d\"", i);
    memcpy(at, "]}", 3);
    assert_int_equal(subscription(line)->blade_count, PROTOCOL_NAMES_MAX);
    assert_string_equal(subscription(line)->blades[PROTOCOL_NAMES_MAX - 1], "31");
    memcpy(at, ",\"x\"]}", 7);
    assert_memory_equal(parse(line)->error.message, "blades: expected an array", 25);
}

static void what_is_for_others_is_ignored(void **state)
{
    static const char *const lines[] = {"", " ", "\t", "{\"type\":\"dance\"}", "{\"type\":\"clash\",\"x\":[]}"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(parse(lines[i])->result, 0);
        assert_int_equal(parse(lines[i])->request.type, PROTOCOL_REQUEST_IGNORED);
        assert_string_equal(parse(lines[i])->request.id, "");
    }
}

/** The piece again and again, as long a line as is allowed. */
static const parsed *parse_repeated(const char *start, const char *piece, const char *end)
{
    static char line[PROTOCOL_LINE_MAX + 64];
    size_t length = (size_t)snprintf(line, sizeof line, "%s", start);

    while (length + strlen(piece) + strlen(end) < PROTOCOL_LINE_MAX)
        length += (size_t)snprintf(line + length, sizeof line - length, "%s", piece);
    length += (size_t)snprintf(line + length, sizeof line - length, "%s", end);
    return parse_bytes(line, length);
}

static void lines_full_of_anything_are_answered(void **state)
{
    (void)state;
    assert_int_equal(parse_repeated("", "[", "")->error.code, PROTOCOL_ERROR_BAD_JSON);
    assert_int_equal(parse_repeated("", "{\"a\":", "")->error.code, PROTOCOL_ERROR_BAD_JSON);
    assert_int_equal(parse_repeated("{\"type\":\"ping\",\"x\":[0", ",0", "]}")->result, 0);
    assert_int_equal(parse_repeated("{\"type\":\"ping\"", ",\"a\":0", "}")->error.code, PROTOCOL_ERROR_BAD_JSON);
    assert_int_equal(parse_repeated("{\"type\":\"subscribe\",\"events\":[\"clash\"", ",\"clash\"", "]}")->error.code,
                     PROTOCOL_ERROR_BAD_MESSAGE);
    assert_int_equal(parse_repeated("{\"type\":\"", "x", "\",\"id\":1}")->error.code, PROTOCOL_ERROR_UNKNOWN_TYPE);
    assert_int_equal(parse_repeated("{\"type\":\"ping\",\"id\":\"", "x", "\"}")->error.code,
                     PROTOCOL_ERROR_BAD_MESSAGE);
    assert_int_equal(parse_repeated("{\"type\":\"ping\",\"id\":1", "0", "}")->error.code, PROTOCOL_ERROR_BAD_JSON);
    assert_int_equal(parse_repeated("{\"type\":\"ping\",\"x\":\"", "\\n", "\"}")->result, 0);
}

static void many_different_keys_are_no_trouble(void **state)
{
    static char line[PROTOCOL_LINE_MAX];
    size_t length = (size_t)sprintf(line, "{\"type\":\"ping\"");

    (void)state;
    for (int i = 0; length < sizeof line - 32; i++)
        length += (size_t)sprintf(line + length, ",\"%x\":0", (unsigned)i * 2654435761u);
    memcpy(line + length, "}", 2);
    assert_int_equal(parse(line)->result, 0);
    memcpy(line + length, ",\"type\":0}", 11);
    assert_non_null(strstr(parse(line)->error.message, "\"type\" stands twice"));
}

/** Any damage to a good line is survived: it is taken or refused in words. */
static void damaged_lines_are_survived(void **state)
{
    static const char *const lines[] = {
        "{\"type\":\"subscribe\",\"id\":\"a\\u00e9\",\"events\":[\"clash\",\"poses\"],\"blades\":[\"left\"],"
        "\"min_closing_speed\":1.5e0,\"pose_rate_hz\":60}",
        "{\"type\":\"ping\",\"id\":-12,\"x\":{\"a\":[true,false,null,\"\\ud83d\\udde1\"]}}",
    };
    static const char pieces[] = "{}[]\",:\\u0-+.eE19tfn \t\x01\xff\xc3\x80";
    random_state random = {random_seed(3)};
    long taken = 0, cases = random_cases(60000);

    (void)state;
    for (long i = 0; i < cases; i++) {
        char line[256];
        size_t length = strlen(lines[i % 2]), changes = 1 + random_bits(&random) % 3;

        memcpy(line, lines[i % 2], length);
        while (changes-- > 0) {
            size_t at = random_bits(&random) % length;

            if (random_bits(&random) % 3 == 0)
                memmove(line + at, line + at + 1, --length - at);
            else
                line[at] = pieces[random_bits(&random) % (sizeof pieces)]; /* its end too: a zero byte */
        }
        taken += parse_bytes(line, length)->result == 0;
    }
    assert_in_range(taken, cases / 100, cases - cases / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_is_understood),
        cmocka_unit_test(what_a_subscription_says),
        cmocka_unit_test(every_event_has_its_bit),
        cmocka_unit_test(an_id_comes_back_as_it_was),
        cmocka_unit_test(an_id_that_cannot_come_back_is_refused),
        cmocka_unit_test(an_id_of_escapes_comes_back),
        cmocka_unit_test(what_is_no_json),
        cmocka_unit_test(what_is_no_request),
        cmocka_unit_test(what_is_no_subscription),
        cmocka_unit_test(names_are_whole_or_refused),
        cmocka_unit_test(what_is_for_others_is_ignored),
        cmocka_unit_test(lines_full_of_anything_are_answered),
        cmocka_unit_test(many_different_keys_are_no_trouble),
        cmocka_unit_test(damaged_lines_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The recording reader: what a header may say and leave out, what lines give, and what damage costs: the line it is in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording.h"

#define HEADER "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}\n"
#define POSE "{\"device\":\"a\",\"position\":[1,2,3],\"orientation\":[0,0,0,1],\"tracked\":true"
#define POSES(time) "{\"type\":\"poses\",\"time_ns\":" #time ",\"poses\":[" POSE "}]}\n"

typedef struct fixture {
    char path[64];
    char said[4096]; /* of damage: "LINE: MESSAGE\n" each */
    char error[600];
    recording *recording;
    recording_item item;
} fixture;

static void note_damage(void *context, uint64_t line_number, const char *message)
{
    fixture *f = context;
    size_t length = strlen(f->said);

    snprintf(f->said + length, sizeof f->said - length, "%llu: %s\n", (unsigned long long)line_number, message);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    int file;

    assert_non_null(f);
    strcpy(f->path, "/tmp/clashd-read-XXXXXX");
    file = mkstemp(f->path);
    assert_true(file >= 0);
    close(file);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    recording_close(f->recording);
    unlink(f->path);
    free(f);
    return 0;
}

static void write_file(fixture *f, const char *text, size_t length)
{
    FILE *file = fopen(f->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    recording_close(f->recording);
    f->said[0] = f->error[0] = '\0';
    f->recording = recording_open(f->path, note_damage, f, f->error, sizeof f->error);
}

static void open_text(fixture *f, const char *text)
{
    write_file(f, text, strlen(text));
    if (!f->recording)
        fail_msg("%s", f->error);
}

/** The file's items as letters: p poses, l tracking lost, s space changed, e event. */
static const char *kinds(fixture *f)
{
    static char letters[256];
    size_t count = 0;

    while (recording_next(f->recording, &f->item) != RECORDING_END) {
        assert_true(count < sizeof letters - 1);
        letters[count++] = "?plse"[f->item.kind];
    }
    letters[count] = '\0';
    return letters;
}

static void assert_counters(const fixture *f, uint64_t lines, uint64_t is_damaged, uint64_t unknown, uint64_t torn)
{
    const recording_counters *c = recording_get_counters(f->recording);

    assert_int_equal(c->lines, lines);
    assert_int_equal(c->damaged, is_damaged);
    assert_int_equal(c->unknown, unknown);
    assert_int_equal(c->torn, torn);
}

static void a_short_header_has_defaults(void **state)
{
    fixture *f = *state;
    const recording_header *h;

    open_text(f, HEADER);
    h = recording_get_header(f->recording);
    assert_int_equal(h->version, 1);
    assert_string_equal(h->space, "stage");
    assert_int_equal(h->epoch_monotonic_ns, 0);
    assert_int_equal(h->blade_count, 0);
    assert_false(h->has_settings);
    assert_true(h->settings.margin == 0.0f);
    assert_true(h->settings.release_margin == 0.005f);
    assert_true(h->settings.min_closing_speed == 0.0f);
    assert_true(h->settings.hold_rate_hz == 30.0f);
    assert_true(h->settings.max_gap_ms == 100.0f);
    assert_true(h->settings.require_tracked);
    assert_true(h->settings.full_intensity_speed == 10.0f);
    assert_string_equal(kinds(f), "");
    assert_counters(f, 1, 0, 0, 0);
}

/** What the encoder writes the reader reads, to the last bit. */
static void a_whole_header_comes_back(void **state)
{
    fixture *f = *state;
    const protocol_blade blades[] = {
        {"left", "/user/hand/left", {{0, 0.1f, -0.05f}, {0, 0, -1.1f}, 0.015f}, true, {0, -1, 0.3f}},
        {"\xc3\xa9p\xc3\xa9\x65 \"2\"", "/user/hand/right", {{0, 0, 0}, {0, 0, -1e-30f}, 0.0f}, false, {0, 0, 0}},
    };
    const protocol_contact_settings settings = {0.01f, 0.02f, 0.3f, 17.5f, 12.5f, 250.0f, false};
    const protocol_session session = {.version = "0.1.0",
                                      .session = "abcd",
                                      .space = "local",
                                      .epoch_monotonic_ns = INT64_C(9223372036854775807),
                                      .epoch_unix_ns = INT64_C(1700000000123456789),
                                      .blades = blades,
                                      .blade_count = 2};
    char line[4096];
    size_t length = protocol_encode_recording_header(line, sizeof line, &session, &settings);
    const recording_header *h;

    assert_true(length > 0);
    write_file(f, line, length);
    assert_non_null(f->recording);
    h = recording_get_header(f->recording);
    assert_string_equal(h->space, "local");
    assert_true(h->epoch_monotonic_ns == INT64_C(9223372036854775807));
    assert_true(h->epoch_unix_ns == INT64_C(1700000000123456789));
    assert_int_equal(h->blade_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(h->blades[i].name, blades[i].name);
        assert_string_equal(h->blades[i].device, blades[i].device);
        assert_memory_equal(&h->blades[i].shape, &blades[i].shape, sizeof blades[i].shape);
        assert_int_equal(h->blades[i].has_edge, blades[i].has_edge);
        assert_memory_equal(&h->blades[i].edge, &blades[i].edge, sizeof blades[i].edge);
    }
    assert_true(h->has_settings);
    assert_true(h->settings.margin == 0.01f && h->settings.release_margin == 0.02f);
    assert_true(h->settings.min_closing_speed == 0.3f && h->settings.hold_rate_hz == 17.5f);
    assert_true(h->settings.full_intensity_speed == 12.5f && h->settings.max_gap_ms == 250.0f);
    assert_false(h->settings.require_tracked);
}

#define LONG_NAME                                                                      \
    "\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1" \
    "\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1"
#define BLADE(name, number) \
    "{\"name\":\"" name "\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0," number "],\"radius\":0.1}"

static void a_wrong_header_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", ": is empty; expected a recording's header"},
        {"\n", ": line 1: "},
        {"torn", ": line 1: "},
        {"[]\n", ": line 1: expected a header, {\"type\":\"recording\",\"version\":1,..}"},
        {"7\n", "expected a header"},
        {POSES(1), ": line 1: expected a header"},
        {"{\"type\":\"recording\",\"version\":2,\"space\":\"stage\"}\n",
         "version 2 is newer than what is understood here, 1"},
        {"{\"type\":\"recording\",\"version\":1e300,\"space\":\"stage\"}\n",
         "is newer than what is understood here, 1"},
        {"{\"type\":\"recording\",\"version\":0,\"space\":\"stage\"}\n", "version: expected an integer of at least 1"},
        {"{\"type\":\"recording\",\"version\":0.5,\"space\":\"stage\"}\n", "version: expected an integer"},
        {"{\"type\":\"recording\",\"space\":\"stage\"}\n", "\"version\" is missing"},
        {"{\"type\":\"recording\",\"version\":1}\n", "\"space\" is missing"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"" LONG_NAME "\"}\n", "space: expected at most 31 bytes"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":\"soon\"}\n",
         "epoch_unix_ns: expected nanoseconds as decimal digits in a string, got \"soon\""},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":\"9223372036854775808\"}\n",
         "epoch_unix_ns: expected"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":5}\n", "epoch_unix_ns: expected"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"contact\":{\"margin\":-1}}\n",
         "contact.margin: expected a number"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" BLADE("a", "1") "," BLADE(
             "b", "1e39") "]}\n",
         "blades[1]: a number is out of range"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" BLADE(
             LONG_NAME LONG_NAME LONG_NAME LONG_NAME, "1") "]}\n",
         "at most 127 bytes"},
    };

    fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(f, cases[i][0], strlen(cases[i][0]));
        assert_null(f->recording);
        assert_memory_equal(f->error, f->path, strlen(f->path));
        if (!strstr(f->error, cases[i][1]))
            fail_msg("\"%s\" says nothing of \"%s\"", f->error, cases[i][1]);
    }
}

static void what_cannot_be_opened_is_named(void **state)
{
    char error[300];

    (void)state;
    assert_null(recording_open("/tmp/there/is/none", NULL, NULL, error, sizeof error));
    assert_string_equal(error, "/tmp/there/is/none: No such file or directory");
    assert_null(recording_open("/tmp", NULL, NULL, error, sizeof error));
    assert_string_equal(error, "/tmp: Is a directory");
}

static void every_kind_of_line_is_told_apart(void **state)
{
    fixture *f = *state;
    const recording_item *item = &f->item;

    open_text(f, HEADER "{\"type\":\"poses\",\"time_ns\":-5,\"poses\":[" POSE ",\"teleport\":true,\"battery\":1e300},"
                        "{\"device\":\"b\",\"position\":[0,0,0],\"orientation\":[0,0,0,0],\"tracked\":false,"
                        "\"valid\":false}]}\n"
                        "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":6,\"device\":\"b\",\"tracked\":false,"
                        "\"reason\":\"runtime_lost\"}\n"
                        "{\"type\":\"tracking\",\"seq\":2,\"time_ns\":7,\"device\":\"b\",\"tracked\":true,"
                        "\"reason\":\"ok\"}\n"
                        "{\"type\":\"space_changed\",\"seq\":3,\"time_ns\":8}\n");
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_int_equal(item->line_number, 2);
    assert_int_equal(item->time_ns, -5);
    assert_int_equal(item->pose_count, 2);
    assert_string_equal(item->poses[0].device, "a");
    assert_true(item->poses[0].tracked && item->poses[0].valid && item->poses[0].teleport);
    assert_true(item->poses[0].pose.position.x == 1 && item->poses[0].pose.position.z == 3);
    assert_true(item->poses[0].pose.orientation.w == 1 && item->poses[0].pose.orientation.x == 0);
    assert_false(item->poses[1].tracked || item->poses[1].valid || item->poses[1].teleport);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_TRACKING_LOST);
    assert_int_equal(item->time_ns, 6);
    assert_string_equal(item->device, "b");
    assert_int_equal(item->reason, CLASH_TRACKING_RUNTIME_LOST);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_EVENT);
    assert_string_equal(item->text, "{\"type\":\"tracking\",\"seq\":2,\"time_ns\":7,\"device\":\"b\",\"tracked\":true,"
                                    "\"reason\":\"ok\"}");
    assert_int_equal(item->text_length, strlen(item->text));
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_SPACE_CHANGED);
    assert_int_equal(item->time_ns, 8);
    assert_int_equal(item->line_number, 5);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    assert_counters(f, 5, 0, 0, 0);
    assert_string_equal(f->said, "");
}

/** Input that is odd but real: no rotation at all, times that repeat and run backwards. Judging it is the tracks' work. */
static void odd_input_is_delivered_as_it_stands(void **state)
{
    fixture *f = *state;

    open_text(f, HEADER "{\"type\":\"poses\",\"time_ns\":5,\"poses\":[{\"device\":\"a\",\"position\":[0,0,-0],"
                        "\"orientation\":[0,0,0,0],\"tracked\":true}]}\n" POSES(5)
                            POSES(4) "{\"type\":\"poses\",\"time_ns\":6,\"poses\":[]}\n");
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_true(f->item.poses[0].valid && f->item.poses[0].pose.orientation.w == 0);
    assert_true(signbit(f->item.poses[0].pose.position.z));
    assert_string_equal(kinds(f), "ppp");
    assert_int_equal(f->item.pose_count, 0);
    assert_counters(f, 5, 0, 0, 0);
}

static void a_damaged_line_costs_itself(void **state)
{
    static const char *const lines[][2] = {
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[", "not JSON"},
        {"not JSON", "not JSON"},
        {"[1]", "expected an object"},
        {"{}", "\"type\""},
        {"{\"type\":5}", "\"type\""},
        {"{\"type\":\"poses\",\"poses\":[]}", "\"time_ns\" is missing"},
        {"{\"type\":\"poses\",\"time_ns\":1.5,\"poses\":[]}", "time_ns: expected an integer"},
        {"{\"type\":\"poses\",\"time_ns\":1e300,\"poses\":[]}", "time_ns: expected an integer"},
        {"{\"type\":\"poses\",\"time_ns\":1,\"time_ns\":2,\"poses\":[]}", "twice"},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[" POSE "},{\"device\":\"a\",\"position\":[1,null,3],"
         "\"orientation\":[0,0,0,1],\"tracked\":true}]}",
         "poses[1].position[1]: expected a number, got null"},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"a\",\"position\":[NaN,2,3],"
         "\"orientation\":[0,0,0,1],\"tracked\":true}]}",
         "not JSON"},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"a\",\"position\":[1e39,2,3],"
         "\"orientation\":[0,0,0,1],\"tracked\":true}]}",
         "out of range"},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"a\",\"position\":[1e999,2,3],"
         "\"orientation\":[0,0,0,1],\"tracked\":true}]}",
         ""},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"" LONG_NAME LONG_NAME LONG_NAME LONG_NAME
         "\",\"position\":[1,2,3],\"orientation\":[0,0,0,1],\"tracked\":true}]}",
         "127 bytes"},
        {"{\"type\":\"tracking\",\"seq\":1,\"time_ns\":6,\"device\":\"b\",\"tracked\":false,\"reason\":\"tired\"}",
         "reason: expected one of"},
        {"{\"type\":\"clash\",\"seq\":1,\"time_ns\":1e300}", ""},
        {"{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"\xff\"}]}", "UTF-8"},
    };
    fixture *f = *state;
    char text[2048];

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        snprintf(text, sizeof text, HEADER POSES(1) "%s\n" POSES(2), lines[i][0]);
        open_text(f, text);
        assert_string_equal(kinds(f), "pp");
        assert_counters(f, 4, 1, 0, 0);
        assert_memory_equal(f->said, "3: ", 3);
        assert_string_equal(strchr(f->said, '\n'), "\n"); /* once */
        if (!strstr(f->said, lines[i][1]))
            fail_msg("\"%s\" says nothing of \"%s\"", f->said, lines[i][1]);
    }
}

static void unknown_types_and_fields_and_empty_lines_are_no_damage(void **state)
{
    fixture *f = *state;

    open_text(f, HEADER "{\"type\":\"weather\",\"rain\":true}\r\n\n\r\n" HEADER POSES(
                     1) "{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":1,\"by\":{\"by\":1}}\n");
    assert_string_equal(kinds(f), "ps");
    assert_counters(f, 7, 0, 2, 0);
    assert_string_equal(f->said, "");
}

static void the_last_line_may_be_torn_or_only_lack_its_newline(void **state)
{
    fixture *f = *state;
    const char whole[] = HEADER POSES(1) POSES(2);

    /* Cut anywhere within the last line. */
    for (size_t length = strlen(HEADER POSES(1)); length < sizeof whole - 1; length++) {
        bool at_start = length == strlen(HEADER POSES(1)), complete = length == sizeof whole - 2;

        write_file(f, whole, length);
        assert_non_null(f->recording);
        assert_string_equal(kinds(f), complete ? "pp" : "p");
        assert_counters(f, at_start ? 2 : 3, 0, 0, at_start || complete ? 0 : 1);
        assert_int_equal(f->said[0] == '3', !at_start && !complete);
    }
    open_text(f, "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}");
    assert_string_equal(kinds(f), "");
}

/** A line without end must neither be held in memory nor cost what follows it. */
static void a_line_too_long_is_damage_of_one_line(void **state)
{
    enum { LONG = 3 * 1024 * 1024 };
    fixture *f = *state;
    char *text = malloc(LONG + 1000);
    size_t length;

    assert_non_null(text);
    for (size_t size = PROTOCOL_LINE_MAX - 1; size <= LONG; size = size < PROTOCOL_LINE_MAX ? size + 1 : size * 7) {
        int start = snprintf(text, 1000, HEADER POSES(1) "{\"type\":\"w\",\"x\":\"");
        size_t line_start = strlen(HEADER POSES(1));

        length = line_start + size;
        memset(text + start, 'x', length - (size_t)start);
        memcpy(text + length - 2, "\"}", 2);
        length += (size_t)snprintf(text + length, 1000, "\n" POSES(2));
        write_file(f, text, length);
        assert_string_equal(kinds(f), "pp");
        assert_int_equal(f->item.line_number, 4);
        if (size == PROTOCOL_LINE_MAX - 1) {
            assert_counters(f, 4, 0, 1, 0);
        } else {
            assert_counters(f, 4, 1, 0, 0);
            assert_string_equal(f->said, "3: the line is longer than 64 KiB\n");
        }
    }
    memset(text, 'x', LONG);
    memcpy(text, HEADER, strlen(HEADER));
    write_file(f, text, LONG);
    assert_string_equal(kinds(f), "");
    assert_counters(f, 2, 1, 0, 0);
    write_file(f, text + strlen(HEADER), LONG - strlen(HEADER));
    assert_null(f->recording);
    assert_non_null(strstr(f->error, "line 1: is longer than 64 KiB"));
    free(text);
}

static void every_prefix_of_lines_survives(void **state)
{
    fixture *f = *state;
    char *text = malloc(400000);
    size_t length = strlen(HEADER), count = 0;

    assert_non_null(text);
    memcpy(text, HEADER, length);
    /* Lines of growing length, so that their ends fall everywhere in the reader's buffer. */
    for (size_t padding = 0; padding < 900; padding++, count++)
        length +=
            (size_t)snprintf(text + length, 2000, "{\"type\":\"poses\",\"time_ns\":%zu,\"poses\":[],\"x\":\"%*s\"}\n",
                             padding, (int)(padding % 601), "");
    write_file(f, text, length);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
        assert_int_equal(f->item.time_ns, (int64_t)i);
        assert_int_equal(f->item.line_number, i + 2);
        assert_int_equal(f->item.text[f->item.text_length], 0);
    }
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    free(text);
}

static void it_can_be_read_again(void **state)
{
    fixture *f = *state;

    open_text(f, HEADER POSES(1) "damage\n" POSES(2) "torn");
    for (int pass = 0; pass < 3; pass++) {
        assert_string_equal(kinds(f), "pp");
        assert_counters(f, 5, 1, 0, 1);
        assert_int_equal(recording_rewind(f->recording), 0);
        assert_counters(f, 1, 0, 0, 0);
    }
    /* from the middle, too */
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_int_equal(recording_rewind(f->recording), 0);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_int_equal(f->item.time_ns, 1);
    assert_int_equal(f->item.line_number, 2);
}

static void what_cannot_be_rewound_says_so(void **state)
{
    fixture *f = *state;
    char path[32];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], HEADER POSES(1), strlen(HEADER POSES(1))), (ssize_t)strlen(HEADER POSES(1)));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    f->recording = recording_open(path, note_damage, f, f->error, sizeof f->error);
    close(ends[0]);
    assert_non_null(f->recording);
    assert_string_equal(kinds(f), "p");
    assert_int_equal(recording_rewind(f->recording), -1);
}

/** The human swings: nothing in them is damage. */
static void human_swings_are_whole(void **state)
{
    fixture *f = *state;
    uint64_t count = 0;

    f->recording = recording_open(TEST_DATA "/duel-20s.jsonl", note_damage, f, f->error, sizeof f->error);
    assert_non_null(f->recording);
    while (recording_next(f->recording, &f->item) == RECORDING_POSES) {
        assert_int_equal(f->item.pose_count, 2);
        count++;
    }
    assert_int_equal(f->item.kind, RECORDING_END);
    assert_int_equal(count, 1801);
    assert_string_equal(f->said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_short_header_has_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(a_whole_header_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_header_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_opened_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(every_kind_of_line_is_told_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_input_is_delivered_as_it_stands, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_line_costs_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_types_and_fields_and_empty_lines_are_no_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_line_may_be_torn_or_only_lack_its_newline, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_too_long_is_damage_of_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(every_prefix_of_lines_survives, setup, teardown),
        cmocka_unit_test_setup_teardown(it_can_be_read_again, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_rewound_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(human_swings_are_whole, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

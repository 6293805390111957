/* The lines of a recording: what each kind gives, and what damage costs: the line it is in. */
#include "support/fresh.h"
#include "support/recording_file.h"

static void every_kind_of_line_is_told_apart(void **state)
{
    recording_file *f = *state;
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
    recording_file *f = *state;

    open_text(f, HEADER "{\"type\":\"poses\",\"time_ns\":5,\"poses\":[{\"device\":\"a\",\"position\":[0,0,-0],"
                        "\"orientation\":[0,0,0,0],\"tracked\":true}]}\n" POSES(5)
                            POSES(4) "{\"type\":\"poses\",\"time_ns\":6,\"poses\":[],\"more\":true}\n");
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_true(f->item.poses[0].valid && f->item.poses[0].pose.orientation.w == 0);
    assert_true(signbit(f->item.poses[0].pose.position.z));
    assert_false(f->item.more);
    assert_string_equal(kinds(f), "ppp");
    assert_int_equal(f->item.pose_count, 0);
    assert_true(f->item.more);
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
    recording_file *f = *state;
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
    recording_file *f = *state;

    open_text(f, HEADER "{\"type\":\"weather\",\"rain\":true}\r\n\n\r\n" HEADER POSES(
                     1) "{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":1,\"by\":{\"by\":1}}\n");
    assert_string_equal(kinds(f), "ps");
    assert_counters(f, 7, 0, 2, 0);
    assert_string_equal(f->said, "");
}

static void the_last_line_may_be_torn_or_only_lack_its_newline(void **state)
{
    recording_file *f = *state;
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
    recording_file *f = *state;
    char *text = malloc(LONG + 1000);
    size_t length;

    assert_non_null(text);
    for (size_t size = PROTOCOL_LINE_MAX - 1; size <= LONG; size = size < PROTOCOL_LINE_MAX ? size + 1 : size * 7) {
        int start = snprintf(text, 1000, HEADER POSES(1) "{\"type\":\"w\",\"x\":\"");
        size_t line_start = strlen(HEADER POSES(1));

        length = line_start + size;
        memset(text + start, 'x', length - 2 - (size_t)start);
        length += (size_t)snprintf(text + length - 2, 1000, "\"}\n" POSES(2)) - 2;
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
    length = (size_t)snprintf(text, 1000, HEADER);
    memset(text + length, 'x', LONG - length);
    write_file(f, text, LONG);
    assert_string_equal(kinds(f), "");
    assert_counters(f, 2, 1, 0, 0);
    write_file(f, text + strlen(HEADER), LONG - strlen(HEADER));
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "line 1: is longer than 64 KiB"));
    free(text);
}

static void every_prefix_of_lines_survives(void **state)
{
    recording_file *f = *state;
    char *text = malloc(400000);
    size_t length, count = 0;

    assert_non_null(text);
    length = (size_t)snprintf(text, 1000, HEADER);
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
    recording_file *f = *state;

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
    recording_file *f = *state;
    char path[32];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], HEADER POSES(1), strlen(HEADER POSES(1))), (ssize_t)strlen(HEADER POSES(1)));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    f->recording = recording_open(path, note_damage, f, fresh(&f->error));
    close(ends[0]);
    assert_non_null(f->recording);
    assert_string_equal(kinds(f), "p");
    assert_int_equal(recording_rewind(f->recording), -1);
}

/* The times of all poses, read or skimmed. */
static const char *times(recording_file *f, bool is_skimmed)
{
    static char text[512];
    size_t length = 0;

    text[0] = '\0';
    while ((is_skimmed ? recording_skim : recording_next)(f->recording, &f->item) == RECORDING_POSES)
        length += (size_t)snprintf(text + length, sizeof text - length, "%lld ", (long long)f->item.time_ns);
    assert_int_equal(f->item.kind, RECORDING_END);
    return text;
}

/** Poses of a time far ahead would make all that follow late, for as long as that is. */
static void a_time_far_ahead_is_damage(void **state)
{
    static const struct {
        const char *text, *times;
        unsigned damaged;
    } files[] = {
        {POSES(1) POSES(2) POSES(900000000000000) POSES(3), "1 2 3 ", 1},
        {POSES(900000000000000) POSES(1) POSES(2), "1 2 ", 1},
        {POSES(1) POSES(8000000000) POSES(9000000000) POSES(7000000000) POSES(2) POSES(3), "1 2 3 ", 3},
        {POSES(1) POSES(6000000000) "{}\n" POSES(2) POSES(3), "1 2 3 ", 2},
        /* A gap, a file that ends, and what begins anew are none. */
        {POSES(1) POSES(900000000000000) POSES(900000000000001), "1 900000000000000 900000000000001 ", 0},
        {POSES(1) POSES(900000000000000), "1 900000000000000 ", 0},
        {POSES(7) POSES(900000000000000) POSES(1) POSES(2), "7 900000000000000 1 2 ", 0},
        {POSES(5000000000) POSES(1), "5000000000 1 ", 0},
    };
    recording_file *f = *state;
    char text[2048];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(text, sizeof text, HEADER "%s", files[i].text);
        open_text(f, text);
        assert_string_equal(times(f, false), files[i].times);
        assert_int_equal(recording_get_counters(f->recording)->damaged, files[i].damaged);
        assert_int_equal(strstr(f->said, "ahead of the poses before") != NULL, files[i].damaged > 0);
        assert_int_equal(recording_rewind(f->recording), 0);
        assert_string_equal(times(f, true), files[i].times);
        assert_int_equal(recording_rewind(f->recording), 0);
        assert_string_equal(times(f, false), files[i].times);
        assert_int_equal(recording_get_counters(f->recording)->damaged, files[i].damaged);
    }
}

/** As with poses that are pushed: what does not say it is tracked, and a number that no float holds costs one pose. */
static void poses_are_read_as_pushed_ones_are(void **state)
{
    recording_file *f = *state;

    open_text(f, HEADER "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"a\",\"position\":[1e39,2,3],"
                        "\"orientation\":[0,0,0,1]}," POSE "}]}\n");
    assert_string_equal(kinds(f), "p");
    assert_int_equal(f->item.pose_count, 2);
    assert_true(f->item.poses[0].tracked && f->item.poses[0].pose.position.x > 1e38f);
    assert_counters(f, 2, 0, 0, 0);
}

/** The human swings: nothing in them is damage. */
static void human_swings_are_whole(void **state)
{
    recording_file *f = *state;
    uint64_t count = 0;

    f->recording = recording_open(TEST_DATA "/duel-20s.jsonl", note_damage, f, fresh(&f->error));
    assert_non_null(f->recording);
    while (recording_next(f->recording, &f->item) == RECORDING_POSES) {
        assert_int_equal(f->item.pose_count, 2);
        count++;
    }
    assert_int_equal(f->item.kind, RECORDING_END);
    assert_int_equal(count, 1801);
    assert_string_equal(f->said, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, recording_file_setup, recording_file_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_line_is_told_apart),
        TEST(odd_input_is_delivered_as_it_stands),
        TEST(a_damaged_line_costs_itself),
        TEST(unknown_types_and_fields_and_empty_lines_are_no_damage),
        TEST(the_last_line_may_be_torn_or_only_lack_its_newline),
        TEST(a_line_too_long_is_damage_of_one_line),
        TEST(every_prefix_of_lines_survives),
        TEST(it_can_be_read_again),
        TEST(what_cannot_be_rewound_says_so),
        TEST(a_time_far_ahead_is_damage),
        TEST(poses_are_read_as_pushed_ones_are),
        TEST(human_swings_are_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

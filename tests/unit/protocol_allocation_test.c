/* Memory runs out while something is read: it is said, by the name of the file where there is one, and nothing that was
 * read is taken for something else. Names that are short enough in characters, and too long in bytes, are refused likewise. */
#include "support/allocations.h"
#include "support/fresh.h"
#include "support/recording_file.h"

#include "protocol/messages/codec.h"
#include "protocol/recording/bsor.h"

#include <zstd.h>

#define TOO_LONG_NAME LONG_NAME LONG_NAME /* 64 bytes of 16 characters: 63 is the most */
#define TOO_LONG_DEVICE LONG_NAME LONG_NAME LONG_NAME LONG_NAME LONG_NAME /* 160 of 40: 127 is the most */

static void write_bytes(const recording_file *f, const void *bytes, size_t length)
{
    FILE *file = fopen(f->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* With `left` allocations: how many lines of poses it gives, or -1 where it does not open. */
static int read_with(recording_file *f, unsigned long left)
{
    int lines = 0;

    f->error.text[0] = f->said[0] = '\0';
    allocations_left = left;
    f->recording = recording_open(f->path, note_damage, f, fresh(&f->error));
    if (f->recording)
        while (recording_next(f->recording, &f->item) == RECORDING_POSES)
            lines++;
    allocations_left = -1ul;
    if (!f->recording)
        return -1;
    recording_close(f->recording);
    f->recording = NULL;
    return lines;
}

static void assert_whole_or_said(recording_file *f)
{
    int lines = -1;

    for (unsigned long left = 0; lines != 2; left++) {
        assert_true(left < 100);
        lines = read_with(f, left);
        assert_int_not_equal(lines, 1);
        if (lines >= 0)
            continue;
        if (!strstr(f->error.text, f->path) ||
            !(strstr(f->error.text, "memory") || strstr(f->error.text, "Cannot allocate")))
            fail_msg("\"%s\" does not name the file and want of memory", f->error.text);
    }
    assert_string_equal(f->said, "");
}

static void a_recording_is_read_whole_or_it_is_said(void **state)
{
    static const char text[] = HEADER POSES(1) POSES(2);
    recording_file *f = *state;
    char packed[4096];
    size_t length = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);

    assert_false(ZSTD_isError(length));
    write_bytes(f, text, strlen(text));
    assert_whole_or_said(f);
    write_bytes(f, packed, length);
    assert_whole_or_said(f);
}

static void a_replay_without_memory_is_said(void **state)
{
    recording_file *f = *state;

    allocations_left = 0;
    assert_null(bsor_open(f->path, fresh(&f->error)));
    allocations_left = -1ul;
    assert_non_null(strstr(f->error.text, f->path));
    assert_non_null(strstr(f->error.text, "out of memory"));
}

#define BLADE_FIELDS "\"base\":[0,0,0],\"tip\":[0,0,-1],\"radius\":0.1"
#define POSE_FIELDS "\"position\":[0,0,0],\"orientation\":[0,0,0,1]"

static void names_are_measured_in_bytes_of_requests(void **state)
{
    static const struct {
        const char *line, *said;
    } rows[] = {
        {"{\"type\":\"blade\",\"name\":\"" TOO_LONG_NAME "\",\"device\":\"a\"," BLADE_FIELDS "}",
         "name: expected at most 63 bytes"},
        {"{\"type\":\"blade\",\"name\":\"a\",\"device\":\"" TOO_LONG_DEVICE "\"," BLADE_FIELDS "}",
         "device: expected at most 127 bytes"},
        {"{\"type\":\"poses\",\"poses\":[{\"device\":\"" TOO_LONG_DEVICE "\"," POSE_FIELDS "}]}",
         "poses: device: expected at most 127 bytes"},
        {"{\"type\":\"target\",\"name\":\"" TOO_LONG_NAME "\",\"sphere\":{\"center\":[0,0,0],\"radius\":1}}",
         "name: expected at most 63 bytes"},
        {"{\"type\":\"remove\",\"name\":\"" TOO_LONG_NAME "\"}", "63 bytes"},
    };
    static protocol_request request;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        protocol_error error = {0};

        assert_int_equal(protocol_parse_request(rows[i].line, strlen(rows[i].line), &request, &error), -1);
        assert_int_equal(error.code, PROTOCOL_ERROR_BAD_MESSAGE);
        if (!strstr(error.message, rows[i].said))
            fail_msg("\"%s\" does not say \"%s\"", error.message, rows[i].said);
    }
}

static void names_are_measured_in_bytes_of_recordings(void **state)
{
    static const char *const lines[] = {
        "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":1,\"device\":\"" TOO_LONG_DEVICE
        "\",\"tracked\":false,\"reason\":\"lost\"}\n",
        "{\"type\":\"blade\",\"time_ns\":1,\"name\":\"" TOO_LONG_NAME "\",\"device\":\"a\"," BLADE_FIELDS "}\n",
        "{\"type\":\"remove\",\"time_ns\":1,\"blade\":\"" TOO_LONG_NAME "\"}\n",
        "{\"type\":\"remove\",\"time_ns\":1,\"target\":\"" TOO_LONG_NAME "\"}\n",
        "{\"type\":\"remove\",\"time_ns\":1,\"device\":\"" TOO_LONG_DEVICE "\"}\n",
    };
    recording_file *f = *state;
    char text[2048];

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        snprintf(text, sizeof text, HEADER POSES(1) "%s" POSES(2), lines[i]);
        open_text(f, text);
        assert_string_equal(kinds(f), "pp"); /* and nothing else is lost */
        assert_counters(f, 4, 1, 0, 0);
        assert_memory_equal(f->said, "3: ", 3);
        if (!strstr(f->said, "bytes") && !strstr(f->said, "too long"))
            fail_msg("%s", f->said);
    }
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, recording_file_setup, recording_file_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_recording_is_read_whole_or_it_is_said),
        WITH_FILE(a_replay_without_memory_is_said),
        cmocka_unit_test(names_are_measured_in_bytes_of_requests),
        WITH_FILE(names_are_measured_in_bytes_of_recordings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Recordings that hold nothing for longer than anybody would wait, or that come from where nothing ends: the reader ends
 * with an error that names file and limit, in memory that does not grow, and whoever has no time is asked back in between. */
#include "support/fresh.h"
#include "support/recording_file.h"

#include <sys/stat.h>
#include <zstd.h>

#define MIB (1u << 20)

typedef struct packed {
    char *bytes;
    size_t length;
} packed;

static void add_bytes(packed *p, const char *bytes, size_t length)
{
    p->bytes = realloc(p->bytes, p->length + length + 1);
    assert_non_null(p->bytes);
    memcpy(p->bytes + p->length, bytes, length);
    p->length += length;
}

/* A frame that holds `head`, and then `pattern` until it is so long. */
static void add_bomb(packed *p, const char *head, const char *pattern, size_t pattern_length, uint64_t length)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char *block = malloc(MIB), out_bytes[65536];
    const size_t room = MIB - MIB % pattern_length;
    ZSTD_inBuffer in = {head, strlen(head), 0};
    bool is_last;

    assert_true(context && block);
    for (size_t i = 0; i < room; i += pattern_length)
        memcpy(block + i, pattern, pattern_length);
    for (uint64_t done = 0;; done += in.size, in = (ZSTD_inBuffer){block, room, 0}) {
        is_last = done >= length;
        for (size_t left = 1; left > 0 && (in.pos < in.size || is_last);) {
            ZSTD_outBuffer out = {out_bytes, sizeof out_bytes, 0};

            left = ZSTD_compressStream2(context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
            assert_false(ZSTD_isError(left));
            add_bytes(p, out_bytes, out.pos);
            left = is_last ? left : 1;
        }
        if (is_last)
            break;
    }
    ZSTD_freeCCtx(context);
    free(block);
}

static void open_packed(recording_file *f, const packed *p)
{
    write_file(f, p->bytes, p->length);
    if (!f->recording)
        fail_msg("%s", f->error.text);
}

/* The items up to the end, which has to be an error behind that line. */
static size_t assert_unreadable(recording_file *f, uint64_t line)
{
    char expected[200];
    size_t count = 0;

    while (recording_next(f->recording, &f->item) != RECORDING_END)
        count++;
    snprintf(expected, sizeof expected, "%s: behind line %llu: no line of a recording in 67108864 bytes", f->path,
             (unsigned long long)line);
    assert_non_null(recording_get_error(f->recording));
    if (!strstr(recording_get_error(f->recording), expected))
        fail_msg("%s is not %s", recording_get_error(f->recording), expected);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    return count;
}

/* Far more than is read of it. */
static void nothing_for_gigabytes_is_the_end(void **state)
{
    static const struct {
        const char *pattern;
        size_t length;
        uint64_t lines; /* in so many bytes as are read */
    } kinds[] = {{"\0", 1, 1},
                 {"x", 1, 1},
                 {"\n", 1, (64 * MIB) / 129 + 1},
                 {"{bad\n", 5, (64 * MIB) / 133 + 1},
                 {"{\"type\":\"poses\"}\n", 17, (64 * MIB) / 145 + 1}};
    recording_file *f = *state;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        packed p = {0};

        add_bomb(&p, HEADER POSES(1), kinds[i].pattern, kinds[i].length, UINT64_C(100) * MIB);
        assert_true(p.length < 100000);
        open_packed(f, &p);
        assert_int_equal(assert_unreadable(f, 2 + kinds[i].lines), 1);
        assert_int_equal(recording_rewind(f->recording), 0); /* and all of it again */
        assert_null(recording_get_error(f->recording));
        assert_int_equal(assert_unreadable(f, 2 + kinds[i].lines), 1);
        free(p.bytes);
    }
}

/* What is there, however much, is no bomb. */
static void what_a_recording_may_hold_is_not_counted(void **state)
{
    recording_file *f = *state;
    packed p = {0};
    size_t count = 0;

    add_bomb(&p, HEADER, POSES(1), sizeof POSES(1) - 1, UINT64_C(100) * MIB);
    open_packed(f, &p);
    while (recording_skim(f->recording, &f->item) != RECORDING_END)
        count++;
    assert_null(recording_get_error(f->recording));
    assert_true(count > 500000);
    free(p.bytes);
    p = (packed){0};
    add_bomb(&p, HEADER, "{\"type\":\"of a later version\"}\n", 30, UINT64_C(100) * MIB);
    open_packed(f, &p);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    assert_null(recording_get_error(f->recording));
    free(p.bytes);
}

/* Compressed data without an end that gives nothing: empty frames, frames to be skipped, and noise with frames' beginnings. */
static void frames_of_nothing_are_the_end(void **state)
{
    recording_file *f = *state;
    const size_t size = (size_t)80 * MIB;
    char *rest = malloc(size);

    assert_non_null(rest);
    for (int kind = 0; kind < 3; kind++) {
        static const char empty[] = "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00",
                          skipped[] = "\x50\x2a\x4d\x18\xf8\xff\x4f\0";
        packed p = {0};

        for (size_t i = 0; kind == 0 && i + 9 <= size; i += 9)
            /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, no text */
            memcpy(rest + i, empty, 9);
        if (kind == 1) { /* one of 5 MB after the other */
            memset(rest, 0, size);
            for (size_t i = 0; i + 5242880 <= size; i += 5242880)
                /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, no text */
                memcpy(rest + i, skipped, 8);
        }
        for (size_t i = 0; kind == 2 && i < size; i += 8)
            /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, no text */
            memcpy(rest + i, "\x28\xb5\x2f\xfd\xff\xff\xff\xff", 8);
        add_bomb(&p, HEADER POSES(1), "\n", 1, 0);
        add_bytes(&p, rest, size - size % 9);
        open_packed(f, &p);
        assert_int_equal(assert_unreadable(f, 2), 1);
        free(p.bytes);
    }
    free(rest);
}

static void what_begins_with_nothing_is_refused_at_once(void **state)
{
    recording_file *f = *state;
    packed p = {0};

    assert_null(recording_open("/dev/zero", NULL, NULL, fresh(&f->error)));
    assert_non_null(strstr(f->error.text, "/dev/zero: line 1: is longer than 64 KiB; expected a header"));
    add_bomb(&p, "", "\0", 1, UINT64_C(100) * MIB);
    write_file(f, p.bytes, p.length);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "line 1: is longer than 64 KiB; expected a header"));
    p.length = 0;
    add_bomb(&p, "", "\n", 1, UINT64_C(100) * MIB);
    write_file(f, p.bytes, p.length);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "no line of a recording in 67108864 bytes"));
    free(p.bytes);
}

/* With patience for so much, it is asked back again and again, and gets the same. */
static void who_has_no_time_is_not_kept(void **state)
{
    static const struct {
        const char *pattern;
        size_t length;
    } kinds[] = {{"\0", 1}, {"\n", 1}, {"{bad\n", 5}};
    recording_file *f = *state;

    for (size_t i = 0; i < 3; i++) {
        recording_item_kind kind;
        uint64_t later = 0, read_bytes, total, before = 0;
        packed p = {0};

        add_bomb(&p, HEADER POSES(1), kinds[i].pattern, kinds[i].length, UINT64_C(100) * MIB);
        open_packed(f, &p);
        recording_set_budget(f->recording, MIB);
        assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
        while ((kind = recording_next(f->recording, &f->item)) == RECORDING_LATER) {
            recording_get_extent(f->recording, &read_bytes, &total);
            assert_true(read_bytes >= before);
            before = read_bytes;
            later++;
        }
        assert_int_equal(kind, RECORDING_END);
        assert_non_null(recording_get_error(f->recording));
        assert_true(later >= 20 && later <= 70); /* 64 MiB by one each, or more where lines are short */
        free(p.bytes);
    }
}

/* On the way to a place behind so much in one frame too, whose lines are not looked at. */
static void the_way_to_a_place_is_long(void **state)
{
    recording_file *f = *state;
    recording_place last = {0};
    recording_item_kind kind;
    uint64_t later = 0;
    packed p = {0};

    add_bomb(&p, HEADER, POSES(1), sizeof POSES(1) - 1, UINT64_C(120) * MIB);
    open_packed(f, &p);
    for (;;) {
        recording_place place;

        recording_get_place(f->recording, &place);
        if (recording_skim(f->recording, &f->item) == RECORDING_END)
            break;
        last = place;
    }
    recording_set_budget(f->recording, MIB);
    assert_int_equal(recording_go(f->recording, &last), 0);
    while ((kind = recording_next(f->recording, &f->item)) == RECORDING_LATER)
        later++;
    assert_int_equal(kind, RECORDING_POSES);
    assert_true(later > 100);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_END);
    assert_null(recording_get_error(f->recording));
    free(p.bytes);
}

/* Frames that refer back further than 128 MiB would take as much memory: the message says what is allowed. */
static void a_window_has_a_limit(void **state)
{
    recording_file *f = *state;
    /* no size, a window of 256 MiB, an RLE block of 10 'x' that is the last */
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\x90\x53\0\0x";
    packed p = {0};

    write_file(f, frame, sizeof frame - 1);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "a window of more than 128 MiB"));
    add_bomb(&p, HEADER POSES(1), "\n", 1, 0);
    add_bytes(&p, frame, sizeof frame - 1);
    add_bomb(&p, POSES(2), "\n", 1, 0);
    open_packed(f, &p);
    assert_string_equal(kinds(f), "pp");
    assert_non_null(strstr(f->said, "a window of more than 128 MiB"));
    assert_int_equal(recording_get_counters(f->recording)->damaged, 1);
    free(p.bytes);
}

static void a_pipe_is_no_file(void **state)
{
    recording_file *f = *state;

    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_null(recording_open_file(f->path, NULL, NULL, fresh(&f->error))); /* at once: nobody writes it */
    assert_non_null(strstr(f->error.text, f->path));
    assert_non_null(strstr(f->error.text, "is no regular file"));
    for (const char *path = "/dev/zero\0/dev/null\0/tmp\0"; *path; path += strlen(path) + 1) {
        assert_null(recording_open_file(path, NULL, NULL, fresh(&f->error)));
        assert_non_null(strstr(f->error.text, "is no regular file"));
    }
}

/* A file that becomes shorter while it is read ends there; one that grows is read as far as it has grown. */
static void a_file_that_changes_its_length(void **state)
{
    recording_file *f = *state;
    packed p = {0};
    size_t count = 0;

    add_bytes(&p, HEADER, strlen(HEADER));
    for (int i = 0; i < 20000; i++)
        add_bytes(&p, POSES(1), sizeof POSES(1) - 1);
    open_packed(f, &p);
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
    assert_int_equal(truncate(f->path, 1000), 0);
    while (recording_next(f->recording, &f->item) != RECORDING_END)
        count++;
    assert_true(count > 1000 && count < 20000);
    assert_null(recording_get_error(f->recording));
    open_packed(f, &p);
    FILE *file = fopen(f->path, "a");
    assert_true(file && fwrite(POSES(2), 1, sizeof POSES(2) - 1, file) > 0 && fclose(file) == 0);
    for (count = 0; recording_next(f->recording, &f->item) != RECORDING_END;)
        count++;
    assert_int_equal(count, 20001);
    free(p.bytes);
}

/* The end of one that is small and holds more than anybody waits for is not looked for. */
static void the_end_is_not_found_at_any_price(void **state)
{
    recording_file *f = *state;
    int64_t end_ns;
    packed p = {0};

    add_bomb(&p, HEADER, POSES(1), sizeof POSES(1) - 1, UINT64_C(64) * MIB);
    write_file(f, p.bytes, p.length);
    assert_false(recording_find_end(f->path, &end_ns));
    p.length = 0;
    add_bomb(&p, HEADER, POSES(1), sizeof POSES(1) - 1, UINT64_C(16) * MIB);
    write_file(f, p.bytes, p.length);
    assert_true(recording_find_end(f->path, &end_ns));
    assert_int_equal(end_ns, 1);
    free(p.bytes);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, recording_file_setup, recording_file_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(nothing_for_gigabytes_is_the_end),
        WITH_FILE(what_a_recording_may_hold_is_not_counted),
        WITH_FILE(frames_of_nothing_are_the_end),
        WITH_FILE(what_begins_with_nothing_is_refused_at_once),
        WITH_FILE(who_has_no_time_is_not_kept),
        WITH_FILE(the_way_to_a_place_is_long),
        WITH_FILE(a_window_has_a_limit),
        WITH_FILE(a_pipe_is_no_file),
        WITH_FILE(a_file_that_changes_its_length),
        WITH_FILE(the_end_is_not_found_at_any_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

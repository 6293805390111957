/* Beat Saber replays as a C program sees them: the frames of tests/support/bsor.py's examples, and what is said of files
 * that are cut short or lie. tests/e2e/bsor_test.py holds the examples against their writer. */
#include "support/fresh.h"
#include "support/temporary.h"

#include "protocol/recording/bsor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EXAMPLE_MAX 4096
/* Of the example `whole`: what is optional begins behind the pauses. */
#define WHOLE_OPTIONAL 80

typedef struct example {
    char path[64];
    unsigned char bytes[EXAMPLE_MAX];
    size_t size;
    failure error;
} example;

static void load(example *e, const char *name)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, TEST_DATA "/../fuzz/corpus/bsor/%s", name);
    file = fopen(path, "rb");
    assert_non_null(file);
    e->size = fread(e->bytes, 1, sizeof e->bytes, file);
    fclose(file);
    assert_true(e->size > 100 && e->size < sizeof e->bytes);
}

/* The first `size` bytes as a file. */
static bsor *open_bytes(example *e, size_t size)
{
    FILE *file = fopen(e->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(e->bytes, 1, size, file), size);
    fclose(file);
    return bsor_open(e->path, fresh(&e->error));
}

static void refused(example *e, size_t size, const char *part)
{
    assert_null(open_bytes(e, size));
    if (!strstr(e->error.text, part) || !strstr(e->error.text, e->path))
        fail_msg("expected \"%s\" in: %s", part, e->error.text);
}

static size_t find(const example *e, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= e->size; i++)
        if (memcmp(e->bytes + i, text, strlen(text)) == 0)
            return i;
    fail_msg("no %s", text);
    return 0;
}

static bsor_frame next(example *e, bsor *b)
{
    bsor_frame frame;

    if (bsor_next(b, &frame, fresh(&e->error)) != BSOR_FRAME)
        fail_msg("%s", e->error.text);
    return frame;
}

static void finish(example *e, bsor *b)
{
    bsor_frame frame;

    assert_int_equal(bsor_next(b, &frame, fresh(&e->error)), BSOR_END);
    bsor_close(b);
}

static void frames_are_in_our_axes(void **state)
{
    example *e = *state;
    const float half = sqrtf(0.5f);

    load(e, "whole");
    bsor *b = open_bytes(e, e->size);
    assert_non_null(b);
    assert_int_equal(bsor_get_counters(b)->frames, 8);
    for (int i = 0; i < 8; i++) {
        bsor_frame frame = next(e, b);

        assert_int_equal(frame.time_ns, 15625000 * i);
        assert_true(frame.poses[BSOR_HEAD].position.y == 1.7f);
        assert_true(frame.poses[BSOR_LEFT].position.x == -0.5f + (float)i / 8.0f);
        assert_true(frame.poses[BSOR_LEFT].position.z == -0.25f); /* Unity's z goes forward, ours back */
        assert_true(frame.poses[BSOR_RIGHT].position.z == -0.75f);
        /* Unity turns it by 90 degrees to the left, seen from above; so it is here, with another sign. */
        assert_true(fabsf(frame.poses[BSOR_RIGHT].orientation.y - half) < 1e-6f);
        assert_int_equal(frame.is_resumed, i == 5); /* the pause is at the fourth frame's time */
    }
    finish(e, b);
}

static void song_time_is_brought_to_the_clock(void **state)
{
    static const struct {
        const char *name;
        double speed;
    } cases[] = {{"whole", 1.0}, {"fast", 1.2}, {"practice", 0.5}};
    example *e = *state;

    for (size_t i = 0; i < 3; i++) {
        load(e, cases[i].name);
        bsor *b = open_bytes(e, e->size);
        assert_non_null(b);
        assert_true(bsor_get_song_speed(b) == cases[i].speed);
        next(e, b);
        assert_int_equal(next(e, b).time_ns, llround(1e9 / 64.0 / cases[i].speed));
        bsor_close(b);
    }
}

static void odd_frames_are_counted(void **state)
{
    static const int64_t times_ms[] = {0, 0, 500, 750, 1000};
    example *e = *state;
    bsor_frame frame;

    load(e, "odd-frames");
    bsor *b = open_bytes(e, e->size);
    assert_non_null(b);
    for (size_t i = 0; i < 5; i++) {
        frame = next(e, b);
        assert_int_equal(frame.time_ns, times_ms[i] * 1000000);
        assert_int_equal(frame.valid[BSOR_LEFT] && frame.valid[BSOR_RIGHT], i != 3);
        assert_true(frame.valid[BSOR_HEAD]);
        assert_int_equal(frame.is_resumed, i == 3);
    }
    const bsor_counters *n = bsor_get_counters(b);
    assert_int_equal(n->frames, 9);
    assert_int_equal(n->backward, 2);
    assert_int_equal(n->timeless, 2);
    assert_int_equal(n->repeated, 1);
    assert_int_equal(n->not_finite, 2);
    finish(e, b);
}

static void strings_counted_in_characters_are_understood(void **state)
{
    example *e = *state;

    load(e, "characters");
    bsor *b = open_bytes(e, e->size);
    assert_non_null(b);
    assert_int_equal(bsor_get_counters(b)->frames, 2);
    bsor_close(b);
}

/* However short it is, it is said where; what comes after the pauses may be missing. */
static void every_shorter_file_is_refused(void **state)
{
    example *e = *state;
    size_t needed;

    load(e, "whole");
    needed = e->size - WHOLE_OPTIONAL;
    for (size_t size = 0; size < needed; size++)
        refused(e, size, "at byte ");
    for (size_t size = needed; size <= e->size; size++)
        bsor_close(open_bytes(e, size));
    assert_string_equal(e->error.text, "");
    refused(e, find(e, "Somebody") + 3, "the player's name");
}

static void put_u32(example *e, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        e->bytes[at + i] = (unsigned char)(value >> 8 * i);
}

static void files_that_lie_are_refused(void **state)
{
    example *e = *state;
    size_t name, frames;

    load(e, "whole");
    name = find(e, "Somebody") - 4;
    frames = find(e, "Standard") + 8 + 4 + 9 + 4 + 21; /* behind environment, modifiers and numbers */
    assert_int_equal(e->bytes[frames], 1);
    put_u32(e, name, 0xffffffff);
    refused(e, e->size, "expected the length of a string, 0 to 4096 (the player's name), got -1");
    put_u32(e, name, 4097);
    refused(e, e->size, "got 4097");
    put_u32(e, name, 4000);
    refused(e, e->size, "expected a string of 4000 bytes (the player's name)");
    put_u32(e, name, 7);
    refused(e, e->size, "the platform");
    put_u32(e, name, 8);
    put_u32(e, frames + 1, 0x7fffffff);
    refused(e, e->size, "expected the number of frames, at most the");
    put_u32(e, frames + 1, 7);
    refused(e, e->size, "expected the section 2 (notes)");
    put_u32(e, frames + 1, 8);
    e->bytes[frames] = 9;
    refused(e, e->size, "expected the section 1 (frames), got 9");
    e->bytes[frames] = 1;
    e->bytes[4] = 2;
    refused(e, e->size, "at byte 4: expected version 1");
    e->bytes[4] = 1;
    e->bytes[0] = 'x';
    refused(e, e->size, "at byte 0: expected the magic number");
    e->bytes[0] = 0x69;
    bsor_close(open_bytes(e, e->size));
    assert_string_equal(e->error.text, "");
}

static void it_is_told_by_its_first_bytes(void **state)
{
    example *e = *state;

    load(e, "whole");
    bsor_close(open_bytes(e, e->size));
    assert_true(bsor_is_one(e->path));
    bsor_close(open_bytes(e, 3));
    assert_false(bsor_is_one(e->path));
    assert_false(bsor_is_one(TEST_DATA "/duel-20s.jsonl"));
    assert_false(bsor_is_one("/dev/zero"));
    assert_false(bsor_is_one("/nowhere"));
    assert_null(bsor_open("/nowhere", fresh(&e->error)));
    assert_non_null(strstr(e->error.text, "No such file"));
    assert_null(bsor_open("/dev/zero", fresh(&e->error)));
    assert_non_null(strstr(e->error.text, "expected a regular file"));
    bsor_close(NULL);
}

static int setup(void **state)
{
    example *e = calloc(1, sizeof *e);
    int fd;

    assert_non_null(e);
    snprintf(e->path, sizeof e->path, "/tmp/clashd-test-" TEMPORARY);
    fd = mkstemp(e->path);
    assert_true(fd >= 0);
    close(fd);
    *state = e;
    return 0;
}

static int teardown(void **state)
{
    unlink(((example *)*state)->path);
    free(*state);
    return 0;
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(frames_are_in_our_axes),        WITH_FILE(song_time_is_brought_to_the_clock),
        WITH_FILE(odd_frames_are_counted),        WITH_FILE(strings_counted_in_characters_are_understood),
        WITH_FILE(every_shorter_file_is_refused), WITH_FILE(files_that_lie_are_refused),
        WITH_FILE(it_is_told_by_its_first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Compressed recordings: frames small and large, of clashd and of others, and what damage to them costs. */
#include "support/random.h"
#include "support/recording_file.h"

#include <zstd.h>

#define LINES_MAX 40000

typedef struct packed {
    char *bytes;
    size_t length;
} packed;

/* One frame, with a checksum, added to what is there. With `sized` its size is in its header, as clashd writes it. */
static void add_frame(packed *p, const char *text, size_t length, bool sized)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(length) + 64;
    ZSTD_inBuffer in = {text, length, 0};
    ZSTD_outBuffer out;

    p->bytes = realloc(p->bytes, p->length + room);
    assert_non_null(p->bytes);
    out = (ZSTD_outBuffer){p->bytes + p->length, room, 0};
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, sized);
    if (sized)
        ZSTD_CCtx_setPledgedSrcSize(context, length);
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    p->length += out.pos;
    ZSTD_freeCCtx(context);
}

/* Header and `count` lines of poses whose times count up; `each` lines a frame. */
static void pack_lines(packed *p, int count, int each, bool sized)
{
    char *text = malloc((size_t)each * 200 + 200);
    size_t length = (size_t)sprintf(text, HEADER);

    assert_non_null(text);
    *p = (packed){0};
    for (int i = 1; i <= count; i++) {
        length += (size_t)sprintf(text + length,
                                  "{\"type\":\"poses\",\"time_ns\":%d,\"poses\":[{\"device\":\"a\",\"position\":"
                                  "[%.9g,2,3],\"orientation\":[0,0,0,1],\"tracked\":true}]}\n",
                                  i, (double)i * 0.731);
        if (i % each == 0 || i == count) {
            add_frame(p, text, length, sized);
            length = 0;
        }
    }
    free(text);
}

/* How many lines come, each later than the one before and with its own number. */
static int count_lines(recording_file *f, int64_t *out_last)
{
    int count = 0;
    int64_t last = 0;

    while (recording_next(f->recording, &f->item) != RECORDING_END) {
        assert_int_equal(f->item.kind, RECORDING_POSES);
        assert_true(f->item.time_ns > last);
        last = f->item.time_ns;
        assert_true(f->item.poses[0].pose.position.x == (float)((double)last * 0.731));
        count++;
    }
    if (out_last)
        *out_last = last;
    return count;
}

static void open_packed(recording_file *f, const packed *p)
{
    write_file(f, p->bytes, p->length);
    if (!f->recording)
        fail_msg("%s", f->error.text);
}

/* Small frames, one that no memory holds, one of unknown size, an empty one, and one to be skipped. */
static void every_kind_of_frame_is_read(void **state)
{
    static const struct {
        int each;
        bool sized;
    } kinds[] = {{10, true}, {10, false}, {LINES_MAX, true}, {LINES_MAX, false}};
    recording_file *f = *state;
    int64_t last;
    packed p;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        pack_lines(&p, LINES_MAX, kinds[i].each, kinds[i].sized);
        add_frame(&p, "", 0, kinds[i].sized);
        p.bytes = realloc(p.bytes, p.length + 12);
        memcpy(p.bytes + p.length, "\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
        p.length += 12;
        open_packed(f, &p);
        assert_int_equal(count_lines(f, &last), LINES_MAX);
        assert_int_equal(last, LINES_MAX);
        assert_counters(f, LINES_MAX + 1, 0, 0, 0);
        assert_string_equal(f->said, "");
        assert_int_equal(recording_rewind(f->recording), 0);
        assert_int_equal(count_lines(f, NULL), LINES_MAX);
        free(p.bytes);
    }
}

/* Cut anywhere: the whole frames before the cut are read, and that something is missing is said, once. */
static void a_torn_tail_costs_the_last_frame(void **state)
{
    recording_file *f = *state;
    random_state random = {.s = 3};
    packed p;
    int64_t last;

    pack_lines(&p, 400, 10, true);
    size_t first = ZSTD_findFrameCompressedSize(p.bytes, p.length);
    for (int i = 0; i < 60; i++) {
        size_t cut = first + (size_t)random_below(&random, (int)(p.length - first));

        write_file(f, p.bytes, cut);
        assert_non_null(f->recording);
        int count = count_lines(f, &last);
        assert_int_equal(count, last); /* none is missing before the last */
        assert_true(count >= (int)(cut * 400 / p.length) - 40);
        assert_int_equal(recording_get_counters(f->recording)->damaged, 0);
        assert_true(recording_get_counters(f->recording)->torn == (f->said[0] != '\0'));
    }
    write_file(f, p.bytes, p.length - 1);
    assert_true(count_lines(f, NULL) >= 390);
    assert_non_null(strstr(f->said, "the compressed data ends in the middle"));
    assert_int_equal(recording_get_counters(f->recording)->torn, 1);
    free(p.bytes);
}

static void a_large_frame_that_is_torn_is_read_as_far_as_it_goes(void **state)
{
    recording_file *f = *state;
    int64_t last;
    packed p;

    pack_lines(&p, LINES_MAX, LINES_MAX, true);
    write_file(f, p.bytes, p.length / 2);
    int count = count_lines(f, &last);
    assert_int_equal(count, last);
    assert_true(count > LINES_MAX / 4 && count < LINES_MAX);
    assert_int_equal(recording_get_counters(f->recording)->torn, 1);
    free(p.bytes);
}

/* Flipped bytes anywhere behind the header's frame: no wrong line comes out, and all lines of the other frames do. */
static void flipped_bytes_cost_their_frame(void **state)
{
    recording_file *f = *state;
    random_state random = {.s = 7};
    packed p;

    pack_lines(&p, 400, 10, true);
    size_t first = ZSTD_findFrameCompressedSize(p.bytes, p.length);
    for (int i = 0; i < 300; i++) {
        size_t at = first + (size_t)random_below(&random, (int)(p.length - first));
        char flip = (char)(1u << random_below(&random, 8));

        p.bytes[at] ^= flip;
        open_packed(f, &p);
        int count = count_lines(f, NULL);
        const recording_counters *c = recording_get_counters(f->recording);
        if (c->damaged + c->torn == 0)
            assert_int_equal(count, 400); /* a bit that means nothing */
        else
            assert_true(count >= 370 && count <= 390 && f->said[0]);
        p.bytes[at] ^= flip;
    }
    free(p.bytes);
}

static void noise_is_survived(void **state)
{
    recording_file *f = *state;
    random_state random = {.s = 11};
    packed p;

    pack_lines(&p, 200, 10, false);
    size_t first = ZSTD_findFrameCompressedSize(p.bytes, p.length);
    for (int i = 0; i < 200; i++) {
        packed noisy = {malloc(p.length), p.length};

        memcpy(noisy.bytes, p.bytes, p.length);
        for (int n = 1 + random_below(&random, 200); n > 0; n--)
            noisy.bytes[first + (size_t)random_below(&random, (int)(p.length - first))] =
                (char)random_below(&random, 256);
        open_packed(f, &noisy);
        while (recording_next(f->recording, &f->item) != RECORDING_END)
            ;
        assert_true(recording_get_counters(f->recording)->damaged + recording_get_counters(f->recording)->torn > 0);
        free(noisy.bytes);
    }
    free(p.bytes);
}

/* What is wrong with lines is wrong in compressed ones too. */
static void damaged_lines_are_counted_as_in_plain_ones(void **state)
{
    recording_file *f = *state;
    size_t length = 0;
    char *text = malloc(2 << 20);
    packed p = {0};

    assert_non_null(text);
    length += (size_t)sprintf(text, HEADER POSES(1));
    memset(text + length, 'x', 1 << 20); /* a line of 1 MB */
    length += 1 << 20;
    memset(text + length, 0, 5);
    text[length] = text[length + 4] = '\n';
    length += 5;
    length += (size_t)sprintf(text + length, POSES(2) "{\"type\":\"poses\",\"ti");
    add_frame(&p, text, length, false);
    open_packed(f, &p);
    assert_string_equal(kinds(f), "pp");
    assert_counters(f, 6, 2, 0, 1);
    assert_non_null(strstr(f->said, "3: the line is longer than 64 KiB\n"));
    free(p.bytes);
    free(text);
}

static void what_is_no_recording_is_refused(void **state)
{
    recording_file *f = *state;
    packed p = {0};

    write_file(f, "\x28\xb5\x2f\xfd", 4);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "the compressed data ends in the middle"));
    add_frame(&p, "{}\n", 3, true);
    write_file(f, p.bytes, p.length);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "line 1: expected a header"));
    p.bytes[p.length - 1] ^= 1;
    write_file(f, p.bytes, p.length);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "the compressed data is damaged"));
    free(p.bytes);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, recording_file_setup, recording_file_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(every_kind_of_frame_is_read),
        WITH_FILE(a_torn_tail_costs_the_last_frame),
        WITH_FILE(a_large_frame_that_is_torn_is_read_as_far_as_it_goes),
        WITH_FILE(flipped_bytes_cost_their_frame),
        WITH_FILE(noise_is_survived),
        WITH_FILE(damaged_lines_are_counted_as_in_plain_ones),
        WITH_FILE(what_is_no_recording_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

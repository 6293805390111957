/* Going to places in a recording, plain and compressed: what is read from there is what was read there before; and the
 * index that remembers them. */
#include "protocol/recording/index.h"
#include "support/recording_file.h"

#include <inttypes.h>
#include <zstd.h>

#define LINES 3000
#define LINE_BYTES 96
#define FORMS 3 /* plain, many small frames, one large frame */

static size_t write_line(char *out, int line)
{
    if (line % 100 == 50)
        return (size_t)sprintf(out, "{\"type\":\"poses\",\"time_ns\":%d,\"poses\":[tor\n", line * 10);
    return (size_t)sprintf(out, "{\"type\":\"poses\",\"time_ns\":%d,\"poses\":[]}\n", line * 10);
}

static size_t make_text(char *out)
{
    size_t length = (size_t)sprintf(out, HEADER);

    for (int i = 0; i < LINES; i++)
        length += write_line(out + length, i);
    return length;
}

static size_t compress(const char *text, size_t length, size_t frame, char *out, size_t size)
{
    size_t used = 0;

    for (size_t at = 0; at < length; at += frame) {
        const size_t piece = length - at < frame ? length - at : frame;

        used += ZSTD_compress(out + used, size - used, text + at, piece, 3);
        assert_true(used < size);
    }
    return used;
}

/* In the form with small ones a frame ends anywhere within a line. */
static void open_form(recording_file *f, int form)
{
    static char text[LINES * LINE_BYTES], packed[LINES * LINE_BYTES];
    const size_t length = make_text(text);

    if (form == 0)
        write_file(f, text, length);
    else
        write_file(f, packed, compress(text, length, form == 1 ? 1777 : length, packed, sizeof packed));
    assert_non_null(f->recording);
}

static void every_place_leads_back(void **state)
{
    recording_file *f = *state;
    static recording_place places[LINES];
    static int64_t times[LINES];

    for (int form = 0; form < FORMS; form++) {
        size_t count = 0;

        open_form(f, form);
        for (;;) {
            recording_get_place(f->recording, &places[count]);
            if (recording_next(f->recording, &f->item) == RECORDING_END)
                break;
            times[count++] = f->item.time_ns;
        }
        assert_int_equal(count, LINES - LINES / 100);
        assert_counters(f, LINES + 1, LINES / 100, 0, 0);
        for (size_t i = 0; i < count; i += 7) {
            const size_t at = i * 1237 % count;

            assert_int_equal(recording_go(f->recording, &places[at]), 0);
            for (size_t next = at; next < at + 3 && next < count; next++) {
                assert_int_equal(recording_next(f->recording, &f->item), RECORDING_POSES);
                assert_int_equal(f->item.time_ns, times[next]);
            }
        }
        assert_counters(f, LINES + 1, LINES / 100, 0, 0); /* once each */
    }
}

static void skimming_gives_the_same_times(void **state)
{
    recording_file *f = *state;

    for (int form = 0; form < FORMS; form++) {
        open_form(f, form);
        for (int i = 0; i < LINES; i++) { /* also where the rest of a line is damaged */
            assert_int_equal(recording_skim(f->recording, &f->item), RECORDING_POSES);
            assert_int_equal(f->item.time_ns, i * 10);
            assert_int_equal(f->item.line_number, i + 2);
        }
        assert_int_equal(recording_skim(f->recording, &f->item), RECORDING_END);
        assert_counters(f, 1, 0, 0, 0);
        assert_string_equal(f->said, "");
    }
}

static void the_end_is_found(void **state)
{
    recording_file *f = *state;
    int64_t end_ns = 0;

    for (int form = 0; form < FORMS; form++) {
        open_form(f, form);
        assert_true(recording_find_end(f->path, &end_ns));
        assert_int_equal(end_ns, (LINES - 1) * 10);
    }
    open_text(f, HEADER);
    assert_false(recording_find_end(f->path, &end_ns));
    open_text(f, HEADER POSES(7) "{\"type\":\"poses\",\"time_ns\":9,\"po");
    assert_true(recording_find_end(f->path, &end_ns));
    assert_int_equal(end_ns, 7);
    assert_false(recording_find_end("/nowhere/at/all", &end_ns));
}

/* ---- the index ---- */

static void note(recording_index *index, recording_item *item, recording_item_kind kind, int64_t time_ns)
{
    const recording_place place = {.offset = item->line_number * 10, .line_number = item->line_number};

    item->kind = kind;
    item->line_number++;
    item->time_ns = time_ns;
    recording_index_note(index, &place, item);
}

static void places_are_before_their_time_and_not_far(void **state)
{
    recording_file *f = *state;
    recording_index *index = recording_index_create();
    const int64_t lines = 3000000;
    size_t changes = 1;

    assert_null(recording_index_find(index, 5, &changes));
    for (int64_t i = 0; i < lines; i++)
        note(index, &f->item, RECORDING_POSES, i * 1000);
    for (int64_t i = 1; i < lines; i += 10007) {
        const recording_place *place = recording_index_find(index, i * 1000, &changes);

        assert_true((int64_t)place->line_number <= i && (int64_t)place->line_number > i - 2048);
        assert_int_equal(changes, 0);
    }
    assert_int_equal(recording_index_find(index, INT64_MIN, &changes)->line_number, 0);
    assert_true(recording_index_find(index, INT64_MAX, &changes)->line_number > (uint64_t)lines - 2048);
    recording_index_destroy(index);
}

static void times_that_run_back_are_never_skipped(void **state)
{
    recording_file *f = *state;
    recording_index *index = recording_index_create();
    int64_t first_ns, last_ns;
    size_t changes;

    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < 10000; i++)
            note(index, &f->item, RECORDING_POSES, i);
    for (int64_t i = 0; i < 10000; i += 111) /* the first pass has it */
        assert_true((int64_t)recording_index_find(index, i, &changes)->line_number <= i);
    assert_true(recording_index_times(index, &first_ns, &last_ns));
    assert_true(first_ns == 0 && last_ns == 9999);
    recording_index_destroy(index);
}

static void change(recording_index *index, recording_item *item, recording_item_kind kind, const char *name,
                   const char *device)
{
    char text[32];

    snprintf(item->blade.name, sizeof item->blade.name, "%s", name);
    snprintf(kind == RECORDING_BLADE ? item->blade.device : item->device, PROTOCOL_NAME_MAX, "%s", device);
    snprintf(text, sizeof text, "%" PRIu64, item->line_number); /* that of the one before */
    item->text = text;
    item->text_length = strlen(text);
    note(index, item, kind, 0);
}

static void assert_blades(const recording_index *index, size_t changes, const char *lines)
{
    static const char *found[RECORDING_INDEX_CHANGES_MAX];
    const size_t count = recording_index_blades(index, changes, found);
    char text[256] = "";

    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s ", found[i]);
    assert_string_equal(text, lines);
}

static void the_last_definition_of_a_name_holds(void **state)
{
    recording_file *f = *state;
    recording_index *index = recording_index_create();

    change(index, &f->item, RECORDING_BLADE, "a", "x");
    change(index, &f->item, RECORDING_BLADE, "b", "x");
    change(index, &f->item, RECORDING_BLADE, "a", "y");
    change(index, &f->item, RECORDING_REMOVE, "b", "");
    change(index, &f->item, RECORDING_BLADE, "c", "x");
    change(index, &f->item, RECORDING_REMOVE, "", "y");
    assert_blades(index, 0, "");
    assert_blades(index, 2, "0 1 ");
    assert_blades(index, 3, "1 2 ");
    assert_blades(index, 4, "2 ");
    assert_blades(index, 5, "2 4 ");
    assert_blades(index, 6, "4 ");
    assert_false(recording_index_is_overfull(index));
    for (int i = 0; i <= RECORDING_INDEX_CHANGES_MAX; i++)
        change(index, &f->item, RECORDING_BLADE, "a", "x");
    assert_true(recording_index_is_overfull(index));
    recording_index_destroy(index);
}

/* Lines of 64 KiB: so few of them are remembered that memory has a bound. */
static void long_definitions_are_too_many_sooner(void **state)
{
    recording_file *f = *state;
    recording_index *index = recording_index_create();
    char *text = malloc(65536);
    int count = 0;

    assert_true(index && text);
    memset(text, 'x', 65535);
    text[65535] = '\0';
    for (; !recording_index_is_overfull(index); count++) {
        f->item.text = text;
        f->item.text_length = 65535;
        strcpy(f->item.blade.name, "a");
        note(index, &f->item, RECORDING_BLADE, 0);
    }
    assert_int_equal(count, RECORDING_INDEX_TEXT_MAX / 65535 + 1);
    recording_index_destroy(index);
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, recording_file_setup, recording_file_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_place_leads_back),
        TEST(skimming_gives_the_same_times),
        TEST(the_end_is_found),
        TEST(places_are_before_their_time_and_not_far),
        TEST(times_that_run_back_are_never_skipped),
        TEST(the_last_definition_of_a_name_holds),
        TEST(long_definitions_are_too_many_sooner),
    };

    return cmocka_run_group_tests_name("places in recordings", tests, NULL, NULL);
}

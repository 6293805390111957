/* What a runtime's library prints: of what repeats the log has one, of what floods it a little, of a crash the end. */
#include "sources/openxr/runtime_output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct heard {
    xr_output output;
    int count;
    char all[65536];
} heard;

static void on_line(void *context, const char *line)
{
    heard *h = context;
    const size_t length = strlen(h->all);

    h->count++;
    snprintf(h->all + length, sizeof h->all - length, "%s\n", line);
}

static void take(heard *h, int64_t now_ns, const char *text)
{
    xr_output_take(&h->output, text, strlen(text), now_ns, on_line, h);
}

static int open_heard(void **state)
{
    *state = calloc(1, sizeof(heard));
    return *state ? 0 : -1;
}

static int close_heard(void **state)
{
    free(*state);
    return 0;
}

static void lines_come_in_pieces(void **state)
{
    heard *h = *state;

    take(h, 0, "one");
    take(h, 0, " line\r\nanother");
    assert_string_equal(h->all, "one line\n");
    take(h, 0, "\n\n   \nthird\n");
    assert_string_equal(h->all, "one line\nanother\nthird\n");
    xr_output_take(&h->output, "with\0zero\n", 10, 0, on_line, h);
    assert_non_null(strstr(h->all, "with zero\n"));
}

/* Each try of a client library: the same lines with other times and addresses. */
static void the_same_is_said_once(void **state)
{
    heard *h = *state;

    for (int try = 0; try < 1000; try++) {
        char text[256];

        snprintf(text, sizeof text, "[%d.%03d] ERROR [connect] failed: %p\nERROR is the service running?\n", try,
                 7 * try % 1000, (void *)&text[try % 256]);
        take(h, try * INT64_C(2000000000), text);
    }
    assert_int_equal(h->count, 2);
    assert_non_null(strstr(h->all, "ERROR is the service running?\n"));
    assert_int_equal(xr_output_count(&h->output) + (uint64_t)h->count, 2000);
    assert_int_equal(xr_output_count(&h->output), 0);
}

static void it_is_news_after_it_worked(void **state)
{
    heard *h = *state;

    take(h, 0, "no service\nno service\n");
    xr_output_forget(&h->output);
    take(h, 0, "no service\n");
    assert_string_equal(h->all, "no service\nno service\n");
}

/* Lines that are always others. */
static void a_flood_is_let_through_in_small_amounts(void **state)
{
    heard *h = *state;

    for (int i = 0; i < 26 * 26; i++) {
        const char text[] = {(char)('a' + i / 26), (char)('a' + i % 26), '\n', '\0'};

        take(h, i, text);
    }
    assert_int_equal(h->count, XR_OUTPUT_NEW_MAX);
    take(h, XR_OUTPUT_PERIOD_NS + 1, "a period later\n");
    assert_int_equal(h->count, XR_OUTPUT_NEW_MAX + 1);
}

static void a_line_without_end_is_cut(void **state)
{
    heard *h = *state;
    static char text[100001];

    memset(text, 'x', sizeof text - 1);
    take(h, 0, text);
    take(h, 0, "\n");
    assert_int_equal(strlen(h->all), XR_OUTPUT_LINE_MAX);
}

/* The last words, with those that were left out before them. */
static void a_crash_has_its_last_lines_told(void **state)
{
    heard *h = *state;

    for (int i = 0; i < 100; i++)
        take(h, i, "same\n");
    take(h, 200, "Assertion");
    h->all[0] = '\0';
    xr_output_end(&h->output, true, 300, on_line, h);
    assert_true(strncmp(h->all, "Assertion\nsame\n", 15) == 0);
    assert_int_equal(h->count, 2 + XR_OUTPUT_LAST_MAX);
    assert_int_equal(xr_output_count(&h->output), 99 - XR_OUTPUT_LAST_MAX);
    xr_output_end(&h->output, true, 400, on_line, h);
    assert_int_equal(h->count, 2 + XR_OUTPUT_LAST_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_come_in_pieces, open_heard, close_heard),
        cmocka_unit_test_setup_teardown(the_same_is_said_once, open_heard, close_heard),
        cmocka_unit_test_setup_teardown(it_is_news_after_it_worked, open_heard, close_heard),
        cmocka_unit_test_setup_teardown(a_flood_is_let_through_in_small_amounts, open_heard, close_heard),
        cmocka_unit_test_setup_teardown(a_line_without_end_is_cut, open_heard, close_heard),
        cmocka_unit_test_setup_teardown(a_crash_has_its_last_lines_told, open_heard, close_heard),
    };

    return cmocka_run_group_tests_name("openxr said", tests, NULL, NULL);
}

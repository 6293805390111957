/* The text of the line of progress; that it is drawn and taken away is tests/e2e/progress_test.py's. */
#include "cli/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND_NS INT64_C(1000000000)

static const char *line_of(double share, uint64_t bytes, int64_t elapsed_ns, unsigned columns)
{
    static char line[256];

    size_t length = progress_format("verify", share, bytes, elapsed_ns, columns, line, sizeof line);

    assert_int_equal(length, strlen(line));
    return line;
}

static void shares_and_what_is_left(void **state)
{
    (void)state;
    assert_string_equal(line_of(0.0, 0, 5 * SECOND_NS, 80), "verify [>                             ]   0 %");
    assert_string_equal(line_of(0.5, 0, SECOND_NS / 2, 80), "verify [===============>              ]  50 %");
    assert_string_equal(line_of(0.5, 0, 65 * SECOND_NS, 80),
                        "verify [===============>              ]  50 %  1:05 left");
    assert_string_equal(line_of(1.0, 0, SECOND_NS, 80), "verify [==============================] 100 %  0:00 left");
    assert_string_equal(line_of(0.001, 0, 10 * SECOND_NS, 80),
                        "verify [>                             ]   0 %  2:46:30 left");
}

static void nearly_done_is_not_done(void **state)
{
    (void)state;
    assert_non_null(strstr(line_of(0.9999, 0, 5 * SECOND_NS, 80), " 99 %  0:01 left"));
}

static void more_than_all_is_all(void **state)
{
    (void)state;
    assert_non_null(strstr(line_of(1.5, 0, 5 * SECOND_NS, 80), "100 %  0:00 left"));
}

static void without_a_total_it_counts(void **state)
{
    (void)state;
    assert_string_equal(line_of(-1.0, 12345678, 5 * SECOND_NS, 80), "verify 12.3 MB");
}

/* A line that were longer would not be taken away as a whole. */
static void it_never_fills_the_terminal(void **state)
{
    (void)state;
    for (unsigned columns = 0; columns < 100; columns++)
        assert_true(strlen(line_of(0.5, 0, 65 * SECOND_NS, columns)) < (columns ? columns : 1));
}

static void bars_have_their_width(void **state)
{
    char bar[64];

    (void)state;
    for (unsigned width = 3; width < sizeof bar; width++)
        for (int tenths = -5; tenths < 16; tenths++) {
            progress_bar(tenths * 0.1, width, bar);
            assert_int_equal(strlen(bar), width);
            assert_true(bar[0] == '[' && bar[width - 1] == ']');
            assert_int_equal(strchr(bar, '>') != NULL, tenths < 10);
        }
}

static void clocks(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } all[] = {{-3.0, "0:00"},    {0.99, "0:00"},      {61.0, "1:01"},
               {3599.5, "59:59"}, {3600.0, "1:00:00"}, {36061.0, "10:01:01"}};
    char text[40];

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        progress_clock(all[i].seconds, text, sizeof text);
        assert_string_equal(text, all[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_what_is_left),
        cmocka_unit_test(nearly_done_is_not_done),
        cmocka_unit_test(more_than_all_is_all),
        cmocka_unit_test(without_a_total_it_counts),
        cmocka_unit_test(it_never_fills_the_terminal),
        cmocka_unit_test(bars_have_their_width),
        cmocka_unit_test(clocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

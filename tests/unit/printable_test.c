/* Text for a terminal: nothing of it steers one, and all else is as it was. */
#include "cli/printable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_steers_is_written_out(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x97\xa1", "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x97\xa1"},
        {"\x1b[2J", "\\x1b[2J"},
        {"a\nb\tc\rd", "a\\nb\\x09c\\x0dd"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "2J",
         "\\xc2\\x9b2J"},         /* CSI in one character */
        {"\xc2\xa0", "\xc2\xa0"}, /* the first behind these */
        {"\x9b"
         "2J",
         "\\x9b2J"}, /* and in one byte, where a terminal knows no UTF-8 */
        {"a\xe2\x80\xae"
         "b",
         "a\\xe2\\x80\\xaeb"}, /* right to left from here on */
        {"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"},
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* a line's end */
        {"\xd8\x9c", "\\xd8\\x9c"},
        {"\xc3", "\\xc3"},                   /* half a character */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half a pair */
        {"\xc0\x9b", "\\xc0\\x9b"},
    };
    char out[200];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(printable(rows[i][0], out, sizeof out), rows[i][1]);
}

static void what_does_not_fit_is_left_out_whole(void **state)
{
    char out[8];

    (void)state;
    for (size_t size = 1; size <= 8; size++) {
        memset(out, 'x', sizeof out);
        printable("\xc3\xa4\x1b", out, size);
        assert_true(strlen(out) < size);
        assert_true(strlen(out) == (size > 6 ? 6u : size > 2 ? 2u : 0u));
    }
}

static void json_stays_json(void **state)
{
    char out[100];

    (void)state;
    assert_string_equal(printable_json("{\"a\":\"\xc2\x9b\xe2\x80\xae\x7f\xc3\xa4\"}", out, sizeof out),
                        "{\"a\":\"\\u009b\\u202e\\u007f\xc3\xa4\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_is_written_out),
        cmocka_unit_test(what_does_not_fit_is_left_out_whole),
        cmocka_unit_test(json_stays_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

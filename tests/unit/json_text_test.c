/* What counts as JSON: RFC 8259 to the letter, less zero characters, and where a text breaks off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/json/json_text.h"
#include "protocol/messages/parse.h"

/** In a block of its own without a terminator, so that a sanitizer sees whoever reads too far. "" where it is JSON. */
static const char *wrong_with(const char *text, size_t length)
{
    static failure error;
    char *copy = malloc(length ? length : 1);
    bool is_json;

    assert_non_null(copy);
    memcpy(copy, text, length);
    error = (failure){0};
    is_json = json_text_check(copy, length, &error);
    assert_int_equal(is_json, !error.text[0]);
    free(copy);
    return error.text;
}

static void json_is_taken(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        " [ ] ",
        "0",
        "-0",
        "-0.0e-0",
        "1E+5",
        "12.5",
        "true",
        "false",
        "null",
        "\"\"",
        "\t{\r\n}\n",
        "{\"a\":[1,2,{\"b\":null}],\"\":\"\"}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD834\\udd1e\"",
        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x97\xa1\"",
        "\"\\\\u0000\"",
        "\"\x7f\"",
        "\"\\ud800\\udc00\\udbff\\udfff\\ud7ff\\ue000\"",
        "1e999",
        "123456789012345678901234567890123456789012345678901234567890123",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (wrong_with(texts[i], strlen(texts[i]))[0])
            fail_msg("%s: %s", texts[i], wrong_with(texts[i], strlen(texts[i])));
}

/** Texts, and what is said of them. */
static const char *const wrong_texts[][2] = {
    {"", "expected a value at byte 0"},
    {"  ", "expected a value at byte 2"},
    {"{} {}", "one value is expected, something follows it at byte 3"},
    {"01", "one value is expected, something follows it at byte 1"},
    {"0x10", "one value is expected, something follows it at byte 1"},
    {"+1", "expected a value at byte 0"},
    {".5", "expected a value at byte 0"},
    {"1.", "expected a digit at byte 2"},
    {"-", "expected a digit at byte 1"},
    {"1e+", "expected a digit at byte 3"},
    {"NaN", "expected a value at byte 0"},
    {"nul", "expected a value at byte 0"},
    {"True", "expected a value at byte 0"},
    {"[1,]", "expected a value at byte 3"},
    {"[1 2]", "expected a comma or ] at byte 3"},
    {"[1}", "expected a comma or ] at byte 2"},
    {"[", "expected a value at byte 1"},
    {"{\"a\":1,}", "expected a key in quotes at byte 7"},
    {"{a:1}", "expected a key in quotes at byte 1"},
    {"{\"a\" 1}", "expected a colon at byte 5"},
    {"{\"a\":}", "expected a value at byte 5"},
    {"{\"a\":1 \"b\":2}", "expected a comma or } at byte 7"},
    {"{\"a\":1", "expected a comma or } at byte 6"},
    {"'a'", "expected a value at byte 0"},
    {"\"a", "a string without an end at byte 2"},
    {"\"\\", "a string without an end at byte 1"},
    {"\"a\tb\"", "a control character in a string at byte 2"},
    {"\"\x1f\"", "a control character in a string at byte 1"},
    {"\"\\x\"", "no such escape at byte 1"},
    {"\"\\u12g4\"", "expected four hexadecimal digits after \\u at byte 1"},
    {"\"\\u123", "expected four hexadecimal digits after \\u at byte 1"},
    {"\"\\u0000\"", "\\u0000 is not taken at byte 1"},
    {"\"\\\\\\u0000\"", "\\u0000 is not taken at byte 3"},
    {"\"\\udd1e\"", "the second half of a surrogate pair without the first at byte 1"},
    {"\"\\ud834\"", "expected the second half of a surrogate pair at byte 7"},
    {"\"\\ud834\\u0041\"", "expected the second half of a surrogate pair at byte 7"},
    {"\"\\udbff\\ue000\"", "expected the second half of a surrogate pair at byte 7"},
    {"\"\xc3\"", "no valid UTF-8 at byte 1"},
    {"\"\xc0\x80\"", "no valid UTF-8 at byte 1"},
    {"\"\xed\xa0\x80\"", "no valid UTF-8 at byte 1"},
    {"\"\xf4\x90\x80\x80\"", "no valid UTF-8 at byte 1"},
    {"\"\xf0\x9f\x97", "no valid UTF-8 at byte 1"},
    {"\xef\xbb\xbf{}", "expected a value at byte 0"},
    {"\xff{}", "expected a value at byte 0"},
    {"[\xc2\xa0]", "expected a value at byte 1"},
    {"\x01{}", "expected a value at byte 0"},
    {"{}\x0c", "one value is expected, something follows it at byte 2"},
    {"/**/{}", "expected a value at byte 0"},
    {"[1234567890123456789012345678901234567890123456789012345678901234]",
     "a number of more than 63 characters at byte 1"},
};

static void anything_else_is_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_texts / sizeof wrong_texts[0]; i++)
        assert_string_equal(wrong_with(wrong_texts[i][0], strlen(wrong_texts[i][0])), wrong_texts[i][1]);
}

static void zero_bytes_are_seen(void **state)
{
    (void)state;
    assert_string_equal(wrong_with("{}\0", 3), "one value is expected, something follows it at byte 2");
    assert_string_equal(wrong_with("\"a\0b\"", 5), "a control character in a string at byte 2");
    assert_string_equal(wrong_with("\"\\\0\"", 4), "no such escape at byte 1");
    assert_string_equal(wrong_with("\0", 1), "expected a value at byte 0");
}

static void depth_has_an_end(void **state)
{
    char text[2 * 10000];

    (void)state;
    memset(text, '[', 10000);
    memset(text + 10000, ']', 10000);
    assert_string_equal(wrong_with(text + 10000 - 64, 128), "");
    assert_string_equal(wrong_with(text + 10000 - 65, 130), "brackets more than 64 deep at byte 64");
    assert_string_equal(wrong_with(text, 20000), "brackets more than 64 deep at byte 64");
    assert_string_equal(wrong_with(text, 10000), "brackets more than 64 deep at byte 64");
}

/** Every beginning of a text is refused, and read no further than it goes. */
static void beginnings_are_refused(void **state)
{
    static const char text[] = "{\"a\":[-1.5e+3,true,null,\"\\ud834\\udd1e\xf0\x9f\x97\xa1\"],\"b\":{}}";

    (void)state;
    assert_string_equal(wrong_with(text, sizeof text - 1), "");
    for (size_t length = 0; length + 1 < sizeof text; length++)
        assert_string_not_equal(wrong_with(text, length), "");
}

static const char *parsed(const char *line)
{
    static failure error;
    cJSON *value;

    error = (failure){0};
    value = parse_line(line, strlen(line), &error);
    assert_int_equal(value != NULL, !error.text[0]);
    cJSON_Delete(value);
    return error.text;
}

static void ambiguous_values_are_refused(void **state)
{
    (void)state;
    assert_string_equal(parsed("{\"a\":[{\"b\":1},{\"b\":2}]}"), "");
    assert_string_equal(parsed("{\"a\":[{\"b\":1,\"c\":2,\"b\":3}]}"), "the key \"b\" stands twice");
    assert_string_equal(parsed("{\"a\":1,\"\\u0061\":2}"), "the key \"a\" stands twice");
    assert_string_equal(parsed("{\"a\":1,\"A\":2}"), "");
    assert_string_equal(parsed("{\"a\":[1e999]}"), "a number is out of range");
    assert_string_equal(parsed("{\"a\":-1e999}"), "a number is out of range");
    assert_string_equal(parsed("{\"a\":1e-999}"), "");
    assert_string_equal(parsed("[1]"), "");
    assert_string_equal(parsed("\xef\xbb\xbf{\"a\":1}"), "");
    assert_string_equal(parsed("\xef\xbb\xbf"
                               "1"),
                        "");
    assert_string_equal(parsed("{\"a\":"), "not JSON: expected a value at byte 5");
}

/** Keys by the thousand are no burden, and one that stands twice is found among them. */
static void many_keys(void **state)
{
    static char line[120000];
    size_t length = 1;

    (void)state;
    line[0] = '{';
    for (int i = 0; i < 9000; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, "\"%d\":0,", i);
    snprintf(line + length, sizeof line - length, "\"x\":0}");
    assert_string_equal(parsed(line), "");
    snprintf(line + length, sizeof line - length, "\"4567\":0}");
    assert_string_equal(parsed(line), "the key \"4567\" stands twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_taken),
        cmocka_unit_test(anything_else_is_not),
        cmocka_unit_test(zero_bytes_are_seen),
        cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(beginnings_are_refused),
        cmocka_unit_test(ambiguous_values_are_refused),
        cmocka_unit_test(many_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

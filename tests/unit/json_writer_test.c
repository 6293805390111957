/* The JSON writer: its commas and escapes, floats that come back to the bit, and that a text is whole or is nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cjson/cJSON.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/json/json_writer.h"
#include "support/random.h"

/** The line as a text of its own, without its newline. */
static const char *finished(json_writer *w)
{
    static char text[4096];
    size_t length = json_writer_finish(w);

    assert_in_range(length, 1, sizeof text);
    assert_int_equal(w->out[length - 1], '\n');
    memcpy(text, w->out, length - 1);
    text[length - 1] = '\0';
    return text;
}

static void write_everything(json_writer *w)
{
    json_object_begin(w);
    json_key(w, "empty");
    json_object_begin(w);
    json_object_end(w);
    json_key(w, "list");
    json_array_begin(w);
    json_int(w, -5);
    json_array_begin(w);
    json_array_end(w);
    json_object_begin(w);
    json_key(w, "a");
    json_null(w);
    json_key(w, "b");
    json_bool(w, true);
    json_object_end(w);
    json_bool(w, false);
    json_array_end(w);
    json_key(w, "id");
    json_raw(w, "\"x\"");
    json_key(w, "f");
    json_float(w, 0.5f);
    json_key(w, "s");
    json_string(w, "t");
    json_object_end(w);
}

static const char everything[] = "{\"empty\":{},\"list\":[-5,[],{\"a\":null,\"b\":true},false],\"id\":\"x\",\"f\":0.5,"
                                 "\"s\":\"t\"}\n";

static void commas_stand_where_they_belong(void **state)
{
    char out[256];
    json_writer w;
    size_t length;

    (void)state;
    json_writer_init(&w, out, sizeof out);
    write_everything(&w);
    length = json_writer_finish(&w);
    assert_int_equal(length, sizeof everything - 1);
    assert_memory_equal(out, everything, length);
}

/** In a buffer of any size it is the whole text or nothing, and no byte beyond the buffer is touched. */
static void a_text_is_whole_or_nothing(void **state)
{
    char out[sizeof everything + 8];

    (void)state;
    for (size_t size = 0; size < sizeof everything + 4; size++) {
        json_writer w;
        size_t length;

        memset(out, '#', sizeof out);
        json_writer_init(&w, out, size);
        write_everything(&w);
        length = json_writer_finish(&w);
        assert_int_equal(length, size < sizeof everything - 1 ? 0 : sizeof everything - 1);
        for (size_t i = size; i < sizeof out; i++)
            assert_int_equal(out[i], '#');
    }
}

/** A small piece that would fit again after a large one that did not must not patch the hole. */
static void what_is_spoilt_stays_spoilt(void **state)
{
    char out[16];
    json_writer w;

    (void)state;
    json_writer_init(&w, out, sizeof out);
    json_array_begin(&w);
    json_string(&w, "much too long for sixteen bytes");
    json_int(&w, 1);
    json_array_end(&w);
    assert_int_equal(json_writer_finish(&w), 0);
    assert_int_equal(json_writer_finish(&w), 0);
}

static void strings_are_escaped(void **state)
{
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\""},
        {"\x01\b\t\n\r\x1f\x7f", "\"\\u0001\\u0008\\u0009\\u000a\\u000d\\u001f\\u007f\""},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x97\xa1 \xf4\x8f\xbf\xbf",
         "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x97\xa1 \xf4\x8f\xbf\xbf\""},
        {"\xff", "\"\\ufffd\""},
        {"a\x80z", "\"a\\ufffdz\""},          /* a continuation that continues nothing */
        {"\xc3", "\"\\ufffd\""},              /* cut short by the end */
        {"\xe2\x82z", "\"\\ufffd\\ufffdz\""}, /* and by another character */
        {"\xf0\x9f\x97", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""}, /* overlong */
        {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond U+10FFFF */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[128];
        json_writer w;

        json_writer_init(&w, out, sizeof out);
        json_string(&w, cases[i][0]);
        assert_string_equal(finished(&w), cases[i][1]);
    }
}

/** Whatever bytes a name is made of, what comes out is JSON. */
static void any_bytes_make_a_string(void **state)
{
    random_state random = {random_seed(7)};

    (void)state;
    for (int pass = 0; pass < 20000; pass++) {
        char text[24], out[256];
        size_t length = random_bits(&random) % sizeof text;
        json_writer w;
        cJSON *value;

        for (size_t i = 0; i < length; i++)
            text[i] = (char)(1 + random_bits(&random) % 255);
        text[length] = '\0';
        json_writer_init(&w, out, sizeof out);
        json_string(&w, text);
        value = cJSON_Parse(finished(&w));
        assert_true(cJSON_IsString(value));
        cJSON_Delete(value);
    }
}

static void whole_numbers_have_all_their_digits(void **state)
{
    char out[256];
    json_writer w;

    (void)state;
    json_writer_init(&w, out, sizeof out);
    json_array_begin(&w);
    json_int(&w, INT64_MIN);
    json_int(&w, INT64_MAX);
    json_int(&w, 0);
    json_uint(&w, UINT64_MAX);
    json_array_end(&w);
    assert_string_equal(finished(&w), "[-9223372036854775808,9223372036854775807,0,18446744073709551615]");
}

static const char *float_text(float value)
{
    static char out[64];
    json_writer w;

    json_writer_init(&w, out, sizeof out);
    json_float(&w, value);
    return finished(&w);
}

static void assert_comes_back(uint32_t bits)
{
    uint32_t read;
    float value;
    cJSON *parsed;
    const char *text;

    memcpy(&value, &bits, sizeof value);
    text = float_text(value);
    if (!isfinite(value)) {
        assert_string_equal(text, "null");
        return;
    }
    parsed = cJSON_Parse(text);
    assert_true(cJSON_IsNumber(parsed));
    value = (float)parsed->valuedouble;
    cJSON_Delete(parsed);
    memcpy(&read, &value, sizeof read);
    if (read != bits)
        fail_msg("0x%08x is printed as %s, which reads as 0x%08x", bits, text, read);
}

static void floats_come_back_to_the_bit(void **state)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
                                     0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0x3dcccccd, 0x4b800000, 0x4b7fffff, 0x00000003, 0x33d6bf95};
    random_state random = {random_seed(11)};

    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        assert_comes_back(edges[i]);
    for (int i = 0; i < 300000; i++)
        assert_comes_back((uint32_t)random_bits(&random));
}

static void floats_read_as_people_write_them(void **state)
{
    (void)state;
    assert_string_equal(float_text(0.0f), "0");
    assert_string_equal(float_text(-0.0f), "-0");
    assert_string_equal(float_text(1.0f), "1");
    assert_string_equal(float_text(-2.5f), "-2.5");
    assert_string_equal(float_text(1e10f), "1e+10");
    assert_string_equal(float_text(0.1f), "0.100000001");
    assert_string_equal(float_text(NAN), "null");
    assert_string_equal(float_text(-INFINITY), "null");
}

/** A program that asks for its user's locale may have a comma, or two bytes, for the decimal point. */
static void no_locale_changes_a_number(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "fa_IR.UTF-8", "de_DE"};
    size_t found = 0;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        found++;
        assert_string_equal(float_text(-1234.5f), "-1234.5");
        assert_string_equal(float_text(1.5e-30f), "1.5e-30");
    }
    setlocale(LC_ALL, "C");
    if (found == 0)
        skip(); /* none of them is installed here */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_where_they_belong), cmocka_unit_test(a_text_is_whole_or_nothing),
        cmocka_unit_test(what_is_spoilt_stays_spoilt),    cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(any_bytes_make_a_string),        cmocka_unit_test(whole_numbers_have_all_their_digits),
        cmocka_unit_test(floats_come_back_to_the_bit),    cmocka_unit_test(floats_read_as_people_write_them),
        cmocka_unit_test(no_locale_changes_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What number_read makes of a text is what strtod makes of it, to the bit, and it takes no text that is no JSON number, and every one
 * that clashd writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/json/json_text.h"
#include "protocol/json/number_read.h"
#include "protocol/json/number_text.h"
#include "support/bits.h"
#include "support/random.h"

/** Whether it was taken. With more behind it and with nothing, as blocks of digits are read at once. */
static bool check(const char *text)
{
    const size_t length = strlen(text);
    failure error = {0};
    char longer[128];
    double found = 0, again = 0, quick = 0, expected;
    const char *end, *end_again;

    snprintf(longer, sizeof longer, "%s,12345678901234567890", text);
    end = number_read(text, text + length, &found);
    end_again = number_read(longer, longer + strlen(longer), &again);
    if (!end != !end_again)
        fail_msg("%s: taken only with, or without, what stands behind it", text);
    if (!end)
        return false;
    if ((size_t)(end - text) != (size_t)(end_again - longer))
        fail_msg("%s: another end with what stands behind it", text);
    if (end != text + length)
        return false;
    expected = strtod(text, NULL);
    if (!bits_same(&found, &expected, sizeof found) || !bits_same(&again, &expected, sizeof again))
        fail_msg("%s became %a, and %a with more behind it: expected %a", text, found, again, expected);
    if (number_read_quickly(text, text + length, &quick) && !bits_same(&quick, &expected, sizeof quick))
        fail_msg("%s became %a: expected %a", text, quick, expected);
    if (!json_text_check(text, length, &error))
        fail_msg("%s is no JSON number: %s", text, error.text);
    return true;
}

static void texts_of_all_kinds(void **state)
{
    static const char digits[] = "0123456789", others[] = ".eE+-0 5x";
    random_state r = {random_seed(3)};
    long taken = 0;

    (void)state;
    for (long i = 0; i < random_cases(400000); i++) {
        const int length = 1 + random_below(&r, 26);
        char text[32];

        for (int k = 0; k < length; k++)
            text[k] = random_below(&r, 12) ? digits[random_below(&r, 10)] : others[random_below(&r, 9)];
        text[length] = '\0';
        taken += check(text);
    }
    assert_true(taken > random_enough(50000));
}

/** Those whose integer has up to 19 digits and whose power of ten lies about what a double holds exactly. */
static void numbers_at_the_edges(void **state)
{
    random_state r = {random_seed(4)};
    long taken = 0;

    (void)state;
    for (long i = 0; i < random_cases(400000); i++) {
        const uint64_t near = UINT64_C(1) << random_below(&r, 64);
        const uint64_t integer =
            random_below(&r, 2) ? near + (uint64_t)random_below(&r, 5) - 2 : random_bits(&r) >> random_below(&r, 64);
        char text[64];

        snprintf(text, sizeof text, "%s%llue%d", random_below(&r, 2) ? "-" : "", (unsigned long long)integer,
                 random_below(&r, 61) - 30);
        taken += check(text);
    }
    assert_true(taken > random_enough(100000));
}

static void all_that_clashd_writes_is_taken(void **state)
{
    random_state r = {random_seed(5)};

    (void)state;
    for (long i = 0; i < random_cases(400000); i++) {
        char text[NUMBER_TEXT_MAX + 1];
        const double size = pow(10.0, random_in(&r, -40, 38));

        text[number_text_float(text, (float)(random_in(&r, -1, 1) * size))] = '\0';
        if (!check(text))
            fail_msg("%s is not taken", text);
        text[number_text_int(text, (int64_t)(random_bits(&r) >> 12) - (INT64_C(1) << 50))] = '\0';
        if (!check(text))
            fail_msg("%s is not taken", text);
    }
}

static void what_is_no_number_is_not_taken(void **state)
{
    static const char *const wrong[] = {"",      "-",    "+1",  ".5",  "1.",  "-.5", "1e",   "1e+",  "01",   "-01",
                                        "1.e5",  "0x10", "inf", "nan", "NaN", "--1", "1e5.", "1 ",   " 1",   "1e1e1",
                                        "1.2.3", "0123", "1_0", "e5",  "1e-", "1,5", "-inf", "1e 5", "0.-5", "1e0x1"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (check(wrong[i]))
            fail_msg("'%s' is taken", wrong[i]);
}

/** As sums of eight digits know them. */
static void every_byte_behind_and_between_digits(void **state)
{
    (void)state;
    for (int place = 0; place <= 12; place++) {
        for (int byte = 1; byte < 256; byte++) {
            char text[32] = "1234567890123456";

            text[place] = (char)byte;
            check(text);
            text[0] = '0';
            text[1] = '.';
            text[2 + place] = (char)byte;
            check(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_all_kinds),
        cmocka_unit_test(numbers_at_the_edges),
        cmocka_unit_test(all_that_clashd_writes_is_taken),
        cmocka_unit_test(what_is_no_number_is_not_taken),
        cmocka_unit_test(every_byte_behind_and_between_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers as text are what the C library prints, to the character, and floats read back to the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/json/number_text.h"
#include "support/random.h"

static void check_float(float value)
{
    char text[NUMBER_TEXT_MAX + 1], expected[64];
    size_t length = number_text_float(text, value);
    float back;

    text[length] = '\0';
    snprintf(expected, sizeof expected, "%.9g", (double)value);
    back = strtof(text, NULL);
    if (strcmp(text, expected) != 0 || back != value || signbit(back) != signbit(value))
        fail_msg("%a became %s, expected %s", (double)value, text, expected);
}

static float from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void floats_of_all_sizes(void **state)
{
    random_state r = {random_seed(5)};

    (void)state;
    for (long i = 0; i < random_cases(1000000); i++) {
        float value = from_bits((uint32_t)random_bits(&r));

        if (isfinite(value))
            check_float(value);
        check_float((float)(random_in(&r, -1, 1) * pow(10.0, random_in(&r, -6, 10))));
    }
}

/** Powers of two and ten and what lies next to them: where the number of digits changes. */
static void floats_at_the_edges(void **state)
{
    (void)state;
    check_float(0.0f);
    check_float(-0.0f);
    for (int e = -149; e < 128; e++) {
        float power = ldexpf(1.0f, e);

        check_float(power);
        check_float(-power);
        check_float(nextafterf(power, 0.0f));
        check_float(nextafterf(power, INFINITY));
    }
    for (int e = -44; e < 39; e++) {
        float power = (float)pow(10.0, e), near = power;

        for (int i = 0; i < 50; i++, near = nextafterf(near, INFINITY))
            check_float(near);
        for (int i = 0; i < 50; i++, power = nextafterf(power, 0.0f))
            check_float(power);
    }
    for (uint32_t i = 0; i < 2000000; i++) /* whole numbers and halves, which round to even */
        check_float((float)i * 0.5f + 8388608.0f);
}

static void integers(void **state)
{
    const int64_t edges[] = {0, 1, -1, 9, 10, 99, 100, 9007199254740992, -9007199254740992, INT64_MAX, INT64_MIN};
    random_state r = {random_seed(6)};
    char text[NUMBER_TEXT_MAX + 1], expected[64];

    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0] + 100000; i++) {
        int64_t value =
            i < sizeof edges / sizeof edges[0] ? edges[i] : (int64_t)(random_bits(&r) >> random_below(&r, 64));

        text[number_text_int(text, value)] = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        assert_string_equal(text, expected);
        text[number_text_uint(text, (uint64_t)value)] = '\0';
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
        assert_string_equal(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_of_all_sizes),
        cmocka_unit_test(floats_at_the_edges),
        cmocka_unit_test(integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Repeated messages by a clock of the test's own: a few at once, then one line a period with how many more, and once it has
 * been quiet for a period all is as at first. */
#include "log/limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BEGAN UINT64_C(123456789)

static unsigned say(log_limit *l, uint64_t now_ms, const char *message, unsigned times)
{
    unsigned passed = 0;

    for (unsigned i = 0; i < times; i++)
        passed += log_limit_pass(l, now_ms, LOG_LEVEL_WARNING, message);
    return passed;
}

static void assert_sum(log_limit *l, uint64_t now_ms, bool all, const char *expected)
{
    char text[LOG_LIMIT_TEXT_MAX + 128] = "";
    log_level level = LOG_LEVEL_DEBUG;

    assert_int_equal(log_limit_sum_up(l, now_ms, all, &level, text, sizeof text), expected != NULL);
    if (!expected)
        return;
    assert_string_equal(text, expected);
    assert_int_equal(level, LOG_LEVEL_WARNING);
}

static void one_that_goes_on(void **state)
{
    log_limit l = {0};
    uint64_t now = BEGAN;

    (void)state;
    assert_int_equal(say(&l, now, "a", 1000), LOG_LIMIT_AT_ONCE);
    assert_sum(&l, now + LOG_LIMIT_PERIOD_MS - 1, false, NULL);
    now += LOG_LIMIT_PERIOD_MS;
    assert_sum(&l, now, false, "996 more like this in the last 10.0 s: a");
    assert_sum(&l, now, false, NULL);
    assert_int_equal(say(&l, now + 1, "a", 50), 0);
    now += LOG_LIMIT_PERIOD_MS + 2500;
    assert_sum(&l, now, false, "50 more like this in the last 12.5 s: a");
    assert_int_equal(say(&l, now + 1, "a", 7), 0);
    assert_sum(&l, now + 1000, true, "7 more like this in the last 1.0 s: a"); /* the end */
    now += 1000 + LOG_LIMIT_PERIOD_MS;                                         /* it was quiet */
    assert_int_equal(say(&l, now, "a", 10), LOG_LIMIT_AT_ONCE);
}

static void few_are_never_held_back(void **state)
{
    log_limit l = {0};

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(say(&l, BEGAN + i * LOG_LIMIT_PERIOD_MS / LOG_LIMIT_AT_ONCE, "now and then", 1), 1);
    assert_sum(&l, BEGAN * 2, true, NULL);
}

static void others_are_others(void **state)
{
    log_limit l = {0};

    (void)state;
    assert_int_equal(say(&l, BEGAN, "a", 10), LOG_LIMIT_AT_ONCE);
    assert_int_equal(say(&l, BEGAN, "b", 10), LOG_LIMIT_AT_ONCE);
    assert_true(log_limit_pass(&l, BEGAN, LOG_LEVEL_ERROR, "a"));
    assert_sum(&l, BEGAN, true, "6 more like this in the last 0.0 s: a");
    assert_sum(&l, BEGAN, true, "6 more like this in the last 0.0 s: b");
    assert_sum(&l, BEGAN, true, NULL);
}

/* More texts than there are places: none is lost, and what is owed of those that have one stays owed. */
static void more_texts_than_places(void **state)
{
    log_limit l = {0};
    char text[32];

    (void)state;
    say(&l, BEGAN, "flood", 100);
    for (unsigned i = 0; i < 10 * LOG_LIMIT_TEXTS; i++) {
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(say(&l, BEGAN + i, text, 1), 1);
    }
    assert_sum(&l, BEGAN + 200, true, "96 more like this in the last 0.2 s: flood");
    for (unsigned i = 0; i < LOG_LIMIT_TEXTS; i++) {
        snprintf(text, sizeof text, "flood %u", i);
        assert_int_equal(say(&l, BEGAN + 1000 + i, text, 100), LOG_LIMIT_AT_ONCE);
    }
    assert_int_equal(say(&l, BEGAN + 2000, "no place", 100), 100);
}

static void long_texts_are_told_apart_as_far_as_they_are_kept(void **state)
{
    static char text[3 * LOG_LIMIT_TEXT_MAX];
    log_limit l = {0};

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(say(&l, BEGAN, text, 10), LOG_LIMIT_AT_ONCE);
    text[LOG_LIMIT_TEXT_MAX - 2] = 'y';
    assert_int_equal(say(&l, BEGAN, text, 10), LOG_LIMIT_AT_ONCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_goes_on),
        cmocka_unit_test(few_are_never_held_back),
        cmocka_unit_test(others_are_others),
        cmocka_unit_test(more_texts_than_places),
        cmocka_unit_test(long_texts_are_told_apart_as_far_as_they_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Refusals in the log: a few are named, a crowd is summed up, and after a while others are named again. */
#include "ipc/log_throttle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct heard {
    unsigned lines;
    char last[256], before[256];
} heard;

static void hear(void *context, log_level level, const char *message)
{
    heard *h = context;

    assert_int_equal(level, LOG_LEVEL_WARNING);
    h->lines++;
    memcpy(h->before, h->last, sizeof h->last);
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void a_crowd_is_summed_up(void **state)
{
    heard h = {0};
    const logger log = {.context = &h, .write = hear};
    log_throttle r = {0};

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        log_throttle_warn(&r, &log, 5000000 + i, "", "refused %u", i);
    assert_int_equal(h.lines, LOG_THROTTLE_MAX);
    assert_string_equal(h.last, "refused 19");
    log_throttle_warn(&r, &log, 5000000 + LOG_THROTTLE_WINDOW_MS - 1, "", "refused too");
    assert_int_equal(h.lines, LOG_THROTTLE_MAX);
    log_throttle_warn(&r, &log, 5000000 + LOG_THROTTLE_WINDOW_MS, "", "refused later");
    assert_int_equal(h.lines, LOG_THROTTLE_MAX + 2);
    assert_string_equal(h.before, "981 more were refused before, too many to name");
    assert_string_equal(h.last, "refused later");
}

static void a_few_are_named_for_ever(void **state)
{
    heard h = {0};
    const logger log = {.context = &h, .write = hear};
    log_throttle r = {0};

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        log_throttle_warn(&r, &log, (uint64_t)i * 1000, "", "refused");
    assert_int_equal(h.lines, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_is_summed_up),
        cmocka_unit_test(a_few_are_named_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The line that the service manager shows. */
#include "service/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_status(service_state state, bool had_tracking, const char *expected)
{
    char text[SERVICE_STATUS_MAX];

    service_format_status(&state, had_tracking, text);
    assert_string_equal(text, expected);
}

static void it_says_what_comes_and_who_is_there(void **state)
{
    (void)state;
    assert_status((service_state){"openxr", "running", "", 2, 2, 3}, true,
                  "openxr running: 2 of 2 devices tracked; 3 clients");
    assert_status((service_state){"replay", "ended", "", 2, 1, 1}, true,
                  "replay ended: 1 of 2 devices tracked; 1 client");
    assert_status((service_state){"none", "running", "", 0, 0, 0}, false, "none running: no devices; no clients");
}

static void tracking_that_was_there_is_lost(void **state)
{
    (void)state;
    assert_status((service_state){"openxr", "waiting", "no headset", 2, 0, 0}, false,
                  "openxr waiting: nothing tracked; no clients (no headset)");
    assert_status((service_state){"openxr", "stalled", "the runtime does not answer", 2, 0, 2}, true,
                  "openxr stalled: tracking lost; 2 clients (the runtime does not answer)");
}

/* Another line would be another message to the manager. */
static void a_runtime_cannot_speak_for_us(void **state)
{
    char detail[2000];

    (void)state;
    assert_status((service_state){"openxr", "waiting", "a\nSTOPPING=1\xc3\x9f.", 1, 0, 0}, false,
                  "openxr waiting: nothing tracked; no clients (a?STOPPING=1??.)");
    memset(detail, 'x', sizeof detail - 1);
    detail[sizeof detail - 1] = '\0';
    char text[SERVICE_STATUS_MAX];
    service_format_status(&(service_state){"openxr", "waiting", detail, 1, 0, 0}, false, text);
    assert_true(strlen(text) > 300 && strlen(text) < SERVICE_STATUS_MAX - 1);
    assert_int_equal(text[strlen(text) - 1], ')');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_comes_and_who_is_there),
        cmocka_unit_test(tracking_that_was_there_is_lost),
        cmocka_unit_test(a_runtime_cannot_speak_for_us),
    };

    return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}

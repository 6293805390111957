/* `status` of more than a line can hold, as a referee of an arena has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"

#define MANY 3000

static void status_has_as_many_devices_as_fit(void **state)
{
    static char names[MANY][32], line[PROTOCOL_LINE_MAX];
    static protocol_status_device devices[MANY];
    const protocol_counter counters[] = {{"contacts", 7}};
    size_t last = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "peer/player %d/hand/left", i);
        devices[i] = (protocol_status_device){.device = names[i], .tracked = true};
    }
    for (size_t count = 0; count <= MANY; count += 100) {
        const protocol_status status = {.source = "none",
                                        .state = "running",
                                        .runtime = "",
                                        .detail = "",
                                        .devices = devices,
                                        .device_count = count,
                                        .counters = counters,
                                        .counter_count = 1};
        const size_t length = protocol_encode_status(line, sizeof line, "7", &status);
        cJSON *parsed;
        size_t listed;

        assert_true(length > 0 && length <= sizeof line && line[length - 1] == '\n');
        parsed = cJSON_ParseWithLength(line, length);
        assert_non_null(parsed);
        listed = (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(parsed, "devices"));
        assert_true(listed <= count && (listed == count || listed >= last));
        assert_true(listed == count || length > sizeof line * 9 / 10);
        assert_int_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(parsed, "counters"), "contacts")->valueint, 7);
        last = listed;
        cJSON_Delete(parsed);
    }
    assert_true(last > 400 && last < MANY);
}

static void hello_has_as_many_blades_as_fit(void **state)
{
    static char names[MANY][32], line[PROTOCOL_LINE_MAX];
    static clash_blade blades[MANY];
    protocol_session session = {
        .version = "1", .session = "s", .space = "stage", .blades = blades, .blade_count = MANY};
    size_t length;
    cJSON *parsed;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "player %d/right", i);
        blades[i] = (clash_blade){.name = names[i], .device = names[i]};
    }
    assert_int_equal(protocol_encode_hello(line, sizeof line, "", &session), 0);
    length = protocol_encode_hello_that_fits(line, sizeof line, "", &session);
    assert_true(length > 0);
    parsed = cJSON_ParseWithLength(line, length);
    assert_non_null(parsed);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(parsed, "blades")) > 100);
    cJSON_Delete(parsed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(status_has_as_many_devices_as_fit),
                                       cmocka_unit_test(hello_has_as_many_blades_as_fit)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

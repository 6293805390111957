/* Fields of a subscribe that are not known: they are passed over, and named, so that a wrong one is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"

static const protocol_subscribe *subscription(const char *line)
{
    static protocol_request request;
    protocol_error error;

    assert_int_equal(protocol_parse_request(line, strlen(line), &request, &error), 0);
    assert_int_equal(request.type, PROTOCOL_REQUEST_SUBSCRIBE);
    return &request.subscribe;
}

/** Of a long name what fits, whole characters of it; of many the first. */
static void what_is_not_known_is_named(void **state)
{
    static const char bytes62[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const protocol_subscribe *s;
    char line[1024];
    size_t length = 0;

    (void)state;
    assert_int_equal(subscription("{\"type\":\"subscribe\",\"id\":1,\"axes\":\"godot\"}")->ignored_count, 0);
    s = subscription("{\"\":1,\"type\":\"subscribe\",\"Events\":[],\"min_peak\":{\"axes\":1}}");
    assert_int_equal(s->ignored_count, 3);
    assert_string_equal(s->ignored[0], "");
    assert_string_equal(s->ignored[1], "Events");
    assert_string_equal(s->ignored[2], "min_peak");
    snprintf(line, sizeof line, "{\"type\":\"subscribe\",\"%s\u00e9b\":1,\"%sbc\":1}", bytes62, bytes62);
    s = subscription(line);
    assert_string_equal(s->ignored[0], bytes62);
    assert_int_equal(strlen(s->ignored[1]), 63);
    length = (size_t)sprintf(line, "{\"type\":\"subscribe\"");
    for (int i = 0; i < 40; i++)
        length += (size_t)sprintf(line + length, ",\"x%d\":0", i);
    memcpy(line + length, "}", sizeof "}");
    s = subscription(line);
    assert_int_equal(s->ignored_count, PROTOCOL_IGNORED_MAX);
    assert_string_equal(s->ignored[PROTOCOL_IGNORED_MAX - 1], "x15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_known_is_named)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

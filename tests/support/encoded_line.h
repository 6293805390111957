/* One line as clashd encodes it, held against the schema that its type names. */
#ifndef CLASHD_TESTS_ENCODED_LINE_H
#define CLASHD_TESTS_ENCODED_LINE_H

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"
#include "protocol/schema_check/schema.h"
#include "support/sample_events.h"

static char line[PROTOCOL_LINE_MAX];

/** The line without its newline, accepted by the schema that its type names. */
static inline const char *checked(size_t length)
{
    failure error = {0};
    char name[64];
    cJSON *value, *type;

    assert_in_range(length, 3, sizeof line - 1);
    assert_int_equal(line[length - 1], '\n');
    line[length - 1] = '\0';
    assert_int_equal(strlen(line), length - 1);
    assert_null(strchr(line, '\n'));
    value = cJSON_Parse(line);
    type = cJSON_GetObjectItemCaseSensitive(value, "type");
    assert_true(cJSON_IsString(type));
    snprintf(name, sizeof name, "%s%s", strcmp(type->valuestring, "recording") == 0 ? "" : "server/",
             type->valuestring);
    protocol_schema_validate(protocol_schema_get(name), value, &error);
    assert_string_equal(error.text, "");
    cJSON_Delete(value);
    return line;
}

static inline const char *event_line(const clash_event *event)
{
    return checked(protocol_encode_event(line, sizeof line, event, SAMPLE_EPOCH_NS));
}

#endif

/* The validator: what it says of each kind of mistake, word for word, that our own schemas use only what it understands,
 * and that what compiles them tells what it does not. That it judges as another implementation does is lint/protocol_test.py's matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/schema_check/compiler/compile.h"
#include "protocol/schema_check/describe.h"
#include "protocol/schema_check/node.h"
#include "protocol/schema_check/schema.h"

/** What the schema of that name says of a JSON text; "" where nothing. */
static const char *said_of(const char *name, const char *text)
{
    static failure error;
    const protocol_schema *schema = protocol_schema_get(name);
    cJSON *value = cJSON_Parse(text);
    int result;

    assert_non_null(schema);
    assert_non_null(value);
    error = (failure){0};
    result = protocol_schema_validate(schema, value, &error);
    assert_int_equal(result, error.text[0] ? -1 : 0);
    cJSON_Delete(value);
    return error.text;
}

static void every_schema_is_there(void **state)
{
    size_t count = 0;

    (void)state;
    for (const char *name; (name = protocol_schema_name(count)) != NULL; count++)
        assert_non_null(protocol_schema_get(name));
    assert_in_range(count, 17, 64);
    assert_null(protocol_schema_name(1000));
    assert_null(protocol_schema_get("server/nothing"));
}

static const char *unknown_in(const char *text)
{
    static char keyword[64];
    static schema_compilation c;
    cJSON *common =
        cJSON_Parse("{\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":\"common.schema.json#/$defs/a\"}},"
                    "\"b\":{\"type\":\"string\"}}}");
    cJSON *schema = cJSON_Parse(text);

    assert_non_null(schema);
    c = (schema_compilation){.common = common, .arrays = fopen("/dev/null", "w"), .nodes = fopen("/dev/null", "w")};
    assert_true(c.arrays && c.nodes);
    schema_compile(&c, schema);
    fclose(c.arrays);
    fclose(c.nodes);
    snprintf(keyword, sizeof keyword, "%s", c.unknown ? c.unknown : "");
    cJSON_Delete(schema);
    cJSON_Delete(common);
    return keyword;
}

static void what_is_not_understood_is_found(void **state)
{
    static const char *const cases[][2] = {
        {"{\"type\":\"string\",\"description\":\"d\",\"default\":\"x\"}", ""},
        {"{\"$ref\":\"../common.schema.json#/$defs/b\",\"description\":\"d\"}", ""},
        {"{\"type\":\"string\",\"pattern\":\"^a\"}", "pattern"},
        {"{\"properties\":{\"a\":{\"items\":{\"type\":\"number\",\"exclusiveMaximum\":1}}}}", "exclusiveMaximum"},
        {"{\"$defs\":{\"a\":{\"multipleOf\":2}}}", "multipleOf"},
        {"{\"type\":\"strin\"}", "type"},
        {"{\"type\":[\"string\",\"nul\"]}", "type"},
        {"{\"const\":1}", "const"},
        {"{\"minimum\":\"1\"}", "minimum"},
        {"{\"minLength\":-1}", "minLength"},
        {"{\"items\":[{\"type\":\"number\"}]}", "items"},
        {"{\"properties\":{\"a\":true}}", "properties"},
        {"{\"$defs\":{\"a\":1}}", "$defs"},
        {"{\"additionalProperties\":true}", "additionalProperties"},
        {"{\"additionalProperties\":{\"type\":\"number\"}}", ""},
        {"{\"additionalProperties\":{\"type\":\"numbe\"}}", "type"},
        {"{\"required\":[1]}", "required"},
        {"{\"$ref\":\"common.schema.json#/$defs/nothing\"}", "$ref"},
        {"{\"$ref\":\"other.schema.json#/$defs/b\"}", "$ref"},
        {"{\"$ref\":\"common.schema.json#/$defs/a\"}", "$ref"},
        {"{\"$ref\":\"common.schema.json#/$defs/b\",\"maxLength\":3}", "maxLength"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(unknown_in(cases[i][0]), cases[i][1]);
}

static void mistakes_in_settings(void **state)
{
    static const char *const cases[][2] = {
        {"{}", ""},
        {"{\"contact\":{\"hold_rate_hz\":\"x\"}}", "contact.hold_rate_hz: expected a number from 0 to 1000, got \"x\""},
        {"{\"contact\":{\"hold_rate_hz\":1000}}", ""},
        {"{\"contact\":{\"hold_rate_hz\":1000.5}}",
         "contact.hold_rate_hz: expected a number from 0 to 1000, got 1000.5"},
        {"{\"contact\":{\"margin\":-0.001}}", "contact.margin: expected a number from 0 to 1, got -0.001"},
        {"{\"contact\":{\"full_intensity_speed\":0}}",
         "contact.full_intensity_speed: expected a number above 0, at most 1000, got 0"},
        {"{\"contact\":{\"require_tracked\":1}}", "contact.require_tracked: expected true or false, got 1"},
        {"{\"contact\":null}", "contact: expected an object, got null"},
        {"{\"contact\":{\"hold_rate\":3}}", "contact: unknown key \"hold_rate\", is it \"hold_rate_hz\"? Allowed are "
                                            "margin, release_margin, min_closing_speed, hold_rate_hz, "
                                            "max_gap_ms, require_tracked, full_intensity_speed, "
                                            "intensity_curve"},
        {"{\"blade\":[]}", "unknown key \"blade\", is it \"blades\"? Allowed are $schema, blades, targets, contact, "
                           "openxr, socket, record, viewer, osc, mqtt, room, log"},
        {"{\"a\\u001bb\":1}", "unknown key \"a\\u001bb\"; allowed are $schema, blades, targets, contact, openxr, "
                              "socket, record, viewer, osc, mqtt, room, log"},
        {"[]", "expected an object, got []"},
        {"{\"openxr\":{\"space\":\"floor\"}}", "openxr.space: expected one of \"stage\", \"local\", got \"floor\""},
        {"{\"socket\":{\"path\":\"\"}}", "socket.path: expected a string of 1 to 107 characters or null, got \"\""},
        {"{\"socket\":{\"path\":null,\"max_clients\":1.5}}",
         "socket.max_clients: expected an integer from 1 to 65536, got 1.5"},
        {"{\"socket\":{\"max_clients\":2.0}}", ""},
        {"{\"record\":{\"rotate_bytes\":1e300}}",
         "record.rotate_bytes: expected an integer from 65536 to 1099511627776, got 1e+300"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(said_of("config", cases[i][0]), cases[i][1]);
}

static void the_closest_key_is_named(void **state)
{
    static const char *const cases[][2] = {
        {"margin", "margin"},
        {"margn", "margin"},
        {"Margin", "margin"},
        {"release-margin", "release_margin"},
        {"hold_rate", "hold_rate_hz"},
        {"holdratehz", "hold_rate_hz"},
        {"max_gap", "max_gap_ms"},
        {"speed", NULL},
        {"x", NULL},
        {"", NULL},
        {"min_release_speed_of_all_the_blades_that_there_are_in_the_world", NULL},
    };
    static const protocol_schema any;
    static const schema_member members[] = {
        {"margin", &any}, {"release_margin", &any}, {"hold_rate_hz", &any}, {"max_gap_ms", &any}, {"a", &any},
        {"speed", 0}};
    static const protocol_schema schema = {.members = members, .member_count = sizeof members / sizeof members[0]};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *closest = schema_closest_key(&schema, cases[i][0]);

        if (!cases[i][1])
            assert_null(closest);
        else
            assert_string_equal(closest ? closest : "none", cases[i][1]);
    }
}

#define BLADE_BEGINS "{\"name\":\"a\",\"device\":\"b\",\"base\":[0,0,0],"

static void mistakes_in_blades(void **state)
{
    static const char *const cases[][2] = {
        {"[" BLADE_BEGINS "\"tip\":[0,0,-1],\"radius\":0.01}]", ""},
        {"[" BLADE_BEGINS "\"tip\":[0,0,-1],\"radius\":0.01}," BLADE_BEGINS "\"tip\":[0,-1],\"radius\":0}]",
         "blades[1].tip: expected an array of 3 numbers, got [0,-1]"},
        {"[" BLADE_BEGINS "\"tip\":[0,0,null],\"radius\":0}]",
         "blades[0].tip[2]: expected a number from -10000 to 10000, got null"},
        {"[{\"name\":\"a\",\"tip\":[0,0,-1]}]", "blades[0]: \"device\" is missing"},
        {"[{}]", "blades[0]: \"name\" is missing"},
        {"[]", ""},
        {"{}", "blades: expected an array of at most 64 objects, got {}"},
        {"[7]", "blades[0]: expected an object, got 7"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];

        snprintf(text, sizeof text, "{\"blades\":%s}", cases[i][0]);
        assert_string_equal(said_of("config", text), cases[i][1]);
    }
}

static void characters_count_not_bytes(void **state)
{
    static const char sword[] = "\xf0\x9f\x97\xa1";
    char text[700], name[64 * 4 + 1];

    (void)state;
    for (size_t count = 63; count <= 64; count++) {
        for (size_t i = 0; i < count; i++)
            memcpy(name + 4 * i, sword, sizeof sword);
        snprintf(text, sizeof text,
                 "{\"blades\":[{\"name\":\"%s\",\"device\":\"b\",\"base\":[0,0,0],\"tip\":[0,0,0],\"radius\":1}]}",
                 name);
        if (count == 63)
            assert_string_equal(said_of("config", text), "");
        else
            assert_non_null(strstr(said_of("config", text), "blades[0].name: expected a string of 1 to 63 characters"));
    }
}

static void mistakes_in_messages(void **state)
{
    (void)state;
    assert_string_equal(said_of("client/subscribe", "{\"type\":\"subscribe\",\"weather\":[[[1]]]}"), "");
    assert_string_equal(said_of("client/subscribe", "{\"type\":\"ping\"}"),
                        "type: expected \"subscribe\", got \"ping\"");
    assert_string_equal(said_of("client/ping", "{\"type\":\"ping\",\"id\":true}"),
                        "id: expected a string of at most 128 characters or an integer from -9007199254740991 to "
                        "9007199254740991, got true");
    assert_string_equal(said_of("server/poses", "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[{\"device\":\"a\","
                                                "\"position\":[0,0,0],\"orientation\":[0,0,1],\"tracked\":true}]}"),
                        "poses[0].orientation: expected an array of 4 numbers, got [0,0,1]");
    assert_string_equal(said_of("server/clash", "{\"type\":\"clash\",\"seq\":-1}"),
                        "seq: expected an integer from 0 to 9007199254740991, got -1");
    assert_string_equal(said_of("server/release", "{\"type\":\"release\",\"reason\":\"bored\"}"),
                        "reason: expected one of \"apart\", \"track_cut\", \"removed\", got \"bored\"");
    assert_string_equal(said_of("server/status", "{\"counters\":{\"any\":1,\"name\":-1}}"),
                        "counters.name: expected an integer from 0 to 9007199254740991, got -1");
    assert_string_equal(said_of("server/status", "{\"counters\":{\"any one\":1.5}}"),
                        "counters[0]: expected an integer from 0 to 9007199254740991, got 1.5");
    assert_string_equal(said_of("server/status", "{\"counters\":{\"any\":1,\"name\":2}}"), "\"type\" is missing");
}

static void the_first_mistake_counts(void **state)
{
    cJSON *value = cJSON_Parse("{\"contact\":{\"hold_rate_hz\":\"x\"}}");
    failure error = {0};

    (void)state;
    assert_int_equal(protocol_schema_validate(protocol_schema_get("config"), value, &error), -1);
    assert_int_equal(protocol_schema_validate(protocol_schema_get("client/ping"), value, &error), -1);
    assert_string_equal(error.text, "contact.hold_rate_hz: expected a number from 0 to 1000, got \"x\"");
    cJSON_Delete(value);
}

static void long_values_are_cut(void **state)
{
    char text[200];

    (void)state;
    snprintf(text, sizeof text, "{\"openxr\":{\"space\":\"%0150d\"}}", 0);
    assert_string_equal(said_of("config", text),
                        "openxr.space: expected one of \"stage\", \"local\", got "
                        "\"000000000000000000000000000000000000000000000000000000000000000000000000000...");
    /* never within a character */
    snprintf(text, sizeof text, "{\"openxr\":{\"space\":\"%074d\xf0\x9f\x97\xa1%010d\"}}", 0, 0);
    assert_string_equal(said_of("config", text),
                        "openxr.space: expected one of \"stage\", \"local\", got "
                        "\"00000000000000000000000000000000000000000000000000000000000000000000000000...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schema_is_there),    cmocka_unit_test(what_is_not_understood_is_found),
        cmocka_unit_test(the_closest_key_is_named), cmocka_unit_test(mistakes_in_settings),
        cmocka_unit_test(mistakes_in_blades),       cmocka_unit_test(characters_count_not_bytes),
        cmocka_unit_test(mistakes_in_messages),     cmocka_unit_test(the_first_mistake_counts),
        cmocka_unit_test(long_values_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

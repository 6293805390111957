/* Blades of parts on the wire: what a client may ask for and what it is told where it is wrong, in whose axes, and what
 * lists of blades say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/codec.h"
#include "protocol/messages/parse_blade.h"
#include "protocol/schema_check/schema.h"
#include "support/sample_events.h"

#define BLADE(fields) "{\"type\":\"blade\",\"id\":1,\"name\":\"npc\",\"device\":\"npc/hand\"," fields "}"
#define PARTS(parts) BLADE("\"parts\":[" parts "]")
#define CURVE \
    "{\"name\":\"blade\",\"points\":[[0,0,0],[0,0,-0.5],[0,0.25,-1]],\"radius\":0.0625,\"edge\":[0,-1,0.5],\"x\":1}"
#define GUARD "{\"name\":\"guard\",\"base\":[-0.125,0,0.25],\"tip\":[0.125,0,0],\"radius\":0.03125}"

static protocol_request request;
static protocol_error mistake;

static const clash_sword *sword_of(const char *line)
{
    if (protocol_parse_request(line, strlen(line), &request, &mistake) != 0)
        fail_msg("%s: %s", line, mistake.message);
    assert_int_equal(request.type, PROTOCOL_REQUEST_BLADE);
    return &request.blade.sword;
}

static void assert_vector(clash_vec3 v, float x, float y, float z)
{
    assert_true(v.x == x && v.y == y && v.z == z);
}

static void parts_are_read(void **state)
{
    const clash_sword *sword = sword_of(PARTS(CURVE "," GUARD));

    (void)state;
    assert_int_equal(sword->part_count, 2);
    assert_int_equal(sword->capsule_count, 3);
    assert_string_equal(sword->parts[0].name, "blade");
    assert_true(sword->parts[0].first == 0 && sword->parts[0].count == 2 && sword->parts[0].has_edge);
    assert_vector(sword->parts[0].edge, 0, -1, 0.5f);
    assert_string_equal(sword->parts[1].name, "guard");
    assert_true(sword->parts[1].first == 2 && sword->parts[1].count == 1 && !sword->parts[1].has_edge);
    assert_vector(sword->capsules[1].base, 0, 0, -0.5f);
    assert_vector(sword->capsules[1].tip, 0, 0.25f, -1);
    assert_vector(sword->capsules[2].base, -0.125f, 0, 0.25f);
    assert_true(sword->capsules[0].radius == 0.0625f && sword->capsules[2].radius == 0.03125f);
    assert_vector(request.blade.properties.shape.base, 0, 0, 0);
    assert_vector(request.blade.properties.shape.tip, 0, 0.25f, -1);
    assert_true(request.blade.properties.has_edge);
    /* The one after it has none of it. */
    assert_int_equal(sword_of(BLADE("\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":0.5"))->part_count, 0);
    assert_false(request.blade.properties.has_edge);
}

static void axes_are_those_of_all_parts(void **state)
{
    const clash_sword *sword = sword_of(BLADE("\"parts\":[" CURVE "," GUARD "],\"axes\":\"unity\""));

    (void)state;
    assert_vector(sword->parts[0].edge, 0, -1, -0.5f);
    assert_vector(sword->capsules[1].tip, 0, 0.25f, 1);
    assert_vector(sword->capsules[2].base, -0.125f, 0, -0.25f);
    assert_vector(request.blade.properties.shape.tip, 0, 0.25f, 1);
    assert_vector(request.blade.properties.edge, 0, -1, -0.5f);
}

static void wrong_parts_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {PARTS(""), "parts: expected an array of 1 to 16 items, got []"},
        {PARTS("[]"), "parts[0]: expected an object"},
        {PARTS("{\"name\":\"a\",\"radius\":1}"), "parts[0].base: expected either points, or base and tip"},
        {PARTS("{\"name\":\"a\",\"radius\":2,\"points\":[[0,0,0],[0,0,1]]}"), "parts[0].radius: expected a number"},
        {PARTS("{\"name\":\"a\",\"radius\":1,\"points\":[[0,0,0],[0,0]]}"),
         "parts[0].points[1]: expected an array of 3"},
        {PARTS("{\"name\":\"a\",\"radius\":1,\"points\":[[0,0,0],[0,0,1e39]]}"),
         "parts[0].points[1][2]: expected a number from -10000 to 10000"},
        {PARTS(CURVE "," CURVE), "parts[1].name: \"blade\" is the name of parts[0] already: each needs its own"},
        {PARTS(GUARD ",{\"name\":\"a\",\"radius\":1,\"base\":[0,0,0],\"tip\":[0,0,0],\"edge\":[0,0,0]}"),
         "parts[1].edge: has no length"},
        {PARTS(
             "{\"name\":\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
             "\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\",\"radius\":1,\"base\":[0,0,0],\"tip\":[0,0,0]}"),
         "parts[0].name: expected at most 31 bytes of UTF-8"},
        {BLADE("\"radius\":0.5,\"parts\":[" GUARD "]"),
         "radius: stands beside parts, which have their own: expected either parts, or base, tip and radius"},
        {BLADE("\"base\":[0,0,0],\"tip\":[0,0,1]"),
         "radius: is missing: expected either parts, or base, tip and radius"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (protocol_parse_request(cases[i][0], strlen(cases[i][0]), &request, &mistake) == 0)
            fail_msg("%s was taken", cases[i][0]);
        assert_int_equal(mistake.code, PROTOCOL_ERROR_BAD_MESSAGE);
        assert_string_equal(request.id, "1");
        if (strncmp(mistake.message, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("\"%s\" is not \"%s\"", mistake.message, cases[i][1]);
    }
}

/* As many capsules as there may be, however they are spread over parts, and one more. */
static void capsules_are_counted(void **state)
{
    (void)state;
    for (int in_first = 1; in_first <= 16; in_first++) {
        for (int more = 0; more < 2; more++) {
            char line[4096],
                *at = line + sprintf(line, "{\"type\":\"blade\",\"name\":\"n\",\"device\":\"d\",\"parts\":["
                                           "{\"name\":\"a\",\"radius\":0.5,\"points\":[[0,0,0]");

            for (int i = 0; i < in_first; i++)
                at += sprintf(at, ",[0,0,%d]", i + 1);
            at += sprintf(at, "]}");
            for (int i = in_first; i < 16 + more; i++)
                at += sprintf(at, ",{\"name\":\"p%d\",\"radius\":0.5,\"base\":[0,0,0],\"tip\":[1,0,0]}", i);
            sprintf(at, "]}");
            if (more) {
                assert_int_equal(protocol_parse_request(line, strlen(line), &request, &mistake), -1);
                assert_non_null(strstr(mistake.message, "parts: "));
                assert_non_null(strstr(mistake.message, "16"));
            } else {
                assert_int_equal(sword_of(line)->capsule_count, 16);
                assert_int_equal(sword_of(line)->part_count, 17 - in_first);
            }
        }
    }
}

/* With base, tip, radius and edge for those who know no parts. */
static void lists_have_both(void **state)
{
    static char line[PROTOCOL_LINE_MAX];
    const clash_sword *sword = sword_of(PARTS(CURVE "," GUARD));
    const clash_blade blade = {.name = "npc",
                               .device = "npc/hand",
                               .properties.shape = request.blade.properties.shape,
                               .properties.has_edge = true,
                               .properties.edge = request.blade.properties.edge,
                               .sword = sword};
    protocol_session session;
    failure error = {0};
    cJSON *value;

    (void)state;
    sample_session(&session);
    session.blades = &blade;
    session.blade_count = 1;
    assert_true(protocol_encode_hello(line, sizeof line, "", &session) > 0);
    assert_non_null(strstr(line,
                           "\"blades\":[{\"name\":\"npc\",\"device\":\"npc/hand\",\"base\":[0,0,0],\"tip\":[0,0.25,-1],"
                           "\"radius\":0.0625,\"edge\":[0,-1,0.5],\"parts\":[{\"name\":\"blade\","
                           "\"points\":[[0,0,0],[0,0,-0.5],[0,0.25,-1]],\"radius\":0.0625,\"edge\":[0,-1,0.5]},"
                           "{\"name\":\"guard\",\"points\":[[-0.125,0,0.25],[0.125,0,0]],\"radius\":0.03125}]}]"));
    value = cJSON_Parse(line);
    assert_int_equal(protocol_schema_validate(protocol_schema_get("server/hello"), value, &error), 0);
    cJSON_Delete(value);
    assert_true(protocol_encode_recorded_blade(line, sizeof line, 7, &blade) > 0);
    value = cJSON_Parse(line);
    assert_int_equal(protocol_schema_validate(protocol_schema_get("recording/blade"), value, &error), 0);
    cJSON_Delete(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read),          cmocka_unit_test(axes_are_those_of_all_parts),
        cmocka_unit_test(wrong_parts_are_refused), cmocka_unit_test(capsules_are_counted),
        cmocka_unit_test(lists_have_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

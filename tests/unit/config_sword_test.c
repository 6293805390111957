/* Blades of several parts in the configuration: what is right is taken, what is wrong is named by place and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/config_fixture.h"
#include "support/fresh.h"

#define PARTS(parts) "{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"parts\":[" parts "]}]}"
#define AXIS "\"base\":[0,0,0],\"tip\":[0,0,1]"
#define NINE_POINTS "[0,0,0],[0,0,1],[0,0,2],[0,0,3],[0,0,4],[0,0,5],[0,0,6],[0,0,7],[0,0,8]"
#define PART(name) "{\"name\":\"" name "\"," AXIS ",\"radius\":0.01}"

static const struct {
    const char *text;
    const char *says[3];
} wrong_parts[] = {
    {PARTS(""), {"blades[0].parts", "1 to 16", "[]"}},
    {PARTS("7"), {"blades[0].parts[0]", "object", "7"}},
    {PARTS("{" AXIS ",\"radius\":0.01}"), {"blades[0].parts[0]", "\"name\" is missing", ""}},
    {PARTS("{\"name\":\"p\"," AXIS "}"), {"blades[0].parts[0]", "\"radius\" is missing", ""}},
    {PARTS("{\"name\":\"p\"," AXIS ",\"radius\":0.01,\"egde\":[0,1,0]}"), {"parts[0]", "\"egde\"", "\"edge\""}},
    {PARTS("{\"name\":\"\"," AXIS ",\"radius\":0.01}"), {"parts[0].name", "1 to 31 characters", ""}},
    {PARTS("{\"name\":\"p\",\"radius\":0.01}"), {"blades.a.parts[0].base", "points", "tip"}},
    {PARTS("{\"name\":\"p\",\"base\":[0,0,0],\"radius\":0.01}"), {"blades.a.parts[0]", "points", "tip"}},
    {PARTS("{\"name\":\"p\"," AXIS ",\"points\":[[0,0,0],[0,0,1]],\"radius\":0.01}"),
     {"blades.a.parts[0].base", "either points, or base and tip", ""}},
    {PARTS("{\"name\":\"p\",\"points\":[[0,0,0]],\"radius\":0.01}"), {"parts[0].points", "2 to 17", ""}},
    {PARTS("{\"name\":\"p\"," AXIS ",\"radius\":0.01,\"edge\":[0,0,0]}"), {"blades.a.parts[0].edge", "length", ""}},
    {PARTS("{\"name\":\"p\"," AXIS ",\"radius\":-0.01}"), {"parts[0].radius", "0 to 1", "-0.01"}},
    {PARTS(PART("p") "," PART("q") "," PART("p")), {"blades.a.parts[2].name", "\"p\"", "parts[0]"}},
    {PARTS("{\"name\":\"p\",\"points\":[" NINE_POINTS "],\"radius\":0.01},"
           "{\"name\":\"q\",\"points\":[" NINE_POINTS "],\"radius\":0.01}," PART("r")),
     {"blades.a.parts", "more than 16 capsules", "at most 16"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"tip\":[0,0,1],\"parts\":[" PART("p") "]}]}",
     {"blades.a.tip", "parts", "either"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"edge\":[0,1,0],\"parts\":[" PART("p") "]}]}",
     {"blades.a.edge", "parts", "their own"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\"}]}", {"blades.a.base", "is missing", "either parts, or base"}},
};

static void wrong_parts_are_named(void **state)
{
    const config_values defaults = make_defaults();
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong_parts / sizeof wrong_parts[0]; i++) {
        config_values config = defaults;

        if (apply(&config, wrong_parts[i].text, fresh(&error)) != CONFIG_BAD)
            fail_msg("%s was taken", wrong_parts[i].text);
        assert_contains(error.text, ORIGIN ":");
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.text, wrong_parts[i].says[j]);
        assert_memory_equal(&config, &defaults, sizeof config);
    }
}

static void check_sabre(const clash_blade_definition *blade)
{
    const clash_sword *sword = &blade->sword;

    assert_int_equal(sword->part_count, 2);
    assert_int_equal(sword->capsule_count, 3);
    assert_string_equal(sword->parts[0].name, "blade");
    assert_true(sword->parts[0].first == 0 && sword->parts[0].count == 2 && sword->parts[0].has_edge);
    assert_vector(sword->parts[0].edge, 0, -1, 0);
    assert_string_equal(sword->parts[1].name, "guard");
    assert_true(sword->parts[1].first == 2 && sword->parts[1].count == 1 && !sword->parts[1].has_edge);
    assert_vector(sword->capsules[0].tip, 0, 0, -0.5f);
    assert_vector(sword->capsules[1].base, 0, 0, -0.5f);
    assert_vector(sword->capsules[1].tip, 0, 0.25f, -1);
    assert_vector(sword->capsules[2].tip, 0.125f, 0, 0);
    assert_true(sword->capsules[1].radius == 0.0625f && sword->capsules[2].radius == 0.03125f);
    /* Where only one capsule can be told: the first part's. */
    assert_vector(blade->properties.shape.base, 0, 0, 0);
    assert_vector(blade->properties.shape.tip, 0, 0.25f, -1);
    assert_true(blade->properties.shape.radius == 0.0625f && blade->properties.has_edge);
}

static void a_blade_may_have_parts(void **state)
{
    static const char text[] =
        "[{\"name\":\"blade\",\"points\":[[0,0,0],[0,0,-0.5],[0,0.25,-1]],\"radius\":0.0625,\"edge\":[0,-1,0]},"
        "{\"name\":\"guard\",\"base\":[-0.125,0,0],\"tip\":[0.125,0,0],\"radius\":0.03125}]";
    config_values config = make_defaults();
    failure error = {0};
    char document[512];

    (void)state;
    snprintf(document, sizeof document, "{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"parts\":%s}]}", text);
    assert_int_equal(apply(&config, document, fresh(&error)), CONFIG_OK);
    check_sabre(&config.blades[0]);
    /* One at a time, in the place of base, tip, radius and edge; and others beside it are as they were. */
    config = make_defaults();
    snprintf(document, sizeof document, "blades.left.parts=%s", text);
    assert_int_equal(config_set(&config, document, fresh(&error)), CONFIG_OK);
    check_sabre(&config.blades[0]);
    assert_int_equal(config_set(&config, "blades.right.radius=0.5", fresh(&error)), CONFIG_OK);
    check_sabre(&config.blades[0]);
    assert_int_equal(config.blades[1].sword.part_count, 0);
    assert_int_equal(config_set(&config, "blades.left.radius=0.5", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "blades.left.radius: stands beside parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_parts_are_named),
        cmocka_unit_test(a_blade_may_have_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

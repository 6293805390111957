/* What a piece of a recording has to begin with: the blades that clients had defined and that are still there, in order, and
 * whatever was said of a blade that the header has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/definitions.h"

typedef struct fixture {
    recording_header header;
    recording_item item;
    definitions kept;
    char text[4096];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    definitions_init(&f->kept, &f->header);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    definitions_finish(&f->kept);
    free(f);
    return 0;
}

static void header_has(fixture *f, const char *name, const char *device)
{
    clash_blade_definition *blade = &f->header.blades[f->header.blade_count++];

    f->header.has_blades = true;
    snprintf(blade->name, sizeof blade->name, "%s", name);
    snprintf(blade->device, sizeof blade->device, "%s", device);
}

/** Each line's text says what it is: "+name@device", "-name", "-@device". */
static void add(fixture *f, const char *text)
{
    const char *at = strchr(text, '@');
    int length = at ? (int)(at - text) - 1 : (int)strlen(text) - 1;

    f->item = (recording_item){.kind = text[0] == '+' ? RECORDING_BLADE : RECORDING_REMOVE, .text = text};
    snprintf(f->item.blade.name, sizeof f->item.blade.name, "%.*s", length, text + 1);
    snprintf(f->item.blade.device, sizeof f->item.blade.device, "%s", at && text[0] == '+' ? at + 1 : "");
    snprintf(f->item.device, sizeof f->item.device, "%s", at && text[0] == '-' ? at + 1 : "");
    assert_int_equal(definitions_add(&f->kept, &f->item), 0);
}

static void expect(fixture *f, const char *texts)
{
    size_t length = 0;

    f->text[0] = '\0';
    for (size_t i = 0; i < f->kept.count; i++)
        length +=
            (size_t)snprintf(f->text + length, sizeof f->text - length, "%s%s", i ? " " : "", f->kept.lines[i].text);
    assert_string_equal(f->text, texts);
}

static void what_is_gone_is_forgotten(void **state)
{
    fixture *f = *state;

    header_has(f, "left", "hand");
    add(f, "+a@1");
    add(f, "+b@2");
    add(f, "+c@2");
    add(f, "+d@3");
    expect(f, "+a@1 +b@2 +c@2 +d@3");
    add(f, "-a");
    expect(f, "+b@2 +c@2 +d@3");
    add(f, "-@2");
    expect(f, "+d@3");
    add(f, "-@5");
    add(f, "-e");
    expect(f, "+d@3");
}

/* A blade that is defined anew is a new one: it comes behind those that were there. */
static void the_last_definition_counts(void **state)
{
    fixture *f = *state;

    header_has(f, "left", "hand");
    add(f, "+a@1");
    add(f, "+b@2");
    add(f, "+a@3");
    expect(f, "+b@2 +a@3");
    add(f, "-@1");
    expect(f, "+b@2 +a@3");
    add(f, "-@3");
    expect(f, "+b@2");
}

/* The header's blade would be there again if what was said of it were not. */
static void the_headers_blades_stay_as_they_were(void **state)
{
    fixture *f = *state;

    header_has(f, "left", "hand");
    header_has(f, "right", "other");
    add(f, "+left@npc");
    add(f, "-@npc");
    expect(f, "+left@npc -@npc");
    add(f, "-right");
    add(f, "-@hand");
    add(f, "+a@hand");
    expect(f, "+left@npc -@npc -right -@hand +a@hand");
    add(f, "-a");
    expect(f, "+left@npc -@npc -right -@hand");
}

/* Whoever reads it may have blades of any name then. */
static void without_a_header_of_blades_removals_stay(void **state)
{
    fixture *f = *state;

    add(f, "+a@1");
    add(f, "-a");
    expect(f, "");
    add(f, "-left");
    add(f, "-@hand");
    expect(f, "-left -@hand");
}

static void what_comes_and_goes_takes_no_memory(void **state)
{
    fixture *f = *state;
    char text[64];

    header_has(f, "left", "hand");
    for (int i = 0; i < 10000; i++) {
        snprintf(text, sizeof text, "+npc %d@npc/%d", i, i);
        add(f, text);
        snprintf(text, sizeof text, i % 2 ? "-npc %d" : "-@npc/%d", i);
        add(f, text);
    }
    assert_int_equal(f->kept.count, 0);
    assert_true(f->kept.capacity <= 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_gone_is_forgotten),
        TEST(the_last_definition_counts),
        TEST(the_headers_blades_stay_as_they_were),
        TEST(without_a_header_of_blades_removals_stay),
        TEST(what_comes_and_goes_takes_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

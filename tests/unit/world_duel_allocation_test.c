/* The example of the public world, geometry/examples/duel.c, with a counting allocator: after the first second of a duel no step
 * allocates; and where memory ends, what is lost is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/allocations.h"

#define main duel_main
#include "geometry/examples/duel.c" // NOLINT(bugprone-suspicious-include)
#undef main

#define SECOND_NS INT64_C(1000000000)

static clash_world *make(void)
{
    const clash_blade left = blade("left", "/user/hand/left"), right = blade("right", "/user/hand/right");
    clash_world *world = clash_world_create(NULL);

    assert_non_null(world);
    assert_null(clash_world_set_blade(world, &left));
    assert_null(clash_world_set_blade(world, &right));
    return world;
}

static void no_step_allocates(void **state)
{
    clash_world *world = make();
    FILE *file = fopen(TEST_DATA "/duel-20s.jsonl", "r");
    unsigned long before = 0;
    size_t clashes = 0;
    char line[4096];

    (void)state;
    assert_non_null(file);
    for (int64_t step = 0; fgets(line, sizeof line, file); step++) {
        clash_events found = {NULL, 0};

        if (step == 100) /* of 90 Hz */
            before = allocations;
        if (add_samples(world, line))
            found = clash_world_step(world);
        for (size_t i = 0; i < found.count; i++)
            clashes += found.events[i].kind == CLASH_EVENT_CLASH;
    }
    assert_true(before > 0);
    assert_int_equal(allocations, before);
    assert_int_equal(clashes, 28);
    assert_int_equal(clash_world_get_counters(world).starved, 0);
    fclose(file);
    clash_world_destroy(world);
}

static void memory_that_ends(void **state)
{
    (void)state;
    for (unsigned long left = 0; left < 60; left++) {
        FILE *file = fopen(TEST_DATA "/duel-20s.jsonl", "r");
        clash_world *world = make();
        size_t clashes = 0;
        char line[4096];

        assert_non_null(file);
        allocations_left = left;
        while (fgets(line, sizeof line, file)) {
            const clash_events found = add_samples(world, line) ? clash_world_step(world) : (clash_events){NULL, 0};

            for (size_t i = 0; i < found.count; i++)
                clashes += found.events[i].kind == CLASH_EVENT_CLASH;
        }
        allocations_left = -1ul;
        assert_true(clashes == 28 || clash_world_get_counters(world).starved > 0);
        fclose(file);
        clash_world_destroy(world);
    }
}

static void memory_that_ends_at_creation(void **state)
{
    unsigned long failed = 0;

    (void)state;
    for (unsigned long left = 0; failed == left; left++) {
        clash_world *world;

        allocations_left = left;
        world = clash_world_create(NULL);
        allocations_left = -1ul;
        failed += !world;
        clash_world_destroy(world);
    }
    assert_in_range(failed, 2, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_allocates),
        cmocka_unit_test(memory_that_ends),
        cmocka_unit_test(memory_that_ends_at_creation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

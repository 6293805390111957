/* A call's answer depends on its arguments alone: not on what was asked before it, nor on what lies on the stack, which is
 * written full of one thing or another between calls. The same bits whatever the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/calls.h"

enum { EACH = 57, CALLS = CALL_KINDS * EACH, ROUNDS = 8 };

static const clash_span whole = {0, 1};
static calls_world world;
static uint64_t answers[CALLS];

/* Words that look like a small number where an int is read, and like a length where a double is. */
static const uint64_t words[] = {0,
                                 UINT64_MAX,
                                 UINT64_C(0x4044000000000003),  /* 3, or 40.0 */
                                 UINT64_C(0x3ff0000000000002),  /* 2, or 1.0 */
                                 UINT64_C(0x3fb0000100000001),  /* 1, or 0.06 */
                                 UINT64_C(0x7fefffff7f7fffff)}; /* the largest, as float and as double */

static __attribute__((noinline)) void scribble(uint64_t word)
{
    volatile uint64_t room[12000];

    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        room[i] = word;
}

static uint64_t ask(int call)
{
    return call_any(BITS_HASH_EMPTY, &world, (call_kind)(call % CALL_KINDS), call / CALL_KINDS);
}

static void shuffle(random_state *r, int order[CALLS])
{
    for (int i = CALLS - 1; i > 0; i--) {
        int k = random_below(r, i + 1), keep = order[i];

        order[i] = order[k];
        order[k] = keep;
    }
}

static void answers_do_not_depend_on_what_was_asked_before(void **state)
{
    random_state r = {random_seed(20261104)};
    int order[CALLS];

    (void)state;
    for (int i = 0; i < CALLS; i++)
        order[i] = i;
    for (int i = 0; i < CALLS; i++) {
        scribble(0);
        answers[i] = ask(i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        shuffle(&r, order);
        for (int i = 0; i < CALLS; i++) {
            uint64_t word = words[random_below(&r, (int)(sizeof words / sizeof *words))];

            if (round > 0)
                scribble(word);
            if (ask(order[i]) != answers[order[i]])
                fail_msg("call %d of kind %d answers otherwise after %016llx, round %d", order[i] / CALL_KINDS,
                         order[i] % CALL_KINDS, (unsigned long long)word, round);
        }
    }
}

/** A square of 1 m across x, and a blade that goes through it along its own axis: it touches from 0.16 to 0.508. */
static size_t follow_through_a_square(clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX])
{
    static const clash_vec3 corners[4] = {{0, -0.5f, -0.5f}, {0, 0.5f, -0.5f}, {0, 0.5f, 0.5f}, {0, -0.5f, 0.5f}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const clash_capsule shape = {{0, 0, 0}, {0.8f, 0, 0}, 0.02f};
    const clash_quat still = {0, 0, 0, 1};
    const impact_parts blade = {&shape, 1, {{still, {-1.2f, 0.1f, 0.2f}}, {still, {1.2f, 0.1f, 0.2f}}}};
    const impact_settings settings = {0, 0.005f};
    clash_mesh *mesh = clash_mesh_create(corners, 4, triangles, 2);
    const impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{still, {0, 0, 0}}, {still, {0, 0, 0}}}};
    clash_contact_state state = {0};
    size_t count;

    scribble(words[2]);
    count = impact_advance_target(&state, settings, &blade, whole, &target, whole, changes);
    clash_mesh_destroy(mesh);
    return count;
}

static void a_square_is_left_after_a_large_box_too(void **state)
{
    const clash_capsule shape = {{0, 0, 0}, {0.8f, 0, 0}, 0.02f};
    const clash_quat still = {0, 0, 0, 1};
    const impact_parts blade = {&shape, 1, {{still, {0, 0, 0}}, {still, {1, 0, 0}}}};
    const impact_target box = {{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, still, {40, 40, 40}}}},
                               {{still, {0, 0, 0}}, {still, {0, 0, 0}}}};
    const impact_settings settings = {0, 0.005f};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state inside = {0};

    (void)state;
    assert_int_equal(impact_advance_target(&inside, settings, &blade, whole, &box, whole, changes), 1);
    assert_int_equal(follow_through_a_square(changes), 2);
    assert_int_equal(changes[0].kind, CLASH_CONTACT_START);
    assert_int_equal(changes[1].kind, CLASH_CONTACT_END);
    assert_true(fabs(changes[0].impact.contact.fraction - 0.38 / 2.4) < 1e-6);
    assert_true(fabs(changes[1].impact.contact.fraction - 1.225 / 2.4) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_is_left_after_a_large_box_too),
        cmocka_unit_test(answers_do_not_depend_on_what_was_asked_before),
    };
    int failed;

    calls_world_make(&world, 314159);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    calls_world_destroy(&world);
    return failed;
}

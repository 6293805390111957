/* A player's map of the room's time: straight, rising, turned back exactly; and two players place each other's samples alike to the
 * nanosecond. CLASHD_CASES: more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "support/room_network.h"

#define SEED 0x17c10c

/** A player's clock and the map that it made of what it knew at each second, with an estimate that jumps about by `noise_ns`. */
static room_map any_map(random_state *r, const wrong_clock *c, int64_t noise_ns)
{
    room_map m = {0};

    for (int64_t s = 0; s < 10; s++) {
        const int64_t own_ns = own_of(c, s * SECOND);
        const int64_t offset = s * SECOND - own_ns + (int64_t)(random_in(r, -1.0, 1.0) * (double)noise_ns);
        const int64_t drift = (int64_t)(c->drift_ppm * 1000.0);

        if (s == 0)
            room_map_begin(&m, own_ns, offset, drift);
        room_map_extend(&m, own_ns, offset, drift);
    }
    return m;
}

static void maps_are_good_and_come_back(void **state)
{
    random_state r = {random_seed(SEED)};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const wrong_clock c = {(int64_t)(random_in(&r, -1e5, 1e5) * 1e9), random_in(&r, -100.0, 100.0)};
        const room_map m = any_map(&r, &c, (int64_t)random_in(&r, 0.0, 30e6));
        int64_t before = INT64_MIN;
        room_map part;

        assert_null(room_map_check(m.knots, m.count));
        for (int64_t k = -3000; k < 12000; k += 37) {
            const int64_t own_ns = own_of(&c, k * MS), room_ns = room_map_forward(&m, own_ns);

            assert_true(room_ns > before);
            before = room_ns;
            assert_in_range(room_map_back(&m, room_ns) + 2 - own_ns, 0, 3);
        }
        room_map_cut(&m, own_of(&c, 3210 * MS), own_of(&c, 3250 * MS), &part);
        assert_in_range(part.count, 2, 3);
        assert_true(room_map_agrees(&m, &part));
        assert_int_equal(room_map_forward(&part, own_of(&c, 3220 * MS)), room_map_forward(&m, own_of(&c, 3220 * MS)));
    }
}

/** A sees B's sample at A^-1(B(t)), B sees A's at B^-1(A(t)): whatever both believe of the room's time, they see the same
 * distances on the room's clock, but for the nanosecond that is rounded away. */
static void both_see_the_same_distances(void **state)
{
    random_state r = {random_seed(SEED + 1)};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const wrong_clock a = {(int64_t)(random_in(&r, -50.0, 50.0) * 1e9), random_in(&r, -50.0, 50.0)};
        const wrong_clock b = {(int64_t)(random_in(&r, -50.0, 50.0) * 1e9), random_in(&r, -50.0, 50.0)};
        const room_map of_a = any_map(&r, &a, 5 * MS), of_b = any_map(&r, &b, 5 * MS);

        for (int64_t k = 0; k < 9000; k += 111) {
            const int64_t at_a = own_of(&a, k * MS), at_b = own_of(&b, k * MS + random_below(&r, 11) * MS);
            const int64_t room_a = room_map_forward(&of_a, at_a), room_b = room_map_forward(&of_b, at_b);
            const int64_t b_at_a = room_map_back(&of_a, room_b), a_at_b = room_map_back(&of_b, room_a);
            const int64_t seen_by_a = room_map_forward(&of_a, b_at_a) - room_a;
            const int64_t seen_by_b = room_b - room_map_forward(&of_b, a_at_b);

            assert_in_range(seen_by_a + 2 - (room_b - room_a), 0, 2);
            assert_in_range(seen_by_b + 2 - (room_b - room_a), 2, 4);
        }
    }
}

static void wrong_knots_are_refused(void **state)
{
    static const struct {
        room_knot knots[3];
        size_t count;
    } wrong[] = {
        {{{0, 0}}, 1},
        {{{0, 0}, {0, 1}}, 2},
        {{{0, 0}, {SECOND, SECOND + 2 * MS}}, 2},
        {{{0, 0}, {SECOND, -SECOND}}, 2},
        {{{0, 0}, {SECOND, SECOND}, {500 * MS, 500 * MS}}, 3},
        {{{0, 0}, {61 * SECOND, 61 * SECOND}}, 2},
        {{{INT64_MIN, 0}, {0, SECOND}}, 2},
        {{{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}}, 2},
    };
    const room_knot good[] = {{-SECOND, 5}, {0, SECOND + 5}, {60 * SECOND, 61 * SECOND + 60 * MS}};

    (void)state;
    assert_null(room_map_check(good, 3));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_non_null(room_map_check(wrong[i].knots, wrong[i].count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_good_and_come_back),
        cmocka_unit_test(both_see_the_same_distances),
        cmocka_unit_test(wrong_knots_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

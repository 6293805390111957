/* The clock of a replay: which of a recording's times are due when, at every speed, with pauses, without drift. */
#include "sources/replay/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define S INT64_C(1000000000)
#define WALL UINT64_C(77000000000)

static replay_clock clock_of(double speed, int64_t file_ns)
{
    replay_clock c = {.speed = speed};

    replay_clock_set(&c, file_ns, WALL);
    return c;
}

static void times_are_due_at_their_distance(void **state)
{
    replay_clock c = clock_of(1.0, 5 * S);

    (void)state;
    assert_int_equal(replay_clock_due_ns(&c, 5 * S), 0);
    assert_int_equal(replay_clock_due_ns(&c, 2 * S), 0); /* a time that runs back is due at once */
    assert_int_equal(replay_clock_due_ns(&c, 6 * S), WALL + S);
    c = clock_of(4.0, 5 * S);
    assert_int_equal(replay_clock_due_ns(&c, 7 * S), WALL + S / 2);
    c = clock_of(0.25, 5 * S);
    assert_int_equal(replay_clock_due_ns(&c, 6 * S), WALL + 4 * S);
    c = clock_of(0.0, 5 * S);
    assert_int_equal(replay_clock_due_ns(&c, INT64_MAX), 0);
}

/* A day at 1000 Hz, at speeds that no double holds exactly: each time within a nanosecond of where it belongs. */
static void a_long_recording_does_not_drift(void **state)
{
    const double speeds[] = {1.0, 0.3, 7.1};

    (void)state;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        const replay_clock c = clock_of(speeds[i], 0);

        for (int64_t ms = 1; ms <= 86400000; ms += 86399) {
            const long double wanted = (long double)WALL + (long double)(ms * 1000000) / (long double)speeds[i];
            const long double error = (long double)replay_clock_due_ns(&c, ms * 1000000) - wanted;

            assert_true(error > -1.1L && error < 1.1L);
        }
    }
}

static void pauses_do_not_count(void **state)
{
    replay_clock c = clock_of(2.0, 0);

    (void)state;
    replay_clock_pause(&c, WALL + S);
    assert_int_equal(replay_clock_now(&c, WALL + 100 * S), 2 * S);
    assert_true(replay_clock_due_ns(&c, 2 * S) == UINT64_MAX);
    replay_clock_pause(&c, WALL + 50 * S); /* once more changes nothing */
    replay_clock_resume(&c, WALL + 100 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 101 * S), 4 * S);
    assert_int_equal(replay_clock_due_ns(&c, 3 * S), WALL + 100 * S + S / 2);
    replay_clock_resume(&c, WALL + 200 * S); /* nor does this */
    assert_int_equal(replay_clock_now(&c, WALL + 101 * S), 4 * S);
}

static void while_it_stands_no_time_passes(void **state)
{
    replay_clock c = clock_of(2.0, 0);

    (void)state;
    replay_clock_stood(&c, WALL + S, WALL + 50 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 50 * S), 2 * S);
    assert_int_equal(replay_clock_due_ns(&c, 4 * S), WALL + 51 * S);
    replay_clock_set(&c, 7 * S, WALL + 60 * S); /* set anew while it stands */
    replay_clock_stood(&c, WALL + 55 * S, WALL + 70 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 71 * S), 9 * S);
}

static void speed_changes_without_a_jump(void **state)
{
    replay_clock c = clock_of(1.0, 0);

    (void)state;
    replay_clock_set_speed(&c, 10.0, WALL + 3 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 3 * S), 3 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 4 * S), 13 * S);
    replay_clock_pause(&c, WALL + 4 * S);
    replay_clock_set_speed(&c, 1.0, WALL + 9 * S);
    replay_clock_resume(&c, WALL + 10 * S);
    assert_int_equal(replay_clock_now(&c, WALL + 11 * S), 14 * S);
}

static void any_time_is_survived(void **state)
{
    const int64_t times[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    const double speeds[] = {0.0, 0.001, 1.0, 1000.0};

    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (size_t from = 0; from < 7; from++)
            for (size_t to = 0; to < 7; to++) {
                replay_clock c = clock_of(speeds[s], times[from]);
                const uint64_t due_ns = replay_clock_due_ns(&c, times[to]);

                assert_true(times[to] <= times[from] || speeds[s] == 0.0 ? due_ns == 0 : due_ns >= WALL);
                assert_true(replay_clock_now(&c, UINT64_MAX) >= times[from]);
                replay_clock_pause(&c, UINT64_MAX);
                replay_clock_set_speed(&c, 1.0, 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_due_at_their_distance),
        cmocka_unit_test(a_long_recording_does_not_drift),
        cmocka_unit_test(pauses_do_not_count),
        cmocka_unit_test(while_it_stands_no_time_passes),
        cmocka_unit_test(speed_changes_without_a_jump),
        cmocka_unit_test(any_time_is_survived),
    };

    return cmocka_run_group_tests_name("replay clock", tests, NULL, NULL);
}

/* What is made of the times that a runtime tells, where it does not convert them. */
#include "sources/openxr/helper/runtime_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define YEAR INT64_C(31557600000000000)

static const xr_instance instance = {.handle = XR_NULL_HANDLE}; /* that converts nothing */

static xr_clock opened(void)
{
    xr_clock clock;

    xr_clock_open(&clock, &instance);
    return clock;
}

static int64_t offset_of(const xr_clock *clock)
{
    XrTime time = 0;
    int64_t back = 0;

    assert_int_equal(xr_clock_time(clock, 1000 * MS, &time), XR_SUCCESS);
    assert_int_equal(xr_clock_time_ns(clock, time, &back), XR_SUCCESS);
    assert_int_equal(back, 1000 * MS);
    return time - 1000 * MS;
}

static void nothing_is_known_at_first(void **state)
{
    const xr_clock clock = opened();
    XrTime time;
    int64_t time_ns;

    (void)state;
    assert_false(xr_clock_is_ready(&clock));
    assert_int_equal(xr_clock_time(&clock, 1, &time), XR_ERROR_TIME_INVALID);
    assert_int_equal(xr_clock_time_ns(&clock, 1, &time_ns), XR_ERROR_TIME_INVALID);
    assert_int_equal(xr_clock_error_ns(&clock), 0);
}

/* Each observation has the truth between its bounds, and so has what is left of all of them. */
static void observations_narrow_it(void **state)
{
    xr_clock clock = opened();

    (void)state;
    xr_clock_observe(&clock, YEAR + 1000 * MS, 990 * MS, 1004 * MS);
    assert_true(xr_clock_is_ready(&clock));
    assert_int_equal(xr_clock_error_ns(&clock), 7 * MS);
    assert_int_equal(offset_of(&clock), YEAR + 3 * MS);
    xr_clock_observe(&clock, YEAR + 2000 * MS, 1998 * MS, 2050 * MS);
    assert_int_equal(xr_clock_error_ns(&clock), 3 * MS);
    xr_clock_observe(&clock, YEAR + 3000 * MS, 2000 * MS, 3001 * MS);
    assert_int_equal(xr_clock_error_ns(&clock), (3 * MS + 1) / 2);
    assert_in_range(offset_of(&clock), YEAR - MS, YEAR + 2 * MS);
    assert_string_equal(xr_clock_name(&clock), "a clock of its own");
}

/* A clock that was set, or another one: what was known before is not true any more. */
static void a_contradiction_begins_anew(void **state)
{
    xr_clock clock = opened();

    (void)state;
    xr_clock_observe(&clock, YEAR + 1000 * MS, 999 * MS, 1001 * MS);
    xr_clock_observe(&clock, YEAR + 9000 * MS, 1999 * MS, 2001 * MS);
    assert_int_equal(offset_of(&clock), YEAR + 7000 * MS);
    assert_int_equal(xr_clock_error_ns(&clock), MS);
}

static void what_is_no_time_is_left(void **state)
{
    xr_clock clock = opened();

    (void)state;
    xr_clock_observe(&clock, 0, 1, 2);
    xr_clock_observe(&clock, -5, 1, 2);
    xr_clock_observe(&clock, INT64_MIN, 1, 2);
    xr_clock_observe(&clock, INT64_MAX, 1, 2);
    xr_clock_observe(&clock, 1000, 3, 2);
    assert_false(xr_clock_is_ready(&clock));
}

/* Then the offset is that clock's, to the nanosecond. */
static void a_clock_of_the_system_is_recognised(void **state)
{
    static const struct {
        clockid_t id;
        const char *name;
    } clocks[] = {{CLOCK_MONOTONIC, "CLOCK_MONOTONIC"}, {CLOCK_REALTIME, "CLOCK_REALTIME"}};

    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        xr_clock clock = opened();
        struct timespec theirs, now, later;
        int64_t now_ns, later_ns;

        clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(clocks[i].id, &theirs);
        clock_gettime(CLOCK_MONOTONIC, &later);
        now_ns = (int64_t)now.tv_sec * 1000 * MS + now.tv_nsec;
        later_ns = (int64_t)later.tv_sec * 1000 * MS + later.tv_nsec;
        xr_clock_observe(&clock, (int64_t)theirs.tv_sec * 1000 * MS + theirs.tv_nsec, now_ns - MS, later_ns + 2 * MS);
        assert_string_equal(xr_clock_name(&clock), clocks[i].name);
        assert_true(xr_clock_error_ns(&clock) >= 3 * MS);
        if (i == 0)
            assert_int_equal(offset_of(&clock), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),           cmocka_unit_test(observations_narrow_it),
        cmocka_unit_test(a_contradiction_begins_anew),         cmocka_unit_test(what_is_no_time_is_left),
        cmocka_unit_test(a_clock_of_the_system_is_recognised),
    };

    return cmocka_run_group_tests_name("openxr clock", tests, NULL, NULL);
}

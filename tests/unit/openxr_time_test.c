/* The OpenXR source on a runtime without XR_KHR_convert_timespec_time: poses come with times that are no further off than is
 * said. */
#include "support/openxr_stage.h"

/* The poses are those of a time that is at most the stated error away from the frame's; the script tells which. */
static void assert_poses_are_near_their_time(const probe *p, double error_s)
{
    char begun[64] = "";

    assert_true(stage_runtime_logged("session begun at ", begun, sizeof begun));
    for (size_t i = 0; i < p->count; i++) {
        const pose_sample *left = stage_sample(&p->reports[i], STAGE_LEFT);
        const double seconds = 1e-9 * (double)(p->reports[i].frame.time_ns - strtoll(begun, NULL, 10));

        if (left && left->flags == STAGE_TRACKED)
            assert_true(fabs(remainder(stage_phase(left, 1) - seconds, 2)) < error_s + 1e-5);
    }
}

static probe *started(const char *epoch, const char *event_times, const char *faults)
{
    stage_set_up(faults);
    setenv("CLASH_RUNTIME_TIMESPEC", "0", 1);
    if (epoch)
        setenv("CLASH_RUNTIME_EPOCH", epoch, 1);
    setenv("CLASH_RUNTIME_EVENT_TIMES", event_times, 1);
    return stage_start();
}

/* The events of the session tell it; the error is what passes between a call and the look at its events. */
static void a_clock_of_its_own_is_found_out(void **state)
{
    probe *p;

    (void)state;
    p = started(NULL, "1", "");
    probe_wait_frames(p, 300);
    PROBE_WAIT(p, probe_status(p).clock_error_ns > 0);
    assert_poses_are_near_their_time(p, 1e-9 * (double)probe_status(p).clock_error_ns);
    assert_int_equal(probe_logged(p, "I clashd stand-in runtime"), 1);
    assert_int_equal(probe_logged(p, "does not convert times: as found out they are of a clock of its own"), 1);
    assert_int_equal(probe_logged(p, "W "), 0);
    stage_assert_times_grow(p);
    probe_destroy(p);
}

static void the_systems_clock_is_recognised(void **state)
{
    probe *p;

    (void)state;
    p = started("0", "1", "");
    probe_wait_frames(p, 300);
    PROBE_WAIT(p, probe_logged(p, "as found out they are of CLOCK_MONOTONIC, give or take ") == 1);
    assert_poses_are_near_their_time(p, 0);
    PROBE_WAIT(p, probe_status(p).clock_error_ns > 0);
    probe_destroy(p);
}

/* Only the time of a frame is left, which lies ahead. */
static void a_frame_tells_it_where_events_do_not(void **state)
{
    probe *p;

    (void)state;
    p = started(NULL, "0", "");
    probe_wait_frames(p, 300);
    PROBE_WAIT(p, probe_status(p).clock_error_ns > 0);
    assert_true(probe_status(p).clock_error_ns <= 50000000);
    assert_poses_are_near_their_time(p, 1e-9 * (double)probe_status(p).clock_error_ns);
    probe_destroy(p);
}

static void a_moved_space_is_told_within_the_error(void **state)
{
    char begun[64] = "";
    int64_t off_ns;
    size_t at;
    probe *p;

    (void)state;
    p = started(NULL, "1", "recentre@400ms:1/0/0");
    at = probe_wait(p, 0, PROBE_SPACE, 0, CLASH_TRACKING_OK);
    PROBE_WAIT(p, probe_status(p).clock_error_ns > 0);
    assert_true(stage_runtime_logged("session begun at ", begun, sizeof begun));
    off_ns = p->reports[at].frame.time_ns - strtoll(begun, NULL, 10) - 400000000;
    assert_true(llabs(off_ns) <= probe_status(p).clock_error_ns);
    probe_wait_frames(p, 50);
    for (size_t i = 0; i < p->count; i++) {
        const pose_sample *left = stage_sample(&p->reports[i], STAGE_LEFT);

        if (left)
            assert_true(fabsf(left->pose.position.x - (i < at ? -0.35f : -1.35f)) < 1e-5f);
    }
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_of_its_own_is_found_out),
        cmocka_unit_test(the_systems_clock_is_recognised),
        cmocka_unit_test(a_frame_tells_it_where_events_do_not),
        cmocka_unit_test(a_moved_space_is_told_within_the_error),
    };

    return cmocka_run_group_tests_name("openxr time", tests, stage_open, stage_close);
}

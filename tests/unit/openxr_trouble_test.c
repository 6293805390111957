/* The OpenXR source with no runtime, or one that refuses, hangs, dies and comes back. */
#include "support/openxr_stage.h"
#include "support/temporary.h"

/* ---- without a runtime ---- */

static void no_runtime_is_said_once(void **state)
{
    char path[] = "/tmp/clashd-stderr-" TEMPORARY;
    int before = dup(STDERR_FILENO), file = mkstemp(path);
    probe *p;

    (void)state;
    setenv("XR_RUNTIME_JSON", "/nonexistent/runtime.json", 1);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    p = stage_start();
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_NO_RUNTIME);
    probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_NO_RUNTIME);
    for (uint64_t until_ns = uv_hrtime() + 800000000;
         uv_hrtime() < until_ns;) /* 50, 100, 200, 400 ms: four more tries */
        uv_run(&p->loop, UV_RUN_ONCE);
    assert_int_equal(p->count, 2);
    assert_int_equal(probe_logged(p, "W "), 1);
    assert_int_equal(probe_logged(p, "xrEnumerateInstanceExtensionProperties gave "), 1);
    assert_string_equal(probe_status(p).kind, "openxr");
    assert_string_equal(probe_status(p).state, "waiting");
    assert_string_equal(probe_status(p).runtime, "");
    assert_non_null(strstr(probe_status(p).detail, "xrEnumerateInstanceExtensionProperties gave "));
    probe_destroy(p);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    assert_int_equal(lseek(file, 0, SEEK_END), 0); /* the loader kept quiet */
    close(before);
    close(file);
    unlink(path);
}

/* Its manifest turns up while the source waits. */
static void a_runtime_that_appears_is_found(void **state)
{
    char path[] = "/tmp/clashd-manifest-" TEMPORARY;
    int file = mkstemp(path);
    FILE *manifest;
    size_t at;
    probe *p;

    (void)state;
    assert_true(file >= 0);
    close(file);
    unlink(path);
    stage_set_up("");
    setenv("XR_RUNTIME_JSON", path, 1);
    p = stage_start();
    at = probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_NO_RUNTIME);
    manifest = fopen(path, "w");
    assert_non_null(manifest);
    fprintf(manifest, "{\"file_format_version\":\"1.0.0\",\"runtime\":{\"library_path\":\"%s\"}}",
            TEST_BUILD "/daemon/runtime/libclash_runtime.so");
    fclose(manifest);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(probe_logged(p, "W "), 1);
    assert_int_equal(probe_status(p).reconnects, 0);
    probe_destroy(p);
    unlink(path);
}

static void stopping_while_it_waits_is_at_once(void **state)
{
    probe *p;

    (void)state;
    setenv("XR_RUNTIME_JSON", "/nonexistent/runtime.json", 1);
    p = stage_start();
    p->source->stop(p->source);
    p->source->stop(p->source);
    assert_int_equal(p->count, 0);
    probe_start(p);
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_NO_RUNTIME);
    probe_destroy(p);
}

/* ---- a runtime in trouble ---- */

/* The first frame from `from` on that has a sample of the device, whatever its flags. */
static size_t find_sample(const probe *p, size_t from, uint32_t device)
{
    while (from < p->count && !stage_sample(&p->reports[from], device))
        from++;
    return from;
}

static void a_stall_is_noticed_and_outlived(void **state)
{
    size_t at, frame;
    probe *p;

    (void)state;
    stage_set_up("stall@400ms+2500ms");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_STALLED);
    probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_STALLED);
    assert_string_equal(probe_status(p).state, "stalled");
    assert_false(probe_status(p).dead);
    frame = stage_wait_flags(p, at, STAGE_RIGHT, STAGE_TRACKED);
    assert_true(p->reports[frame].frame.time_ns > p->reports[at].frame.time_ns);
    PROBE_WAIT(p, strcmp(probe_status(p).state, "running") == 0);
    assert_int_equal(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_RUNTIME_STALLED), 1);
    assert_int_equal(probe_count_lost(p, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_STALLED), 1);
    assert_int_equal(probe_logged(p, "W openxr: the runtime does not answer"), 1);
    assert_int_equal(probe_logged(p, "I openxr: the runtime answers again"), 1);
    stage_assert_times_grow(p);
    probe_destroy(p);
}

/* Too short to be told. What the runtime then says of the hands it says of now, and no pose may be put at the time at which
 * it was asked: the left hand's first sample is not from before it was there. */
static void poses_that_came_late_are_not_told(void **state)
{
    size_t first;
    probe *p;

    (void)state;
    stage_set_up("inactive@0ms+500ms:left,stall@400ms+300ms");
    p = stage_start();
    PROBE_WAIT(p, find_sample(p, 0, STAGE_LEFT) < p->count);
    first = find_sample(p, 0, STAGE_LEFT);
    assert_true(first > 0);
    assert_int_equal(p->reports[first - 1].kind, PROBE_FRAME);
    assert_true(p->reports[first].frame.time_ns - p->reports[first - 1].frame.time_ns > 100000000);
    stage_assert_times_grow(p);
    probe_destroy(p);
}

static int count_threads(void)
{
    DIR *directory = opendir("/proc/self/task");
    int count = 0;

    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; /* "." and ".." */
}

/* The thread is left to itself and ends when the runtime lets go of it, with the source, the loop and the log long gone. */
static void a_hanging_runtime_does_not_hang_us(void **state)
{
    const int threads_before = count_threads();
    size_t count;
    probe *p;

    (void)state;
    stage_set_up("stall@400ms+6s");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_STALLED);
    count = p->count;
    p->source->stop(p->source);
    assert_int_equal(probe_logged(p, "its thread is left behind"), 1);
    assert_true(p->count == count);
    assert_int_equal(count_threads(), threads_before + 1);
    probe_destroy(p);
    for (int tries = 0; count_threads() > threads_before; tries++) {
        assert_true(tries < PROBE_PATIENCE_S * 100);
        usleep(10000);
    }
}

/* Lost, nobody there, back; and as often as it takes without losing descriptors. */
static void a_runtime_that_dies_is_found_again(void **state)
{
    int descriptors = 0;
    size_t at = 0;
    probe *p;

    (void)state;
    stage_set_up("instance_loss@400ms:2, instance_loss@1400ms:2, instance_loss@2400ms:2, instance_loss@3400ms:2");
    p = stage_start();
    for (uint64_t times = 0; times < 4; times++) {
        at = stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
        PROBE_WAIT(p, probe_status(p).reconnects == times);
        if (times == 0)
            descriptors = stage_count_descriptors();
        assert_int_equal(stage_count_descriptors(), descriptors);
        at = probe_wait_lost(p, at, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST);
        probe_wait_lost(p, at, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_LOST);
        at = probe_wait_lost(p, at, STAGE_LEFT, CLASH_TRACKING_NO_RUNTIME);
        probe_wait_lost(p, at, STAGE_RIGHT, CLASH_TRACKING_NO_RUNTIME);
    }
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_status(p).reconnects == 4);
    assert_int_equal(stage_count_descriptors(), descriptors);
    assert_int_equal(probe_logged(p, "XR_ERROR_INSTANCE_LOST"), 4);
    assert_int_equal(probe_logged(p, "I connected to "), 5);
    assert_int_equal(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST), 4);
    stage_assert_times_grow(p);
    probe_destroy(p);
}

static void a_session_that_ends_is_begun_again(const char *faults)
{
    size_t at;
    probe *p;

    stage_set_up(faults);
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST);
    probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_LOST);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_status(p).reconnects == 1);
    assert_int_equal(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST), 1);
    stage_assert_times_grow(p);
    probe_destroy(p);
}

static void a_lost_session_is_begun_again(void **state)
{
    (void)state;
    a_session_that_ends_is_begun_again("session_loss@400ms");
}

static void a_session_the_user_ends_is_begun_again(void **state)
{
    (void)state;
    a_session_that_ends_is_begun_again("exit@400ms");
}

static void refusals_are_waited_out(void **state)
{
    size_t at;
    probe *p;

    (void)state;
    stage_set_up("refuse:3, no_headset:3");
    p = stage_start();
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_NO_RUNTIME);
    at = probe_wait_lost(p, at, STAGE_LEFT, CLASH_TRACKING_NO_HEADSET);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(probe_count_lost(p, STAGE_RIGHT, CLASH_TRACKING_NO_RUNTIME), 1);
    assert_int_equal(probe_count_lost(p, STAGE_RIGHT, CLASH_TRACKING_NO_HEADSET), 1);
    assert_int_equal(probe_logged(p, "XR_ERROR_RUNTIME_FAILURE"), 1);
    assert_int_equal(probe_logged(p, "has no headset"), 1);
    assert_int_equal(probe_status(p).reconnects, 0);
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_runtime_is_said_once),
        cmocka_unit_test(a_runtime_that_appears_is_found),
        cmocka_unit_test(stopping_while_it_waits_is_at_once),
        cmocka_unit_test(a_stall_is_noticed_and_outlived),
        cmocka_unit_test(poses_that_came_late_are_not_told),
        cmocka_unit_test(a_hanging_runtime_does_not_hang_us),
        cmocka_unit_test(a_runtime_that_dies_is_found_again),
        cmocka_unit_test(a_lost_session_is_begun_again),
        cmocka_unit_test(a_session_the_user_ends_is_begun_again),
        cmocka_unit_test(refusals_are_waited_out),
    };

    return cmocka_run_group_tests_name("openxr trouble", tests, stage_open, stage_close);
}

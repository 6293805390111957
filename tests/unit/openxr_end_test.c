/* The OpenXR source with a runtime that never lets go, or takes its process with it: tracking comes back, in another one. */
#include "support/openxr_stage.h"

/* Frames, then none, then frames again, at least `times` times; what is said of it is in the log that often, too. */
static probe *comes_back(const char *faults, const char *said, uint64_t times)
{
    size_t at = 0;
    probe *p;

    stage_set_up(faults);
    p = stage_start();
    for (uint64_t i = 0; i <= times; i++) {
        at = stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
        stage_wait_flags(p, at, STAGE_RIGHT, STAGE_TRACKED);
        PROBE_WAIT(p, probe_status(p).reconnects >= i);
        if (i == times)
            break;
        PROBE_WAIT(p, probe_status(p).left_behind > i);
        at = probe_find(p, at, PROBE_LOST, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST);
    }
    assert_true(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST) >= times);
    assert_true(probe_count_lost(p, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_LOST) >= times);
    assert_true(probe_logged(p, said) >= times);
    stage_assert_times_grow(p);
    return p;
}

/* SteamVR for Linux is reported to do this. The session's loss is told at once; its end is what is not waited for. */
static void an_instance_that_does_not_end_is_left_behind(void **state)
{
    probe *p;

    (void)state;
    p = comes_back("session_loss@200ms, no_end:1", "W openxr: the runtime does not end its instance: it is left behind",
                   2);
    assert_true(stage_runtime_logged("instance does not end", NULL, 0));
    assert_int_equal(stage_count_processes(NULL), 1);
    probe_destroy(p);
}

static void a_crash_takes_only_its_process(void **state)
{
    (void)state;
    probe_destroy(
        comes_back("crash@200ms", "W openxr: the runtime's library has crashed (Aborted): it is left behind", 2));
}

static void a_thread_that_ends_takes_only_its_process(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* the sanitizer waits for ever for a thread that ended without telling it */
#endif
    probe_destroy(comes_back("thread_end@200ms",
                             "W openxr: the runtime has ended the thread that was in it: it is left behind", 1));
}

/* Killed by somebody, for want of memory for instance. */
static void a_process_that_is_killed_is_begun_anew(void **state)
{
    int process = 0;
    size_t at;
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start();
    at = stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(stage_count_processes(&process), 1);
    assert_int_equal(kill(process, SIGKILL), 0);
    at = probe_wait_lost(p, at, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_status(p).reconnects == 1);
    assert_int_equal(probe_status(p).left_behind, 1);
    probe_destroy(p);
}

/* Unloaded with its instance it would hold the dynamic linker's lock for ever: it is not unloaded. */
static void a_library_that_does_not_survive_unloading_is_kept(void **state)
{
    char path[] = "/tmp/clashd-manifest-" TEMPORARY;
    const int file = mkstemp(path);
    size_t at;
    probe *p;

    (void)state;
    assert_true(file >= 0);
    stage_set_up("session_loss@200ms");
    dprintf(file, "{\"file_format_version\":\"1.0.0\",\"runtime\":{\"library_path\":\"%s\"}}",
            TEST_BUILD "/tests/lingering_runtime.so");
    close(file);
    setenv("XR_RUNTIME_JSON", path, 1);
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_LOST);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_status(p).reconnects == 1);
    assert_int_equal(probe_status(p).left_behind, 0);
    probe_destroy(p);
    unlink(path);
}

/* ---- a process that cannot be had, or makes no sense ---- */

static void a_program_that_is_not_there_is_named(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("");
    setenv("CLASHD_OPENXR_HELPER", "/nowhere/clashd-openxr", 1);
    p = stage_start();
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_NO_RUNTIME);
    assert_true(probe_logged(p, "E openxr: the process for the runtime cannot be started: /nowhere/clashd-openxr: ") >=
                1);
    assert_string_equal(probe_status(p).state, "waiting");
    assert_non_null(strstr(probe_status(p).detail, "/nowhere/clashd-openxr"));
    setenv("CLASHD_OPENXR_HELPER", TEST_BUILD "/daemon/sources/openxr/helper/clashd-openxr",
           1); /* installed meanwhile */
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    assert_string_equal(probe_status(p).detail, "");
    probe_destroy(p);
    unsetenv("CLASHD_OPENXR_HELPER");
}

static void a_program_of_another_kind_is_not_believed(void **state)
{
    char path[] = "/tmp/clashd-program-" TEMPORARY;
    const int file = mkstemp(path);
    probe *p;

    (void)state;
    assert_true(file >= 0);
    dprintf(file, "#!/bin/sh\necho not clashd-openxr >&3\nsleep 1000\n");
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    stage_set_up("");
    setenv("CLASHD_OPENXR_HELPER", path, 1);
    p = stage_start();
    PROBE_WAIT(p, probe_status(p).left_behind == 2);
    assert_true(probe_logged(p, "W openxr: the process with the runtime made no sense any more") >= 2);
    probe_destroy(p);
    unsetenv("CLASHD_OPENXR_HELPER");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_that_does_not_end_is_left_behind),
        cmocka_unit_test(a_crash_takes_only_its_process),
        cmocka_unit_test(a_thread_that_ends_takes_only_its_process),
        cmocka_unit_test(a_process_that_is_killed_is_begun_anew),
        cmocka_unit_test(a_library_that_does_not_survive_unloading_is_kept),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test(a_program_of_another_kind_is_not_believed),
    };

    return cmocka_run_group_tests_name("openxr end", tests, stage_open, stage_close);
}

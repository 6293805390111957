/* The OpenXR source with no runtime, or one that refuses, hangs, dies and comes back. */
#include "sources/openxr/helper/runtime_files.h"
#include "sources/openxr/helper/runtime_thread.h"
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
    int file = mkstemp(path), before = 0, after = 0;
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
    assert_int_equal(stage_count_processes(&before), 1);
    manifest = fopen(path, "w");
    assert_non_null(manifest);
    fprintf(manifest, "{\"file_format_version\":\"1.0.0\",\"runtime\":{\"library_path\":\"%s\"}}",
            TEST_BUILD "/daemon/runtime/libclash_runtime.so");
    fclose(manifest);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(probe_logged(p, "W "), 1);
    assert_int_equal(probe_status(p).reconnects, 0);
    assert_int_equal(probe_status(p).left_behind, 0);
    assert_int_equal(stage_count_processes(&after), 1); /* another: it was not the end of a pause */
    assert_int_not_equal(before, after);
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

/* The process is left to itself and ends, though the runtime does not let go of it. */
static void a_hanging_runtime_does_not_hang_us(void **state)
{
    size_t count;
    probe *p;

    (void)state;
    stage_set_up("stall@400ms+1000s");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_STALLED);
    assert_int_equal(stage_count_processes(NULL), 1);
    count = p->count;
    p->source->stop(p->source);
    assert_true(p->count == count);
    probe_destroy(p);
    stage_wait_for_no_process();
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

/* ---- while it is gone for long ---- */

static void pauses_grow(void **state)
{
    int64_t pause_ns = XR_PAUSE_FIRST_NS, total_ns = 0, headset_ns = XR_PAUSE_FIRST_NS;

    (void)state;
    for (int i = 0; i < 12; i++) {
        const int64_t next_ns = xr_pause_after(pause_ns, CLASH_TRACKING_NO_RUNTIME);

        total_ns += pause_ns;
        assert_true(next_ns == 2 * pause_ns || next_ns == 30000000000);
        pause_ns = next_ns;
        headset_ns = xr_pause_after(headset_ns, CLASH_TRACKING_NO_HEADSET);
    }
    assert_true(pause_ns == 30000000000 && total_ns < 120000000000);
    assert_true(headset_ns == 2000000000);
    assert_true(xr_pause_after(pause_ns, CLASH_TRACKING_NO_HEADSET) == 2000000000);
}

/* A dozen lines at each of six tries. */
static void what_the_library_prints_is_logged_once(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("refuse:5");
    setenv("CLASH_RUNTIME_NOISE", "12", 1);
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_logged(p, "more lines that the runtime's library printed are left out") == 1);
    assert_int_equal(probe_logged(p, "I openxr: the runtime's library prints: "), 12);
    assert_int_equal(probe_logged(p, "I openxr: 60 more lines"), 1);
    probe_destroy(p);
}

/* ---- its files ---- */

static void write_manifest(const char *path, const char *library)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "{\"file_format_version\":\"1.0.0\",\"runtime\":{\"library_path\": \"%s\"}}", library);
    fclose(file);
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "a");

    assert_non_null(file);
    fputc('x', file);
    fclose(file);
}

/* Another number after each change, and the same one without. */
static void changes_of_files_are_seen(void **state)
{
    char home[] = "/tmp/clashd-home-" TEMPORARY, path[512], library[512], command[600];
    uint64_t seen[6];

    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/openxr/1", home);
    snprintf(command, sizeof command, "mkdir -p %s", path);
    assert_int_equal(system(command), 0);
    unsetenv("XR_RUNTIME_JSON");
    setenv("XDG_CONFIG_HOME", home, 1);
    setenv("XDG_RUNTIME_DIR", home, 1);
    seen[0] = xr_files_look();
    snprintf(path, sizeof path, "%s/openxr/1/active_runtime.json", home);
    snprintf(library, sizeof library, "%s/openxr/1/../runtime.so", home);
    write_manifest(path, "../runtime.so");
    seen[1] = xr_files_look();
    touch(library);
    seen[2] = xr_files_look();
    touch(library);
    seen[3] = xr_files_look();
    snprintf(library, sizeof library, "%s/monado_comp_ipc", home);
    touch(library);
    seen[4] = xr_files_look();
    setenv("XR_RUNTIME_JSON", path, 1);
    write_manifest(path, "/absolute/runtime.so");
    seen[5] = xr_files_look();
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
    assert_true(xr_files_look() == seen[5]);
    snprintf(command, sizeof command, "rm -r %s", home);
    assert_int_equal(system(command), 0);
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
        cmocka_unit_test(pauses_grow),
        cmocka_unit_test(what_the_library_prints_is_logged_once),
        cmocka_unit_test(changes_of_files_are_seen),
    };

    return cmocka_run_group_tests_name("openxr trouble", tests, stage_open, stage_close);
}

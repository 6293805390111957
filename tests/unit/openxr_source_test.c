/* The OpenXR source while all is well with the runtime: poses and their times, tracking, recentring, controllers. */
#include "support/openxr_stage.h"

/* ---- poses ---- */

/** A machine so busy that the runtime had not answered for a while: both hands were then lost. */
static bool is_stall(const probe *p, size_t report)
{
    return p->reports[report].kind == PROBE_LOST && p->reports[report].reason == CLASH_TRACKING_RUNTIME_STALLED;
}

/* A frame's poses are those of its time on CLOCK_MONOTONIC. A machine too busy for the runtime's process may lose hands for a while. */
static void assert_poses_belong_to_their_time(const probe *p)
{
    char begun[64] = "";

    assert_true(stage_runtime_logged("session begun at ", begun, sizeof begun));
    for (size_t i = 0; i < p->count; i++) {
        const pose_sample *left = stage_sample(&p->reports[i], STAGE_LEFT),
                          *right = stage_sample(&p->reports[i], STAGE_RIGHT);
        double seconds = 1e-9 * (double)(p->reports[i].frame.time_ns - strtoll(begun, NULL, 10));

        if (is_stall(p, i))
            continue;
        assert_int_equal(p->reports[i].kind, PROBE_FRAME);
        assert_non_null(left);
        assert_non_null(right);
        assert_int_equal(left->flags, STAGE_TRACKED);
        assert_int_equal(right->flags, STAGE_TRACKED);
        assert_true(left->pose.position.x == -0.35f && right->pose.position.x == 0.35f);
        assert_true(fabs(remainder(stage_phase(left, 1) - seconds, 2)) < 1e-5);
        assert_true(fabs(remainder(stage_phase(right, -1) - seconds, 2)) < 1e-5);
    }
}

static void poses_belong_to_their_time(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start();
    probe_wait_frames(p, 300);
    stage_assert_times_grow(p);
    assert_poses_belong_to_their_time(p);
    assert_string_equal(probe_status(p).state, "running");
    assert_non_null(strstr(probe_status(p).runtime, "stand-in"));
    assert_string_equal(probe_status(p).detail, "");
    assert_int_equal(probe_status(p).frames, p->frames);
    assert_int_equal(probe_status(p).reconnects, 0);
    assert_int_equal(probe_logged(p, "I connected to "), 1);
    assert_int_equal(probe_logged(p, "W "), 0);
    probe_destroy(p);
}

static void lookahead_moves_time_and_pose(void **state)
{
    const int64_t lookahead_ns = 20000000, now_ns = (int64_t)uv_hrtime();
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start_with((openxr_settings){.rate_hz = 100, .space = OPENXR_SPACE_STAGE, .lookahead_ns = lookahead_ns});
    probe_wait_frames(p, 20);
    assert_true(p->reports[0].frame.time_ns >= now_ns + lookahead_ns);
    p->source->look_ahead(p->source, INT64_C(10000000000));
    PROBE_WAIT(p, p->reports[p->count - 1].frame.time_ns >= now_ns + INT64_C(10000000000));
    assert_poses_belong_to_their_time(p);
    probe_destroy(p);
}

/* Asks for a rest of that long with each frame, until ten in a row were that far apart. On a busy machine some requests come too
 * late, and the next frame then comes as without. */
static void assert_rests(probe *p, int64_t rest_ns, int64_t apart_ns)
{
    int in_a_row = 0;

    for (int frames = 0; in_a_row < 10; frames++) {
        const int64_t last_ns = p->reports[p->count - 1].frame.time_ns;

        assert_true(frames < 3000);
        p->source->rest(p->source, rest_ns == INT64_MAX ? rest_ns : (int64_t)uv_hrtime() + rest_ns);
        probe_wait_frames(p, 1);
        in_a_row = p->reports[p->count - 1].frame.time_ns - last_ns >= apart_ns ? in_a_row + 1 : 0;
    }
}

static void it_rests_while_nothing_can_happen_and_never_for_long(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start_with((openxr_settings){.rate_hz = 500, .may_rest = true, .space = OPENXR_SPACE_STAGE});
    probe_wait_frames(p, 5);
    assert_rests(p, INT64_MAX, 8000000);
    assert_rests(p, 6000000, 4000000);
    probe_wait_frames(p, 5); /* it goes on by itself */
    assert_poses_belong_to_their_time(p);
    probe_destroy(p);
    p = stage_start_with((openxr_settings){.rate_hz = 500, .space = OPENXR_SPACE_STAGE});
    assert_null(p->source->rest);
    probe_destroy(p);
}

/* The stand-in's local space is level with the eyes, 1.6 m above the stage. */
static void local_space_is_what_is_asked_for(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start_with((openxr_settings){.rate_hz = 100, .space = OPENXR_SPACE_LOCAL});
    probe_wait_frames(p, 20);
    for (size_t i = 0; i < p->count; i++) {
        const pose_frame *frame = &p->reports[i].frame;

        if (is_stall(p, i))
            continue;
        assert_int_equal(p->reports[i].kind, PROBE_FRAME);
        assert_int_equal(frame->count, 2);
        assert_true(fabsf(frame->samples[0].pose.position.y + frame->samples[1].pose.position.y + 0.8f) < 1e-5f);
    }
    probe_destroy(p);
}

/* ---- tracking ---- */

static void valid_and_tracked_are_told_apart(void **state)
{
    size_t at;
    probe *p;

    (void)state;
    stage_set_up("untracked@400ms+400ms:left, lost@1200ms+400ms:left");
    p = stage_start();
    at = stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = stage_wait_flags(p, at, STAGE_LEFT, POSE_VALID);
    assert_int_equal(stage_sample(&p->reports[at], STAGE_RIGHT)->flags, STAGE_TRACKED);
    at = stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    at = stage_wait_flags(p, at, STAGE_LEFT, 0);
    assert_int_equal(stage_sample(&p->reports[at], STAGE_RIGHT)->flags, STAGE_TRACKED);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(probe_find(p, 0, PROBE_LOST, STAGE_RIGHT, CLASH_TRACKING_INACTIVE), p->count);
    probe_destroy(p);
}

static void a_hand_that_is_put_away_is_lost_once(void **state)
{
    size_t at;
    probe *p;

    (void)state;
    stage_set_up("inactive@400ms+400ms:left");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_INACTIVE);
    stage_wait_flags(p, at, STAGE_RIGHT, STAGE_TRACKED);
    assert_null(stage_sample(&p->reports[at + 1], STAGE_LEFT));
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    assert_int_equal(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_INACTIVE), 1);
    assert_int_equal(probe_count_lost(p, STAGE_RIGHT, CLASH_TRACKING_INACTIVE), 0);
    probe_destroy(p);
}

static void losing_the_focus_is_losing_both_hands(void **state)
{
    size_t at;
    probe *p;

    (void)state;
    stage_set_up("unfocused@400ms+500ms");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    at = probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_INACTIVE);
    probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_INACTIVE);
    PROBE_WAIT(p, strstr(probe_status(p).detail, "another program") || p->frames > 500);
    assert_int_equal(probe_logged(p, "gives the controllers to another program"), 1);
    stage_wait_flags(p, at, STAGE_LEFT, STAGE_TRACKED);
    PROBE_WAIT(p, probe_status(p).detail[0] == '\0');
    assert_int_equal(probe_count_lost(p, STAGE_LEFT, CLASH_TRACKING_INACTIVE), 1);
    probe_destroy(p);
}

static void recentring_separates_old_poses_from_new_ones(void **state)
{
    const int64_t period_ns = 400000000;
    int64_t changes = 0;
    size_t at, frames_after = 0;
    char begun[64] = "";
    probe *p;

    (void)state;
    stage_set_up("recentre@400ms:1/0/0, recentre@800ms:1/0/0");
    p = stage_start();
    at = probe_wait(p, 0, PROBE_SPACE, 0, CLASH_TRACKING_OK);
    at = probe_wait(p, at + 1, PROBE_SPACE, 0, CLASH_TRACKING_OK);
    probe_wait_frames(p, 50);
    assert_true(stage_runtime_logged("session begun at ", begun, sizeof begun));
    for (size_t i = 0; i < p->count; i++) {
        const int64_t since_ns = p->reports[i].frame.time_ns - strtoll(begun, NULL, 10);
        const int64_t due_ns = changes < 2 ? (changes + 1) * period_ns : INT64_MAX;

        if (p->reports[i].kind == PROBE_SPACE) {
            assert_int_equal(since_ns, due_ns);
            changes++;
            continue;
        }
        if (is_stall(p, i))
            continue;
        assert_int_equal(p->reports[i].kind, PROBE_FRAME);
        assert_true(since_ns < due_ns);
        assert_true(changes == 0 || since_ns >= changes * period_ns);
        assert_true(fabsf(p->reports[i].frame.samples[0].pose.position.x - (-0.35f - (float)changes)) < 1e-5f);
        frames_after += i > at;
    }
    assert_int_equal(changes, 2);
    assert_true(frames_after >= 50);
    probe_destroy(p);
}

/* ---- controllers ---- */

#define VIVE "/interaction_profiles/htc/vive_controller"
#define INDEX "/interaction_profiles/valve/index_controller"

static void another_controller_is_named(void **state)
{
    probe *p;

    (void)state;
    stage_set_up("profile@300ms:/interaction_profiles/htc/vive_controller");
    p = stage_start();
    PROBE_WAIT(p, probe_logged(p, "I left hand: /interaction_profiles/htc/vive_controller") == 1);
    PROBE_WAIT(p, probe_logged(p, "I right hand: /interaction_profiles/htc/vive_controller") == 1);
    PROBE_WAIT(p, strstr(p->equipment, " /user/hand/left=" VIVE " /user/hand/right=" VIVE "\n"));
    assert_non_null(strstr(p->equipment, " /user/hand/left=" INDEX " /user/hand/right=" INDEX "\n"));
    assert_true(strncmp(p->equipment, probe_status(p).runtime, strlen(probe_status(p).runtime)) == 0);
    probe_destroy(p);
}

static void pulses_reach_the_controllers(void **state)
{
    char rest[256] = "";
    haptic_output output;
    probe *p;

    (void)state;
    stage_set_up("");
    p = stage_start();
    output = openxr_source_haptics(p->source);
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    output.pulse(output.context, 99, 1.0f, 1000000);
    output.pulse(output.context, STAGE_LEFT, 0.0f, 1000000);
    output.pulse(output.context, STAGE_RIGHT, 0.25f, 30000000);
    PROBE_WAIT(p, stage_runtime_logged("haptic /user/hand/right ", rest, sizeof rest));
    assert_non_null(strstr(rest, "duration_ns=30000000 "));
    assert_non_null(strstr(rest, "amplitude=0.25 count=1"));
    output.pulse(output.context, STAGE_LEFT, 7.0f, 5000000);
    PROBE_WAIT(p, stage_runtime_logged("haptic /user/hand/left ", rest, sizeof rest));
    assert_non_null(strstr(rest, "amplitude=1 count=2"));
    p->source->stop(p->source);
    output.pulse(output.context, STAGE_LEFT, 1.0f, 1000000);
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_belong_to_their_time),
        cmocka_unit_test(lookahead_moves_time_and_pose),
        cmocka_unit_test(it_rests_while_nothing_can_happen_and_never_for_long),
        cmocka_unit_test(local_space_is_what_is_asked_for),
        cmocka_unit_test(valid_and_tracked_are_told_apart),
        cmocka_unit_test(a_hand_that_is_put_away_is_lost_once),
        cmocka_unit_test(losing_the_focus_is_losing_both_hands),
        cmocka_unit_test(recentring_separates_old_poses_from_new_ones),
        cmocka_unit_test(another_controller_is_named),
        cmocka_unit_test(pulses_reach_the_controllers),
    };

    return cmocka_run_group_tests_name("openxr source", tests, stage_open, stage_close);
}

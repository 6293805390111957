/* The replay source: the same frames at every speed, in order, whatever is wrong with the file. */
#include "sources/none/none.h"
#include "sources/replay/replay.h"
#include "support/fresh.h"
#include "support/source_probe.h"
#include "support/temporary.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define EPOCH_NS INT64_C(1000000000000)
#define HEADER "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}\n"
#define TRACKED (POSE_VALID | POSE_TRACKED)
#define MS INT64_C(1000000)

/* ---- recordings ---- */

typedef struct script {
    char path[64];
    FILE *file;
} script;

static script script_open(void)
{
    script s = {.path = "/tmp/clashd-replay-" TEMPORARY};
    int file = mkstemp(s.path);

    assert_true(file >= 0);
    s.file = fdopen(file, "w");
    assert_non_null(s.file);
    fputs(HEADER, s.file);
    return s;
}

static void script_pose(script *s, int64_t time_ns, const char *device, double x, const char *more)
{
    fprintf(s->file,
            "{\"type\":\"poses\",\"time_ns\":%" PRId64 ",\"poses\":[{\"device\":\"%s\",\"position\":[%.9g,1,2],"
            "\"orientation\":[0,0,0,1]%s}]}\n",
            time_ns, device, x, more);
}

static void script_poses(script *s, int count)
{
    for (int i = 0; i < count; i++)
        script_pose(s, i * MS, "/user/hand/left", i, ",\"tracked\":true");
}

static void script_line(script *s, const char *line)
{
    fprintf(s->file, "%s\n", line);
}

static probe *open_script(script *s, double speed)
{
    const replay_settings settings = {.path = s->path, .speed = speed, .epoch_ns = EPOCH_NS};
    failure error = {0};
    probe *p = probe_create();

    if (s->file)
        fclose(s->file);
    s->file = NULL;
    p->source = replay_source_create(&settings, &p->loop, probe_logger(p), fresh(&error));
    assert_string_equal(error.text, "");
    return p;
}

/* Plays it to its end. */
static probe *play(script *s, double speed)
{
    probe *p = open_script(s, speed);

    probe_start(p);
    probe_wait(p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_int_equal(p->reports[p->count - 1].kind, PROBE_ENDED);
    assert_string_equal(probe_status(p).state, "ended");
    return p;
}

static void finish(script *s, probe *p)
{
    probe_destroy(p);
    unlink(s->path);
}

/* ---- what is played ---- */

static void everything_comes_in_order(void **state)
{
    script s = script_open();
    const pose_frame *frame;
    probe *p;

    (void)state;
    script_pose(&s, 5 * MS, "/user/hand/left", 0.25, ",\"tracked\":true");
    script_line(&s, "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":6000000,\"device\":\"/user/hand/left\","
                    "\"tracked\":false,\"reason\":\"runtime_stalled\"}");
    script_pose(&s, 7 * MS, "npc/7", 3, ",\"tracked\":false");
    script_line(&s, "{\"type\":\"space_changed\",\"seq\":2,\"time_ns\":8000000}");
    script_pose(&s, 9 * MS, "npc/7", 0, ",\"tracked\":false,\"valid\":false");
    script_pose(&s, 10 * MS, "npc/7", 0, ",\"tracked\":true,\"teleport\":true");
    p = play(&s, REPLAY_SPEED_MAX);
    assert_int_equal(p->count, 7);
    frame = &p->reports[0].frame;
    assert_int_equal(frame->time_ns, EPOCH_NS + 5 * MS);
    assert_int_equal(frame->count, 1);
    assert_string_equal(p->devices[frame->samples[0].device], "/user/hand/left");
    assert_int_equal(frame->samples[0].flags, TRACKED);
    assert_true(frame->samples[0].pose.position.x == 0.25f && frame->samples[0].pose.orientation.w == 1.0f);
    assert_int_equal(p->reports[1].kind, PROBE_LOST);
    assert_int_equal(p->reports[1].frame.time_ns, EPOCH_NS + 6 * MS);
    assert_int_equal(p->reports[1].device, frame->samples[0].device);
    assert_int_equal(p->reports[1].reason, CLASH_TRACKING_RUNTIME_STALLED);
    assert_string_equal(p->devices[p->reports[2].frame.samples[0].device], "npc/7");
    assert_int_equal(p->reports[2].frame.samples[0].flags, POSE_VALID);
    assert_int_equal(p->reports[3].kind, PROBE_SPACE);
    assert_int_equal(p->reports[3].frame.time_ns, EPOCH_NS + 8 * MS);
    assert_int_equal(p->reports[4].frame.samples[0].flags, 0);
    assert_int_equal(p->reports[5].frame.samples[0].flags, TRACKED | POSE_TELEPORT);
    assert_int_equal(probe_status(p).frames, 4);
    assert_string_equal(probe_status(p).kind, "replay");
    assert_string_equal(probe_status(p).runtime, s.path);
    assert_int_equal(probe_logged(p, "W "), 0);
    finish(&s, p);
}

static void many_poses_become_frames_of_one_time(void **state)
{
    const int count = 2 * POSE_FRAME_SAMPLES_MAX + 3;
    script s = script_open();
    probe *p;
    int seen = 0;

    (void)state;
    fprintf(s.file, "{\"type\":\"poses\",\"time_ns\":7,\"poses\":[");
    for (int i = 0; i < count; i++)
        fprintf(s.file, "%s{\"device\":\"d/%d\",\"position\":[%d,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}",
                i ? "," : "", i, i);
    fprintf(s.file, "]}\n");
    p = play(&s, REPLAY_SPEED_MAX);
    assert_int_equal(p->frames, 3);
    assert_true(p->reports[0].frame.more && p->reports[1].frame.more && !p->reports[2].frame.more);
    for (size_t i = 0; i < p->frames; i++) {
        const pose_frame *frame = &p->reports[i].frame;

        assert_int_equal(frame->time_ns, EPOCH_NS + 7);
        for (uint32_t j = 0; j < frame->count; j++, seen++)
            assert_true(frame->samples[j].pose.position.x == (float)seen);
    }
    assert_int_equal(seen, count);
    finish(&s, p);
}

/* Times are used as they stand, also where they repeat or run backwards. */
/* One step of two lines with poses and an empty one that ends it; elsewhere an empty one is nothing. */
static void steps_of_several_lines_stay_steps(void **state)
{
    const bool more[] = {true, true, true, false, false};
    script s = script_open();
    probe *p;

    (void)state;
    script_line(&s, "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[]}");
    fprintf(s.file, "{\"type\":\"poses\",\"time_ns\":2,\"more\":true,\"poses\":[");
    for (int i = 0; i <= POSE_FRAME_SAMPLES_MAX; i++)
        fprintf(s.file, "%s{\"device\":\"d/%d\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}",
                i ? "," : "", i);
    fprintf(s.file, "]}\n");
    script_line(&s, "{\"type\":\"poses\",\"time_ns\":2,\"more\":true,\"poses\":[{\"device\":\"d/40\","
                    "\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}]}");
    script_line(&s, "{\"type\":\"poses\",\"time_ns\":2,\"poses\":[]}");
    script_pose(&s, 3, "d/1", 0, ",\"tracked\":true");
    p = play(&s, REPLAY_SPEED_MAX);
    assert_int_equal(p->frames, 5);
    for (size_t i = 0; i < p->frames; i++)
        assert_int_equal(p->reports[i].frame.more, more[i]);
    assert_int_equal(p->reports[1].frame.count, 1);
    assert_int_equal(p->reports[3].frame.count, 0);
    finish(&s, p);
}

static void times_are_used_as_they_stand(void **state)
{
    const int64_t times_ns[] = {50 * MS, 50 * MS, 20 * MS, 60 * MS, 0, 61 * MS};
    const size_t count = sizeof times_ns / sizeof *times_ns;

    (void)state;
    for (int speed = 0; speed < 2; speed++) {
        script s = script_open();
        probe *p;

        for (size_t i = 0; i < count; i++)
            script_pose(&s, times_ns[i], "a", 0, ",\"tracked\":true");
        p = play(&s, speed);
        assert_int_equal(p->frames, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(p->reports[i].frame.time_ns, EPOCH_NS + times_ns[i]);
        finish(&s, p);
    }
}

static void damage_costs_only_itself(void **state)
{
    const int damaged = 20;
    script s = script_open();
    probe *p;

    (void)state;
    for (int i = 0; i < damaged; i++) {
        script_pose(&s, i * MS, "a", i, ",\"tracked\":true");
        script_line(&s, i % 2 ? "{\"type\":\"poses\",\"time_ns\":\"soon\"}" : "{\"type\":\"pos");
        script_line(&s, "{\"type\":\"something new\",\"answer\":42}");
    }
    fprintf(s.file, "{\"type\":\"poses\",\"time_ns\":99"); /* torn */
    p = play(&s, REPLAY_SPEED_MAX);
    assert_int_equal(p->frames, damaged);
    for (int i = 0; i < damaged; i++)
        assert_true(p->reports[i].frame.samples[0].pose.position.x == (float)i);
    assert_int_equal(probe_logged(p, " line 3: "), 1);
    assert_int_equal(probe_logged(p, " line 6: "), 1);
    assert_int_equal(probe_logged(p, "; skipped\n"), 8);
    assert_int_equal(probe_logged(p, "further damaged lines"), 1);
    assert_int_equal(probe_logged(p, ": 21 of "), 1);
    finish(&s, p);
}

static void an_empty_recording_just_ends(void **state)
{
    script s = script_open();
    probe *p = play(&s, 1);

    (void)state;
    assert_int_equal(p->count, 1);
    finish(&s, p);
}

static void what_is_no_recording_is_refused(void **state)
{
    replay_settings settings = {.path = "/nonexistent/file.jsonl", .speed = 1};
    failure error = {0};
    script s = script_open();
    probe *p = probe_create();

    (void)state;
    assert_null(replay_source_create(&settings, &p->loop, probe_logger(p), fresh(&error)));
    assert_non_null(strstr(error.text, "/nonexistent/file.jsonl"));
    assert_non_null(strstr(error.text, "No such file"));
    rewind(s.file);
    fputs("{\"type\":\"poses\"}                                                        ", s.file);
    fclose(s.file);
    settings.path = s.path;
    assert_null(replay_source_create(&settings, &p->loop, probe_logger(p), fresh(&error)));
    assert_non_null(strstr(error.text, s.path));
    finish(&s, p);
}

/* ---- when ---- */

static void speed_changes_nothing_but_the_pace(void **state)
{
    const double speeds[] = {REPLAY_SPEED_MAX, 1, 7.5, 1000};
    script s = script_open();

    (void)state;
    script_poses(&s, 60);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        const uint64_t began_ns = uv_hrtime();
        probe *p = play(&s, speeds[i]);

        assert_int_equal(p->frames, 60);
        for (int j = 0; j < 60; j++) {
            assert_int_equal(p->reports[j].frame.time_ns, EPOCH_NS + j * MS);
            assert_true(p->reports[j].frame.samples[0].pose.position.x == (float)j);
        }
        if (speeds[i] > 0) /* 59 ms of recording can only take longer */
            assert_true((double)(uv_hrtime() - began_ns) >= 59e6 / speeds[i]);
        probe_destroy(p);
    }
    unlink(s.path);
}

static void on_turn(uv_prepare_t *handle)
{
    (*(int *)handle->data)++;
}

static void full_speed_leaves_the_loop_its_turns(void **state)
{
    script s = script_open();
    uv_prepare_t prepare;
    int turns = 0;
    probe *p;

    (void)state;
    script_poses(&s, 5000);
    p = open_script(&s, REPLAY_SPEED_MAX);
    uv_prepare_init(&p->loop, &prepare);
    prepare.data = &turns;
    uv_prepare_start(&prepare, on_turn);
    probe_start(p);
    probe_wait(p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_int_equal(p->frames, 5000);
    assert_true(turns >= 10);
    uv_close((uv_handle_t *)&prepare, NULL);
    finish(&s, p);
}

static void stopped_by_its_listener_and_started_again(void **state)
{
    (void)state;
    for (int speed = 0; speed < 2; speed++) {
        script s = script_open();
        probe *p;

        script_poses(&s, 20);
        p = open_script(&s, speed);
        p->stop_at_frame = p->source;
        p->stop_count = 3;
        probe_start(p);
        PROBE_WAIT(p, p->frames >= 3);
        for (int i = 0; i < 10; i++)
            uv_run(&p->loop, UV_RUN_ONCE);
        assert_int_equal(p->count, 3);
        p->stop_at_frame = NULL;
        probe_start(p);
        probe_wait(p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
        assert_int_equal(p->frames, 23);
        assert_int_equal(p->reports[3].frame.time_ns, EPOCH_NS);
        finish(&s, p);
    }
}

/* ---- a person, and nobody ---- */

static void human_swings_are_played_whole(void **state)
{
    const replay_settings settings = {.path = TEST_DATA "/duel-20s.jsonl", .speed = REPLAY_SPEED_MAX};
    failure error = {0};
    probe *p = probe_create();

    (void)state;
    p->source = replay_source_create(&settings, &p->loop, probe_logger(p), fresh(&error));
    probe_start(p);
    probe_wait(p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_int_equal(p->frames, 1801);
    assert_int_equal(p->device_count, 2);
    assert_int_equal(p->reports[1].frame.time_ns, 11291504);
    assert_true(p->reports[1].frame.samples[1].pose.orientation.w == 0.538075507f);
    assert_int_equal(probe_logged(p, "W "), 0);
    probe_destroy(p);
}

static void none_delivers_nothing(void **state)
{
    probe *p = probe_create();

    (void)state;
    p->source = none_source_create();
    probe_start(p);
    for (int i = 0; i < 10; i++)
        uv_run(&p->loop, UV_RUN_ONCE);
    assert_int_equal(p->count, 0);
    assert_string_equal(probe_status(p).kind, "none");
    assert_int_equal(probe_status(p).frames, 0);
    p->source->stop(p->source);
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_in_order),
        cmocka_unit_test(many_poses_become_frames_of_one_time),
        cmocka_unit_test(steps_of_several_lines_stay_steps),
        cmocka_unit_test(times_are_used_as_they_stand),
        cmocka_unit_test(damage_costs_only_itself),
        cmocka_unit_test(an_empty_recording_just_ends),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(speed_changes_nothing_but_the_pace),
        cmocka_unit_test(full_speed_leaves_the_loop_its_turns),
        cmocka_unit_test(stopped_by_its_listener_and_started_again),
        cmocka_unit_test(human_swings_are_played_whole),
        cmocka_unit_test(none_delivers_nothing),
    };

    return cmocka_run_group_tests_name("replay source", tests, NULL, NULL);
}

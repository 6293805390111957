/* A replay that is steered: pause, step, seek and speed, loops, plain and compressed, with blades that come and go and lines
 * that are damaged. What comes after a seek is what stands there in the file; time never runs back. */
#include "sources/replay/replay.h"
#include "support/fresh.h"
#include "support/source_probe.h"
#include "support/temporary.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#define EPOCH_NS INT64_C(1000000000000)
#define MS INT64_C(1000000)
#define LINES 20000 /* poses, one a millisecond from 0 on */
#define BLADE_FROM 5000
#define BLADE_UNTIL 15000
#define TEXT_MAX ((size_t)LINES * 200)

static char said[4096]; /* of blades */

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    (void)context, (void)time_ns;
    sprintf(said + strlen(said), "+%s ", blade->name);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    (void)context, (void)time_ns, (void)device;
    sprintf(said + strlen(said), "-%s ", blade);
}

static size_t put_poses(char *out, int line)
{
    return (size_t)sprintf(out,
                           "{\"type\":\"poses\",\"time_ns\":%" PRId64 ",\"poses\":[{\"device\":\"a\",\"position\":"
                           "[%d,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}]}\n",
                           line * MS, line);
}

static size_t make_text(char *out)
{
    size_t length = (size_t)sprintf(out, "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}\n");

    for (int i = 0; i < LINES; i++) {
        if (i == BLADE_FROM)
            length +=
                (size_t)sprintf(out + length, "{\"type\":\"blade\",\"time_ns\":0,\"name\":\"orc\",\"device\":\"a\","
                                              "\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":0.1}\n");
        if (i == BLADE_UNTIL)
            length += (size_t)sprintf(out + length, "{\"type\":\"remove\",\"time_ns\":0,\"blade\":\"orc\"}\n");
        if (i == 700)
            length += (size_t)sprintf(out + length, "{\"type\":\"poses\",\"time\n");
        length += put_poses(out + length, i);
    }
    return length;
}

typedef struct fixture {
    char path[64];
    probe *p;
} fixture;

static void write_recording(fixture *f, bool compressed)
{
    char *text = malloc(TEXT_MAX), *packed = malloc(TEXT_MAX);
    size_t length = make_text(text), used = 0;
    FILE *file = fopen(f->path, "wb");

    for (size_t at = 0; compressed && at < length; at += 50000)
        used += ZSTD_compress(packed + used, TEXT_MAX - used, text + at, length - at < 50000 ? length - at : 50000, 3);
    assert_non_null(file);
    fwrite(compressed ? packed : text, 1, compressed ? used : length, file);
    fclose(file);
    free(text);
    free(packed);
}

static void begin(fixture *f, bool compressed, double speed, bool loops)
{
    const replay_settings settings = {.path = f->path, .speed = speed, .epoch_ns = EPOCH_NS, .loops = loops};
    failure error = {0};
    pose_listener listener;
    int file;

    snprintf(f->path, sizeof f->path, "/tmp/clashd-seek-" TEMPORARY);
    file = mkstemp(f->path);
    assert_true(file >= 0);
    close(file);
    write_recording(f, compressed);
    said[0] = '\0';
    f->p = probe_create();
    f->p->source = replay_source_create(&settings, &f->p->loop, probe_logger(f->p), fresh(&error));
    assert_non_null(f->p->source);
    listener = probe_listener(f->p);
    listener.blade = on_blade;
    listener.removed = on_removed;
    assert_int_equal(f->p->source->start(f->p->source, &listener), 0);
}

static void end(fixture *f)
{
    probe_destroy(f->p);
    unlink(f->path);
}

static replay_state state_of(const fixture *f)
{
    replay_state s;

    replay_source_get_state(f->p->source, &s);
    return s;
}

static void order(fixture *f, replay_command command)
{
    failure error = {0};

    assert_int_equal(replay_source_command(f->p->source, &command, fresh(&error)), 0);
    assert_string_equal(error.text, "");
}

static const pose_frame *last_frame(const fixture *f)
{
    for (size_t i = f->p->count; i > 0; i--)
        if (f->p->reports[i - 1].kind == PROBE_FRAME)
            return &f->p->reports[i - 1].frame;
    fail_msg("there are no frames");
    return NULL;
}

/* Paused, a seek delivers the one frame it arrives at. */
static void seek_and_check(fixture *f, int64_t target_ns, int line)
{
    const size_t frames = f->p->frames, before = f->p->count;

    order(f, (replay_command){.action = REPLAY_SEEK, .time_ns = target_ns});
    assert_int_equal(f->p->reports[before].kind, PROBE_JUMPED); /* at once */
    PROBE_WAIT(f->p, strcmp(state_of(f).state, "paused") == 0 && f->p->frames > frames);
    assert_int_equal(f->p->frames, frames + 1);
    assert_true(last_frame(f)->samples[0].pose.position.x == (float)line);
    assert_int_equal(state_of(f).position_ns, line * MS);
    assert_int_equal(last_frame(f)->time_ns, EPOCH_NS + line * MS + state_of(f).shift_ns);
}

static void assert_time_never_runs_back(const fixture *f)
{
    for (size_t i = 1; i < f->p->count; i++)
        if (f->p->reports[i].kind != PROBE_ENDED && f->p->reports[i - 1].kind != PROBE_ENDED)
            assert_true(f->p->reports[i].frame.time_ns >= f->p->reports[i - 1].frame.time_ns);
}

static void pause_at_the_beginning(fixture *f)
{
    order(f, (replay_command){.action = REPLAY_PAUSE});
    order(f, (replay_command){.action = REPLAY_STEP, .count = 1});
    PROBE_WAIT(f->p, f->p->frames > 0);
}

static void it_goes_anywhere(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        fixture f;

        begin(&f, compressed, 0.001, false);
        pause_at_the_beginning(&f);
        seek_and_check(&f, 1000 * MS, 1000); /* forward: the recording's own times */
        assert_int_equal(state_of(&f).shift_ns, 0);
        assert_string_equal(said, "");
        seek_and_check(&f, 10000 * MS - 1, 10000);
        assert_string_equal(said, "+orc ");
        seek_and_check(&f, 9000 * MS, 9000); /* back, and the blade stays */
        assert_string_equal(said, "+orc ");
        assert_true(state_of(&f).shift_ns > 1000 * MS);
        seek_and_check(&f, 19999 * MS, 19999);
        assert_string_equal(said, "+orc -orc ");
        seek_and_check(&f, 6000 * MS, 6000);
        assert_string_equal(said, "+orc -orc +orc ");
        seek_and_check(&f, 3000 * MS + 1, 3001);
        assert_string_equal(said, "+orc -orc +orc -orc ");
        seek_and_check(&f, INT64_MIN, 0);
        seek_and_check(&f, -5, 0);
        for (int i = 0; i < 50; i++)
            seek_and_check(&f, i * 7919 % LINES * MS, i * 7919 % LINES);
        assert_time_never_runs_back(&f);
        assert_true(state_of(&f).damaged <= 1);
        end(&f);
    }
}

static void beyond_the_end_is_the_end_and_it_goes_on_from_there(void **state)
{
    fixture f;

    (void)state;
    begin(&f, false, 0.001, false);
    order(&f, (replay_command){.action = REPLAY_SEEK, .time_ns = INT64_MAX});
    probe_wait(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_string_equal(state_of(&f).state, "ended");
    order(&f, (replay_command){.action = REPLAY_SPEED, .speed = REPLAY_SPEED_MAX});
    order(&f, (replay_command){.action = REPLAY_SEEK, .time_ns = 19990 * MS});
    PROBE_WAIT(f.p, probe_find(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK) < f.p->count - 1 &&
                        f.p->reports[f.p->count - 1].kind == PROBE_ENDED);
    assert_true(last_frame(&f)->samples[0].pose.position.x == 19999.0f);
    order(&f, (replay_command){.action = REPLAY_RESUME}); /* from the beginning */
    PROBE_WAIT(f.p, strcmp(state_of(&f).state, "ended") == 0 && f.p->frames > LINES);
    assert_true(last_frame(&f)->samples[0].pose.position.x == 19999.0f);
    assert_time_never_runs_back(&f);
    end(&f);
}

static void steps_are_single_frames(void **state)
{
    fixture f;

    (void)state;
    begin(&f, true, 0.001, false);
    pause_at_the_beginning(&f);
    assert_int_equal(f.p->frames, 1);
    order(&f, (replay_command){.action = REPLAY_STEP, .count = 1});
    PROBE_WAIT(f.p, f.p->frames == 2);
    order(&f, (replay_command){.action = REPLAY_STEP, .count = 700});
    PROBE_WAIT(f.p, f.p->frames == 702);
    for (int i = 0; i < 20; i++)
        uv_run(&f.p->loop, UV_RUN_ONCE);
    assert_int_equal(f.p->frames, 702);
    for (size_t i = 0; i < f.p->count; i++)
        assert_int_equal(f.p->reports[i].frame.time_ns, EPOCH_NS + (int64_t)i * MS);
    seek_and_check(&f, 19998 * MS, 19998);
    order(&f, (replay_command){.action = REPLAY_STEP, .count = 100000}); /* more than there are */
    probe_wait(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_true(last_frame(&f)->samples[0].pose.position.x == 19999.0f);
    end(&f);
}

static void paused_and_resumed_it_misses_nothing(void **state)
{
    fixture f;

    (void)state;
    begin(&f, false, 5.0, false);
    for (int i = 0; i < 5; i++) {
        size_t frames = f.p->frames;

        PROBE_WAIT(f.p, f.p->frames > frames + 50 || f.p->frames == LINES);
        if (f.p->frames == LINES)
            break; /* a slow machine may be late for that; the first pause is never */
        order(&f, (replay_command){.action = REPLAY_PAUSE});
        frames = f.p->frames;
        for (int turn = 0; turn < 5; turn++)
            uv_run(&f.p->loop, UV_RUN_ONCE);
        assert_int_equal(f.p->frames, frames);
        assert_string_equal(state_of(&f).state, "paused");
        order(&f, (replay_command){.action = REPLAY_SPEED, .speed = i < 3 ? 5.0 * (i + 1) : REPLAY_SPEED_MAX});
        order(&f, (replay_command){.action = REPLAY_RESUME});
    }
    probe_wait(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_int_equal(f.p->frames, LINES);
    assert_int_equal(f.p->count, LINES + 1);
    for (int64_t i = 0; i < LINES; i++)
        assert_int_equal(f.p->reports[i].frame.time_ns, EPOCH_NS + i * MS);
    assert_int_equal(state_of(&f).damaged, 1);
    end(&f);
}

static void a_loop_has_seams(void **state)
{
    fixture f;
    size_t seam = 0;

    (void)state;
    begin(&f, true, REPLAY_SPEED_MAX, true);
    PROBE_WAIT(f.p, state_of(&f).passes == 3);
    for (int pass = 1; pass <= 3; pass++) {
        seam = probe_find(f.p, seam + 1, PROBE_JUMPED, 0, CLASH_TRACKING_OK);
        assert_true(seam < f.p->count - 1 || pass == 3);
        assert_true(f.p->reports[seam - 1].frame.samples[0].pose.position.x == (float)(LINES - 1));
        if (seam + 1 < f.p->count)
            assert_true(f.p->reports[seam + 1].frame.samples[0].pose.position.x == 0.0f);
    }
    assert_time_never_runs_back(&f);
    assert_int_equal(state_of(&f).damaged, 1); /* the same line every time */
    assert_int_equal(probe_find(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK), f.p->count);
    end(&f);
}

static void the_loop_turns_while_it_seeks(void **state)
{
    fixture f;
    int turns = 0;

    (void)state;
    begin(&f, false, 0.001, false);
    pause_at_the_beginning(&f);
    order(&f, (replay_command){.action = REPLAY_SEEK, .time_ns = 19000 * MS});
    for (; strcmp(state_of(&f).state, "seeking") == 0; turns++)
        uv_run(&f.p->loop, UV_RUN_NOWAIT);
    assert_true(turns >= 5);
    order(&f, (replay_command){.action = REPLAY_SEEK, .time_ns = 5 * MS}); /* known already */
    for (turns = 0; strcmp(state_of(&f).state, "seeking") == 0; turns++)
        uv_run(&f.p->loop, UV_RUN_NOWAIT);
    assert_true(turns <= 4);
    end(&f);
}

static void what_cannot_be_done_is_said(void **state)
{
    fixture f;
    failure error = {0};

    (void)state;
    begin(&f, false, REPLAY_SPEED_MAX, false);
    probe_wait(f.p, 0, PROBE_ENDED, 0, CLASH_TRACKING_OK);
    assert_int_equal(
        replay_source_command(f.p->source, &(replay_command){.action = REPLAY_STEP, .count = 1}, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "over"));
    f.p->source->stop(f.p->source);
    assert_int_equal(replay_source_command(f.p->source, &(replay_command){.action = REPLAY_SEEK}, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "not begun"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_anywhere),
        cmocka_unit_test(beyond_the_end_is_the_end_and_it_goes_on_from_there),
        cmocka_unit_test(steps_are_single_frames),
        cmocka_unit_test(paused_and_resumed_it_misses_nothing),
        cmocka_unit_test(a_loop_has_seams),
        cmocka_unit_test(the_loop_turns_while_it_seeks),
        cmocka_unit_test(what_cannot_be_done_is_said),
    };

    return cmocka_run_group_tests_name("replay seek", tests, NULL, NULL);
}

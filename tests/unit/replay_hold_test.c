/* A replay that has to wait for its listener: nothing is delivered meanwhile, nothing is lost, and no time has passed for it,
 * whether it is played, fast or in its own time, or gone through. */
#include "sources/replay/replay.h"
#include "support/fresh.h"
#include "support/source_probe.h"
#include "support/temporary.h"

#include <stdio.h>
#include <unistd.h>

#define EPOCH_NS INT64_C(1000000000000)
#define FRAMES 400
#define EVERY 100 /* of which so many are before a blade, where it is held */

typedef struct fixture {
    char path[64];
    probe *p;
    uv_timer_t release;
    int held;
    size_t frames_when_held;
    bool was_disturbed;
} fixture;

static void on_release(uv_timer_t *timer)
{
    fixture *f = timer->data;

    f->was_disturbed |= f->p->frames != f->frames_when_held;
    replay_source_hold(f->p->source, false);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    fixture *f = ((probe *)context)->ticker.data;

    (void)time_ns, (void)blade;
    f->held++;
    f->frames_when_held = f->p->frames;
    replay_source_hold(f->p->source, true);
    uv_timer_start(&f->release, on_release, 30, 0);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    (void)context, (void)time_ns, (void)blade, (void)device;
}

static void write_recording(fixture *f)
{
    FILE *file;

    strcpy(f->path, "/tmp/clashd-hold-" TEMPORARY);
    file = fdopen(mkstemp(f->path), "w");
    assert_non_null(file);
    fputs("{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}\n", file);
    for (int i = 0; i < FRAMES; i++) {
        if (i % EVERY == EVERY - 1)
            fprintf(file,
                    "{\"type\":\"blade\",\"time_ns\":%d000000,\"name\":\"orc\",\"device\":\"a\",\"base\":[0,0,0],"
                    "\"tip\":[0,0,1],\"radius\":0.1}\n",
                    i + 1);
        fprintf(file,
                "{\"type\":\"poses\",\"time_ns\":%d000000,\"poses\":[{\"device\":\"a\",\"position\":[%d,0,0],"
                "\"orientation\":[0,0,0,1],\"tracked\":true}]}\n",
                i + 1, i);
    }
    fclose(file);
}

static void begin(fixture *f, double speed)
{
    const replay_settings settings = {.path = f->path, .speed = speed, .epoch_ns = EPOCH_NS};
    pose_listener listener;
    failure error = {0};

    f->p = probe_create();
    f->p->ticker.data = f;
    uv_timer_init(&f->p->loop, &f->release);
    f->release.data = f;
    listener = probe_listener(f->p);
    listener.blade = on_blade;
    listener.removed = on_removed;
    f->p->source = replay_source_create(&settings, &f->p->loop, probe_logger(f->p), fresh(&error));
    assert_non_null(f->p->source);
    assert_int_equal(f->p->source->start(f->p->source, &listener), 0);
}

static void end(fixture *f)
{
    uv_close((uv_handle_t *)&f->release, NULL);
    probe_destroy(f->p);
    unlink(f->path);
    assert_false(f->was_disturbed);
}

static void nothing_comes_and_nothing_is_lost(void **state)
{
    static const double speeds[] = {REPLAY_SPEED_MAX, 1.0, 50.0};

    (void)state;
    for (size_t s = 0; s < 3; s++) {
        fixture f = {.held = 0};

        write_recording(&f);
        begin(&f, speeds[s]);
        PROBE_WAIT(f.p, probe_find(f.p, 0, PROBE_ENDED, 0, 0) < f.p->count);
        assert_int_equal(f.held, FRAMES / EVERY);
        assert_int_equal(f.p->frames, FRAMES);
        for (size_t i = 0; i < FRAMES; i++)
            assert_int_equal(f.p->reports[i].frame.time_ns, EPOCH_NS + (int64_t)(i + 1) * 1000000);
        end(&f);
    }
}

/* On the way of a seek, and where it ends; the way goes on afterwards. */
static void a_seek_waits_too(void **state)
{
    const replay_command back = {.action = REPLAY_SEEK, .time_ns = 0};
    const replay_command on = {.action = REPLAY_SEEK, .time_ns = INT64_C(350000000)};
    failure error = {0};
    fixture f = {.held = 0};
    replay_state now;

    (void)state;
    write_recording(&f);
    begin(&f, REPLAY_SPEED_MAX);
    PROBE_WAIT(f.p, probe_find(f.p, 0, PROBE_ENDED, 0, 0) < f.p->count);
    assert_int_equal(replay_source_command(f.p->source, &back, fresh(&error)), 0);
    PROBE_WAIT(f.p, f.held > FRAMES / EVERY);
    f.frames_when_held = f.p->frames;
    assert_int_equal(replay_source_command(f.p->source, &on, fresh(&error)), 0);
    f.frames_when_held = f.p->frames;
    for (int i = 0; i < 5; i++)
        uv_run(&f.p->loop, UV_RUN_NOWAIT);
    replay_source_get_state(f.p->source, &now);
    assert_string_equal(now.state, "seeking");
    PROBE_WAIT(f.p, f.p->reports[f.p->count - 1].kind == PROBE_ENDED && f.p->frames > FRAMES);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_comes_and_nothing_is_lost),
        cmocka_unit_test(a_seek_waits_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

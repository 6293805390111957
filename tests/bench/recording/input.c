/* Makes the recording that is measured: the human swings of tests/data, as often as it takes, at their own times or sampled
 * anew at a constant rate, as clashd would have recorded them. */
#include "bench.h"
#include "support/fresh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clash/pose.h>

#include "protocol/recording/recording.h"
#include "scene/scene.h"

#define FRAMES_MAX 4096
#define HANDS 2

/** Both hands at one time. */
typedef struct frame {
    int64_t time_ns;
    clash_pose hands[HANDS];
} frame;

/** The swings, forwards and backwards in turns. */
typedef struct swings {
    size_t count;
    frame frames[FRAMES_MAX];
} swings;

typedef struct maker {
    FILE *out;
    pipeline *pipeline;
    uint32_t devices[HANDS];
    input *made;
    char line[PROTOCOL_LINE_MAX];
} maker;

static const char *const hands[HANDS] = {"/user/hand/left", "/user/hand/right"};

static swings *load(const char *path)
{
    swings *s = calloc(1, sizeof *s);
    recording_item *item = malloc(sizeof *item);
    failure error = {0};
    recording *r = recording_open(path, NULL, NULL, fresh(&error));

    if (!s || !item || !r)
        die(path, r ? "out of memory" : error.text);
    while (recording_next(r, item) != RECORDING_END) {
        if (item->kind != RECORDING_POSES || item->pose_count != HANDS || s->count == FRAMES_MAX)
            die(path, "expected the poses of two hands in every line");
        s->frames[s->count++] = (frame){item->time_ns, {item->poses[0].pose, item->poses[1].pose}};
    }
    if (s->count < 2)
        die(path, "expected two lines at least");
    recording_close(r);
    free(item);
    return s;
}

static int64_t length_of(const swings *s)
{
    return s->frames[s->count - 1].time_ns - s->frames[0].time_ns;
}

/** The frame of this number, counted on beyond the last: 0 1 2 3 2 1 0 1 .. of four. */
static frame turn(const swings *s, size_t number)
{
    size_t steps = s->count - 1, round = number / steps, at = number % steps;
    const frame *from = &s->frames[round % 2 == 0 ? at : steps - at];
    frame f = *from;
    int64_t within = from->time_ns - s->frames[0].time_ns;

    f.time_ns = (int64_t)round * length_of(s) + (round % 2 == 0 ? within : length_of(s) - within);
    return f;
}

/** What lies on the motion from `number` to the next at that time. */
static frame between(const swings *s, size_t number, int64_t time_ns)
{
    frame from = turn(s, number), to = turn(s, number + 1);
    frame f = {.time_ns = time_ns};

    for (size_t h = 0; h < HANDS; h++) {
        clash_motion motion = {from.hands[h], to.hands[h]};

        f.hands[h] = clash_motion_at(&motion, (double)(time_ns - from.time_ns) / (double)(to.time_ns - from.time_ns));
    }
    return f;
}

static void put(maker *m, const char *line, size_t length)
{
    if (length == 0 || fwrite(line, 1, length, m->out) != length)
        die(m->made->plain, strerror(errno));
    m->made->lines++;
    m->made->plain_bytes += length;
}

static void on_event(void *context, const clash_event *event)
{
    maker *m = context;

    put(m, m->line, protocol_encode_event(m->line, sizeof m->line, event, 0));
    m->made->events++;
}

static void take(maker *m, const frame *f)
{
    pose_frame to = {.time_ns = f->time_ns, .count = HANDS};
    protocol_pose poses[HANDS];

    for (size_t h = 0; h < HANDS; h++) {
        poses[h] = (protocol_pose){hands[h], f->hands[h], true, true, false, false, false, CLASH_SOURCE_NONE, {0}};
        to.samples[h] = (pose_sample){m->devices[h], POSE_VALID | POSE_TRACKED, f->hands[h]};
    }
    put(m, m->line, protocol_encode_recorded_poses(m->line, sizeof m->line, f->time_ns, poses, HANDS, false));
    m->made->frames++;
    m->made->poses += HANDS;
    pipeline_frame(m->pipeline, &to);
}

static void take_all(maker *m, const swings *s, const workload *w)
{
    int64_t end_ns = llround(w->seconds * 1e9);
    size_t number = 0;

    for (uint64_t i = 0;; i++) {
        frame f = turn(s, (size_t)i);

        if (w->rate_hz > 0) {
            int64_t time_ns = llround((double)i * 1e9 / w->rate_hz);

            while (turn(s, number + 1).time_ns <= time_ns)
                number++;
            f = between(s, number, time_ns);
        }
        if (f.time_ns >= end_ns)
            return;
        take(m, &f);
    }
}

void input_make(const workload *w, const char *source, input *out)
{
    static const char header[] =
        "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"note\":\"human swings, to "
        "and fro, made by tests/bench/recording\"}\n";
    swings *s = load(source);
    maker *m = calloc(1, sizeof *m);
    config_values *config = malloc(sizeof *config);
    const event_sink sinks = {.context = m, .event = on_event};
    pipeline_settings settings;
    scene made = {0};
    failure error = {0};

    if (!m || !config)
        die(out->plain, "out of memory");
    config_defaults(config);
    m->made = out;
    m->out = fopen(out->plain, "w");
    if (!m->out)
        die(out->plain, strerror(errno));
    settings = config_pipeline_settings(config);
    fail_with(fresh(&error), "out of memory");
    if (scene_open(&made, &settings, &sinks, (logger){0}) != 0 || scene_define_blades_of(&made, config, &error) != 0)
        die(out->plain, error.text);
    m->pipeline = made.pipeline;
    for (size_t h = 0; h < HANDS; h++)
        m->devices[h] = pipeline_device(m->pipeline, hands[h]);
    put(m, header, sizeof header - 1);
    take_all(m, s, w);
    if (fclose(m->out) != 0)
        die(out->plain, strerror(errno));
    scene_close(&made);
    free(config);
    free(m);
    free(s);
}

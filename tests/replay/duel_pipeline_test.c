/* The pipeline on a real person's swings against a dense search of the same samples: same contacts, each start and end
 * within 0.1 ms. The recordings and their provenance: tests/data/README.md. */
#include <stdio.h>

#include "protocol/recording/recording.h"
#include "support/dense.h"
#include "support/fresh.h"
#include "support/scene.h"

#define FRAMES_MAX 4096
#define CONTACTS_MAX 256
#define CLOSE_NS 1e5 /* 0.1 ms */

typedef struct duel {
    size_t frame_count, sample_counts[2];
    pose_frame frames[FRAMES_MAX];
    dense_sample samples[2][FRAMES_MAX]; /* what a track should make of the frames */
    dense_contact truth[CONTACTS_MAX];
} duel;

static const clash_capsule blade_shape = {{0, 0, 0}, {0, 0, -1}, 0.01f};

static pipeline_settings duel_settings(void)
{
    return (pipeline_settings){.every_pair = scene_every_pair,
                               .release_margin = 0.005f,
                               .hold_rate_hz = 30.0f,
                               .full_intensity_speed = 10.0f,
                               .max_gap_ns = 100 * SCENE_MS,
                               .require_tracked = true};
}

static double quat_length(clash_quat q)
{
    return sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
}

/* The rules for real input, as few as this file needs: no rotation, no sample; the later one of the same time counts. */
static void duel_take(duel *d, uint32_t device, int64_t time_ns, const clash_pose *pose)
{
    dense_sample *samples = d->samples[device];
    size_t *count = &d->sample_counts[device];

    if (fabs(quat_length(pose->orientation) - 1.0) > 0.01)
        return;
    assert_true(*count == 0 || time_ns >= samples[*count - 1].time_ns);
    if (*count > 0 && samples[*count - 1].time_ns == time_ns)
        --*count;
    samples[(*count)++] = (dense_sample){time_ns, *pose};
}

static void duel_add_frame(duel *d, const recording_item *item)
{
    pose_frame *frame = &d->frames[d->frame_count++];

    assert_true(d->frame_count <= FRAMES_MAX);
    *frame = scene_frame(item->time_ns);
    for (size_t i = 0; i < item->pose_count; i++) {
        const protocol_own_pose *p = &item->poses[i];
        uint32_t device = strcmp(p->device, "/user/hand/left") == 0 ? 0 : 1;
        uint32_t flags = (p->valid ? POSE_VALID : 0u) | (p->tracked ? POSE_TRACKED : 0u);

        assert_string_equal(p->device, device ? "/user/hand/right" : "/user/hand/left");
        assert_int_equal(flags, SCENE_GOOD);
        scene_frame_add(frame, device, flags, p->pose);
        duel_take(d, device, item->time_ns, &p->pose);
    }
}

static duel *duel_load(const char *path)
{
    duel *d = calloc(1, sizeof *d);
    recording_item *item = malloc(sizeof *item);
    failure error = {0};
    recording *r = recording_open(path, NULL, NULL, fresh(&error));

    if (!r || !d || !item) {
        print_error("%s: %s\n", path, error.text);
        abort();
    }
    while (recording_next(r, item) != RECORDING_END) {
        assert_int_equal(item->kind, RECORDING_POSES);
        duel_add_frame(d, item);
    }
    assert_int_equal(recording_get_counters(r)->damaged, 0);
    recording_close(r);
    free(item);
    return d;
}

static scene *duel_scene(void)
{
    pipeline_settings settings = duel_settings();
    scene *s = scene_create(&settings);
    pipeline_blade blades[2] = {scene_blade("left", 0, blade_shape), scene_blade("right", 1, blade_shape)};

    assert_null(pipeline_add_blade(s->pipeline, &blades[0]));
    assert_null(pipeline_add_blade(s->pipeline, &blades[1]));
    return s;
}

static scene *duel_run(const duel *d)
{
    scene *s = duel_scene();

    for (size_t i = 0; i < d->frame_count; i++)
        pipeline_frame(s->pipeline, &d->frames[i]);
    return s;
}

static void check_contact(const dense_contact *truth, const clash_event *clash, const clash_event *release)
{
    assert_true(fabs((double)clash->time_ns - truth->start_ns) <= CLOSE_NS);
    assert_int_equal(clash->id, release->id);
    assert_true(fabs((double)release->time_ns - truth->end_ns) <= CLOSE_NS);
    assert_true(fabs((double)release->as.release.min_distance - truth->min_distance) <= 1.2e-5);
    assert_int_equal(release->as.release.reason, truth->cut ? CLASH_RELEASE_TRACK_CUT : CLASH_RELEASE_APART);
}

/** Device's sample i, or what lies on its motion at `share` of the way to the next. */
static clash_pose duel_pose_between(const duel *d, uint32_t device, size_t i, double share)
{
    clash_motion motion = {d->samples[device][i].pose, d->samples[device][i + 1].pose};

    return share > 0.0 ? clash_motion_at(&motion, share) : motion.from;
}

/** The same motions, sampled `times` as often. Both devices have the same times in this recording. */
static scene *duel_run_resampled(const duel *d, int times)
{
    scene *s = duel_scene();

    for (size_t i = 0; i + 1 < d->sample_counts[0]; i++) {
        int64_t from_ns = d->samples[0][i].time_ns, duration_ns = d->samples[0][i + 1].time_ns - from_ns;

        assert_int_equal(d->samples[1][i].time_ns, from_ns);
        for (int k = 0; k < times; k++) {
            int64_t offset_ns = duration_ns * k / times;
            double share = (double)offset_ns / (double)duration_ns;

            scene_push_both(s, from_ns + offset_ns, duel_pose_between(d, 0, i, share),
                            duel_pose_between(d, 1, i, share));
        }
    }
    return s;
}

/** How many contacts the recording has, all of which the pipeline found. */
static size_t duel_agrees(const char *path, uint64_t refused, uint64_t replaced)
{
    duel *d = duel_load(path);
    dense_limits limits = {2.0 * (double)blade_shape.radius, 2.0 * (double)blade_shape.radius + 0.005, 100 * SCENE_MS};
    dense_track left = {d->samples[0], d->sample_counts[0], blade_shape};
    dense_track right = {d->samples[1], d->sample_counts[1], blade_shape};
    size_t pieces, count = dense_contacts(&left, &right, limits, d->truth, CONTACTS_MAX, &pieces);
    scene *s = duel_run(d);

    assert_int_equal(scene_counters(s)->refused_not_unit, refused);
    assert_int_equal(scene_counters(s)->replaced, replaced);
    scene_assert_sweeps(s, pieces);
    assert_int_equal(scene_counters(s)->contacts, count);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), count);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), count);
    for (size_t i = 0; i < count; i++)
        check_contact(&d->truth[i], scene_find(s, CLASH_EVENT_CLASH, i), scene_find(s, CLASH_EVENT_RELEASE, i));
    scene_destroy(s);
    free(d);
    return count;
}

static void the_liveliest_twenty_seconds(void **state)
{
    (void)state;
    assert_int_equal(duel_agrees(TEST_DATA "/duel-20s.jsonl", 0, 0), 27);
}

/* Begins with a frame of all-zero orientations, and four frames at the time 0. */
static void the_first_five_seconds(void **state)
{
    (void)state;
    assert_int_equal(duel_agrees(TEST_DATA "/duel-start-5s.jsonl", 2, 4), 3);
}

/* Rounding the inserted poses to float moves a blade by at most half a micrometre. */
static void samples_on_the_same_motion_change_nothing(void **state)
{
    duel *d = duel_load(TEST_DATA "/duel-20s.jsonl");
    scene *plain = duel_run(d);

    (void)state;
    for (int times = 2; times <= 5; times++) {
        scene *s = duel_run_resampled(d, times);

        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), scene_count(plain, CLASH_EVENT_CLASH));
        assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), scene_count(plain, CLASH_EVENT_HOLD));
        assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), scene_count(plain, CLASH_EVENT_RELEASE));
        for (size_t i = 0; i < scene_count(plain, CLASH_EVENT_CLASH); i++) {
            const clash_event *a = scene_find(plain, CLASH_EVENT_CLASH, i), *b = scene_find(s, CLASH_EVENT_CLASH, i);
            double slack_ns = fmax(1000.0, 500.0 / fabs((double)a->start_closing_speed));

            assert_true(fabs((double)(a->time_ns - b->time_ns)) <= slack_ns);
        }
        scene_destroy(s);
    }
    scene_destroy(plain);
    free(d);
}

/** Looked at every 2 ms, or, where it `rests`, as a source does that leaves out what pipeline_apart_until() allows. How many
 *  frames that took. */
static size_t duel_look(const duel *d, scene *s, bool rests)
{
    const dense_sample *times = d->samples[0];
    const size_t last = d->sample_counts[0] - 1;
    const int64_t full_ns = 2 * SCENE_MS, rest_ns = 5 * full_ns;
    size_t frames = 0, i = 0;

    for (int64_t now_ns = times[0].time_ns, step_ns; now_ns < times[last].time_ns; now_ns += step_ns) {
        pose_frame frame = scene_frame(now_ns);
        int64_t until_ns;

        while (times[i + 1].time_ns <= now_ns)
            i++;
        for (uint32_t device = 0; device < 2; device++) {
            double share = (double)(now_ns - times[i].time_ns) / (double)(times[i + 1].time_ns - times[i].time_ns);

            scene_frame_add(&frame, device, SCENE_GOOD, duel_pose_between(d, device, i, share));
        }
        pipeline_frame(s->pipeline, &frame);
        frames++;
        until_ns = rests ? pipeline_apart_until(s->pipeline, &frame) : now_ns;
        step_ns = until_ns - now_ns > rest_ns ? rest_ns : (until_ns - now_ns) / full_ns * full_ns;
        step_ns = step_ns < full_ns ? full_ns : step_ns;
    }
    return frames;
}

static void resting_finds_the_same(const char *path, double most)
{
    duel *d = duel_load(path);
    scene *full = duel_scene(), *rested = duel_scene();
    const size_t frames = duel_look(d, full, false), fewer = duel_look(d, rested, true);
    const size_t count = scene_count(full, CLASH_EVENT_CLASH);

    print_message("%s: %zu contacts in %zu frames, and in %zu\n", path, count, frames, fewer);
    assert_int_equal(scene_count(rested, CLASH_EVENT_CLASH), count);
    assert_int_equal(scene_count(rested, CLASH_EVENT_RELEASE), count);
    for (size_t i = 0; i < count; i++) {
        const clash_event *a = scene_find(full, CLASH_EVENT_CLASH, i), *b = scene_find(rested, CLASH_EVENT_CLASH, i);

        assert_true(fabs((double)(a->time_ns - b->time_ns)) <= CLOSE_NS);
        assert_true(clash_vec3_distance(a->as.clash.contact.midpoint, b->as.clash.contact.midpoint) < 0.002f);
    }
    assert_true(count > 0 && (double)fewer < most * (double)frames);
    scene_destroy(full);
    scene_destroy(rested);
    free(d);
}

/** A source that rests while nothing can meet finds what it finds at its full rate, in less than a third of the frames; in
 *  the second recording the blades touch, or nearly so, for a third of its time. */
static void resting_loses_nothing(void **state)
{
    (void)state;
    resting_finds_the_same(TEST_DATA "/duel-20s.jsonl", 1.0 / 3.0);
    resting_finds_the_same(TEST_DATA "/duel-start-5s.jsonl", 0.55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_liveliest_twenty_seconds),
        cmocka_unit_test(the_first_five_seconds),
        cmocka_unit_test(samples_on_the_same_motion_change_nothing),
        cmocka_unit_test(resting_loses_nothing),
    };

    return SCENE_RUN(tests);
}

/* What is said of an open contact that closes in faster than ever: once for each step that does, as a clash of its own time
 * and speeds, and without a change to any event. Blade B stands on blade A, 1/512 m deep, and then is pressed or struck down. */
#include <math.h>

#include "support/swings.h"

#define RADIUS 0.009765625f /* 5/512 m each: they touch at 10/512 */
#define PEAKS_MAX 4096
#define STEP (8 * SCENE_MS)
#define UNIT (1 / 512.0)
#define SPEED(units) ((units)*UNIT / 0.008) /* m/s of so many units a step */

static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS}, along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};

/** What came, event or peak, in order. */
typedef struct peaks {
    scene *s;
    size_t count;
    clash_event all[PEAKS_MAX];
    size_t after[PEAKS_MAX]; /* events that had come before it */
} peaks;

static void on_peak(void *context, const clash_event *late)
{
    peaks *p = context;

    assert_in_range(p->count, 0, PEAKS_MAX - 1);
    assert_int_equal(late->kind, CLASH_EVENT_CLASH);
    assert_true(late->as.clash.late);
    assert_int_equal(late->seq, p->s->events[p->s->count - 1].event.seq);
    assert_string_equal(late->blades[0], "A");
    p->after[p->count] = p->s->count;
    p->all[p->count++] = *late;
}

static scene *create(peaks *p, pipeline_settings settings)
{
    const pipeline_blade blades[2] = {scene_blade("A", 0, along_z), scene_blade("B", 1, along_x)};

    p->count = 0;
    p->s = scene_create(&settings);
    pipeline_set_peak_function(p->s->pipeline, on_peak, p);
    assert_null(pipeline_add_blade(p->s->pipeline, &blades[0]));
    assert_null(pipeline_add_blade(p->s->pipeline, &blades[1]));
    return p->s;
}

/** B's heights above A, in units, a step apart. */
static void move(scene *s, int64_t from_ns, const double *heights, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scene_push_both(s, from_ns + (int64_t)i * STEP, scene_at(0, 0, 0), scene_at(0, heights[i] * UNIT, -0.5));
}

static void assert_speed(const clash_event *late, double units)
{
    if (!(fabs((double)late->as.clash.closing_speed - SPEED(units)) <= 1e-5 * SPEED(units)))
        fail_msg("%.9g is not %.9g m/s", (double)late->as.clash.closing_speed, SPEED(units));
}

static void each_step_that_is_faster(void **state)
{
    /* Laid on at half a unit a step, then pressed at 1, 0.5, 3 and 2. */
    static const double heights[] = {10.5, 10, 9.5, 9.5, 8.5, 8, 5, 3, 3, 3};
    peaks p;
    scene *s = create(&p, scene_settings());
    const clash_event *clash, *release;

    (void)state;
    move(s, 0, heights, 10);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    assert_int_equal(p.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const clash_event *late = &p.all[i];
        int64_t at = i == 0 ? 3 : 5;

        assert_int_equal(late->time_ns, at * STEP); /* where the motion that is fast begins */
        assert_int_equal(late->id, clash->id);
        assert_int_equal(late->duration_ns, late->time_ns - clash->time_ns);
        assert_true(late->start_closing_speed == clash->as.clash.closing_speed);
        assert_true(late->as.clash.contact.fraction == 0.0);
        assert_int_equal(late->as.clash.interval_ns, STEP);
        assert_true(fabs((double)late->as.clash.contact.distance - heights[at] * UNIT) < 1e-7);
        assert_false(late->as.clash.has_since_release);
        assert_speed(late, i == 0 ? 1 : 3);
    }
    pipeline_lost(s->pipeline, 0, 10 * STEP, CLASH_TRACKING_LOST);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_true(fabs((double)release->as.release.peak_closing_speed - SPEED(3)) < 1e-5);
    assert_int_equal(p.count, 2);
    scene_destroy(s);
}

/* At 90 Hz a strike is through before the next sample: the contact ends within the step that is fast. */
static void a_strike_that_goes_through(void **state)
{
    static const double heights[] = {11, 9.5, 9.5, -60, -60};
    peaks p;
    scene *s = create(&p, scene_settings());

    (void)state;
    move(s, 0, heights, 5);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.all[0].time_ns, 2 * STEP);
    assert_speed(&p.all[0], 69.5);
    assert_int_equal(p.after[0], s->count - 1); /* before the release */
    scene_destroy(s);
}

static void the_next_contact_begins_anew(void **state)
{
    static const double heights[] = {11, 9.5, 6.5, 20, 11, 9.5, 7.5, 7.5};
    peaks p;
    scene *s = create(&p, scene_settings());

    (void)state;
    move(s, 0, heights, 8);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
    assert_int_equal(p.count, 2);
    assert_speed(&p.all[0], 3);
    assert_speed(&p.all[1], 2);
    assert_false(p.all[0].as.clash.has_since_release);
    assert_true(p.all[1].as.clash.has_since_release);
    assert_int_equal(p.all[1].as.clash.since_release_ns,
                     scene_find(s, CLASH_EVENT_CLASH, 1)->as.clash.since_release_ns);
    scene_destroy(s);
}

/* Blades that part, and whatever is not told, have none. */
static void what_has_none(void **state)
{
    static const double parting[] = {8, 9, 9.5, 9.9}, slow[] = {11, 9.5, 6.5};
    pipeline_settings settings = scene_settings();
    peaks p;
    scene *s = create(&p, settings);

    (void)state;
    move(s, 0, parting, 4);
    assert_true(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.closing_speed < 0.0f);
    assert_int_equal(p.count, 0);
    scene_destroy(s);
    settings.min_closing_speed = 1.0f;
    s = create(&p, settings);
    move(s, 0, slow, 3);
    assert_int_equal(scene_counters(s)->contacts, 1);
    assert_int_equal(p.count, 0);
    scene_destroy(s);
}

/* Any movement, near enough that contacts last: nothing that a release says of its contact's speed was passed over, be it at
 * a hold, at the end of a sampled interval or, where more is seen, at its start. */
static void check_contact(const peaks *p, const clash_event *clash, const clash_event *release, int counts[2])
{
    float highest = clash->as.clash.closing_speed;
    int64_t time_ns = clash->time_ns;

    for (size_t i = 0; i < p->count; i++) {
        const clash_event *late = &p->all[i];

        if (late->id != clash->id)
            continue;
        assert_true(late->as.clash.closing_speed > highest && late->as.clash.closing_speed > 0.0f);
        assert_true(late->time_ns >= time_ns && late->time_ns <= release->time_ns);
        highest = late->as.clash.closing_speed;
        time_ns = late->time_ns;
        counts[late->as.clash.contact.fraction > 0.0]++;
    }
    assert_true(highest >= release->as.release.peak_closing_speed || highest <= 0.0f);
}

static void nothing_is_passed_over(void **state)
{
    swings *swing = malloc(sizeof *swing);
    int counts[2] = {0, 0};

    (void)state;
    assert_non_null(swing);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        pipeline_settings settings = scene_settings();
        peaks p;
        scene *s;

        settings.margin = 0.15f;
        settings.hold_rate_hz = seed % 3 == 0 ? 0.0f : seed % 3 == 1 ? 30.0f : 500.0f;
        swings_make(swing, seed);
        s = create(&p, settings);
        for (size_t i[2] = {0, 0}; i[0] < swing->counts[0] && i[1] < swing->counts[1];) {
            uint32_t side = swing->samples[0][i[0]].time_ns > swing->samples[1][i[1]].time_ns;
            const dense_sample *sample = &swing->samples[side][i[side]++];

            scene_push(s, sample->time_ns, side, SCENE_GOOD, sample->pose);
        }
        pipeline_lost(s->pipeline, 0, INT64_C(10000000000), CLASH_TRACKING_LOST);
        pipeline_lost(s->pipeline, 1, INT64_C(10000000000), CLASH_TRACKING_LOST);
        for (size_t i = 0; i < scene_count(s, CLASH_EVENT_RELEASE); i++)
            check_contact(&p, scene_find(s, CLASH_EVENT_CLASH, i), scene_find(s, CLASH_EVENT_RELEASE, i), counts);
        scene_destroy(s);
    }
    assert_true(counts[0] > 20 && counts[1] > 20);
    free(swing);
}

static void no_event_is_another(void **state)
{
    static const double heights[] = {12, 11, 9.5, 9.5, 8, 5, 4, 2, 1, 20, 9, 9, 3, -40};
    pipeline_settings settings = scene_settings();
    peaks p;
    scene *looked, *plain;

    (void)state;
    settings.hold_rate_hz = 300.0f;
    looked = create(&p, settings);
    move(looked, 0, heights, 14);
    plain = create(&p, settings);
    pipeline_set_peak_function(plain->pipeline, NULL, NULL);
    move(plain, 0, heights, 14);
    assert_int_equal(p.count, 0);
    assert_int_equal(looked->count, plain->count);
    for (size_t i = 0; i < plain->count; i++) {
        assert_true(scene_event_same(&looked->events[i], &plain->events[i]));
        assert_int_equal(looked->events[i].event.seq, plain->events[i].event.seq);
    }
    scene_destroy(looked);
    scene_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_that_is_faster),     cmocka_unit_test(a_strike_that_goes_through),
        cmocka_unit_test(the_next_contact_begins_anew), cmocka_unit_test(what_has_none),
        cmocka_unit_test(nothing_is_passed_over),       cmocka_unit_test(no_event_is_another),
    };

    return SCENE_RUN(tests);
}

/* Holds: when they fall due, what they say, and that neither the samples' times nor a release at the same time disturbs
 * them. Blade B falls through blade A; lengths are binary fractions, so that the poses are exact in float. */
#include <math.h>

#include "support/scene.h"

#define SPEED 1.953125      /* m/s: 1/512 m a millisecond */
#define RADIUS 0.009765625f /* 5/512 m each */
#define HEIGHT 0.5          /* the touch is at 246 ms, the release at 268 ms */
#define HOLD_RATE 125.0f    /* every 8 ms: at 254 ms 2/512 m above, at 262 ms 6/512 m below */
#define HOLD_NS (8 * SCENE_MS)

static scene *falling_scene(float hold_rate_hz)
{
    const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS}, along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};
    pipeline_settings settings = scene_settings();
    pipeline_blade blades[2] = {scene_blade("A", 0, along_z), scene_blade("B", 1, along_x)};
    scene *s;

    settings.hold_rate_hz = hold_rate_hz;
    s = scene_create(&settings);
    assert_null(pipeline_add_blade(s->pipeline, &blades[0]));
    assert_null(pipeline_add_blade(s->pipeline, &blades[1]));
    return s;
}

/** Samples every step_ms, at `times` the speed. */
static void fall(scene *s, int step_ms, int times)
{
    for (int ms = 0; ms <= 512; ms += step_ms)
        scene_push_both(s, ms * SCENE_MS / times, scene_at(0, 0, 0), scene_at(0, HEIGHT - ms / 512.0, -0.5));
}

static void assert_within(double actual, double expected, double slack)
{
    if (!(fabs(actual - expected) <= slack))
        fail_msg("%.9g is not within %g of %.9g", actual, slack, expected);
}

static void assert_hold(const clash_event *clash, const clash_event *hold, int k, double height)
{
    assert_int_equal(hold->id, clash->id);
    assert_int_equal(hold->time_ns, clash->time_ns + k * HOLD_NS);
    assert_int_equal(hold->duration_ns, k * HOLD_NS);
    assert_within(hold->start_closing_speed, SPEED, 1e-6);
    assert_within(hold->as.clash.contact.distance, fabs(height), 1e-7);
    assert_within(hold->as.clash.contact.midpoint.y, height / 2, 1e-7);
    assert_within(hold->as.clash.contact.normal.y, height > 0 ? 1 : -1, 1e-6);
    assert_within(hold->as.clash.velocities[1].y, -SPEED, 1e-6);
    /* The axes have passed each other: what closed in now opens. */
    assert_within(hold->as.clash.closing_speed, height > 0 ? SPEED : -SPEED, 1e-6);
    assert_within(hold->as.clash.intensity, height > 0 ? SPEED / 10 : 0, 1e-6);
    assert_within(hold->as.clash.crossing_angle, 1.5707963, 1e-6);
}

/* The same fall, sampled densely, sparsely, and so sparsely that all of it lies within one sampled interval. */
static void fall_due_whatever_the_samples(void **state)
{
    const int steps_ms[] = {1, 2, 8, 64};

    (void)state;
    for (size_t i = 0; i < sizeof steps_ms / sizeof *steps_ms; i++) {
        scene *s = falling_scene(HOLD_RATE);
        const clash_event *clash;

        fall(s, steps_ms[i], 1);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 2);
        assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
        clash = scene_find(s, CLASH_EVENT_CLASH, 0);
        assert_true(llabs(clash->time_ns - 246 * SCENE_MS) <= 1);
        assert_hold(clash, scene_find(s, CLASH_EVENT_HOLD, 0), 1, 2 / 512.0);
        assert_hold(clash, scene_find(s, CLASH_EVENT_HOLD, 1), 2, -6 / 512.0);
        for (size_t k = 1; k < s->count; k++)
            assert_true(s->events[k].event.time_ns >= s->events[k - 1].event.time_ns);
        scene_destroy(s);
    }
}

static void none_without_a_rate(void **state)
{
    scene *s = falling_scene(0.0f);

    (void)state;
    fall(s, 8, 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 0);
    scene_destroy(s);
}

/** Holds of a fall at 16 times the speed, whose period is period_ns to the nanosecond. */
static size_t holds_with_period(int64_t period_ns, int64_t *out_duration_ns)
{
    scene *s = falling_scene(period_ns ? (float)(1e9 / (double)period_ns) : 0.0f);
    size_t count;

    fall(s, 64, 16);
    count = scene_count(s, CLASH_EVENT_HOLD);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(scene_find(s, CLASH_EVENT_HOLD, i)->duration_ns, period_ns * (int64_t)(i + 1));
    *out_duration_ns = scene_find(s, CLASH_EVENT_RELEASE, 0)->duration_ns;
    scene_destroy(s);
    return count;
}

static void not_together_with_the_release(void **state)
{
    int64_t duration_ns, ignored;

    (void)state;
    assert_int_equal(holds_with_period(0, &duration_ns), 0);
    assert_true(llabs(duration_ns - 1375000) <= 2); /* (10 + 12)/512 m at 31.25 m/s */
    assert_int_equal(holds_with_period(duration_ns, &ignored), 0);
    assert_int_equal(holds_with_period(duration_ns - 1, &ignored), 1);
    assert_int_equal(holds_with_period(duration_ns / 5 - 1, &ignored), 5);
}

/* 30 a second is no whole number of nanoseconds: rounded once, then counted exactly. */
static void as_long_as_it_lasts(void **state)
{
    scene *s = falling_scene(30.0f);

    (void)state;
    for (int i = 0; i <= 100; i++)
        scene_push_both(s, 10 * SCENE_MS * i, scene_at(0, 0, 0), scene_at(0, 0.0078125, -0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 30);
    for (size_t k = 0; k < 30; k++) {
        const clash_event *hold = scene_find(s, CLASH_EVENT_HOLD, k);

        assert_int_equal(hold->time_ns, (int64_t)(k + 1) * 33333333);
        assert_within(hold->as.clash.closing_speed, 0, 0);
        assert_within(hold->as.clash.contact.distance, 0.0078125, 1e-9);
    }
    scene_destroy(s);
}

/* What one track has yet to come to is held there when it does, and not before. */
static void only_where_both_tracks_are(void **state)
{
    scene *s = falling_scene(100.0f);

    (void)state;
    for (int i = 0; i <= 10; i++)
        scene_push(s, 10 * SCENE_MS * i, 0, SCENE_GOOD, scene_at(0, 0, 0));
    scene_push(s, 0, 1, SCENE_GOOD, scene_at(0, 0.0078125, -0.5));
    scene_push(s, 35 * SCENE_MS, 1, SCENE_GOOD, scene_at(0, 0.0078125, -0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 3);
    pipeline_lost(s->pipeline, 1, 36 * SCENE_MS, CLASH_TRACKING_LOST);
    assert_int_equal(scene_find(s, CLASH_EVENT_RELEASE, 0)->time_ns, 35 * SCENE_MS);
    /* A new contact counts from its own start. */
    scene_push(s, 47 * SCENE_MS, 1, SCENE_GOOD, scene_at(0, 0.0078125, -0.5));
    scene_push(s, 60 * SCENE_MS, 1, SCENE_GOOD, scene_at(0, 0.0078125, -0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 4);
    assert_int_equal(scene_find(s, CLASH_EVENT_HOLD, 3)->time_ns, 57 * SCENE_MS);
    assert_int_equal(scene_find(s, CLASH_EVENT_HOLD, 3)->id, 2);
    scene_destroy(s);
}

/* The last instant that both tracks cover may be a hold's, and the track may end there. */
static void at_the_last_instant_too(void **state)
{
    scene *s = falling_scene(100.0f);

    (void)state;
    for (int i = 0; i <= 3; i++)
        scene_push_both(s, 10 * SCENE_MS * i, scene_at(0, 0, 0), scene_at(0, 0.0078125, -0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_HOLD), 3);
    assert_int_equal(scene_find(s, CLASH_EVENT_HOLD, 2)->time_ns, 30 * SCENE_MS);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fall_due_whatever_the_samples), cmocka_unit_test(none_without_a_rate),
        cmocka_unit_test(not_together_with_the_release), cmocka_unit_test(as_long_as_it_lasts),
        cmocka_unit_test(only_where_both_tracks_are),    cmocka_unit_test(at_the_last_instant_too),
    };

    return SCENE_RUN(tests);
}

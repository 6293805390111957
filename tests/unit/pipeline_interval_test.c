/* interval_ns: how long the sampled interval is that a contact was found in, whatever else is sampled meanwhile. Blade B falls
 * through A, or through a static ball: the touch is at 246 ms, the release at 268 ms. */
#include "support/scene.h"

#define SPEED 1.953125      /* m/s: 1/512 m a millisecond */
#define RADIUS 0.009765625f /* 5/512 m each */
#define HEIGHT 0.5

static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS}, along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};

static scene *create(float hold_rate_hz)
{
    pipeline_settings settings = scene_settings();

    settings.hold_rate_hz = hold_rate_hz;
    return scene_create(&settings);
}

static void add(scene *s, const char *name, uint32_t device, clash_capsule shape)
{
    pipeline_blade blade = scene_blade(name, device, shape);

    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static clash_pose falling(int ms)
{
    return scene_at(0, HEIGHT - ms / 512.0, -0.5);
}

/** Each device is sampled at its own times, a step apart, but for those of B from `from_ms` to `to_ms`. */
static void fall(scene *s, int a_step_ms, int b_step_ms, int from_ms, int to_ms)
{
    for (int ms = 0; ms <= 320; ms++) {
        if (ms % a_step_ms == 0)
            scene_push(s, ms * SCENE_MS, 0, SCENE_GOOD, scene_at(0, 0, 0));
        if (ms % b_step_ms == 0 && !(from_ms <= ms && ms <= to_ms))
            scene_push(s, ms * SCENE_MS, 1, SCENE_GOOD, falling(ms));
    }
}

static void assert_intervals(const scene *s, clash_event_kind kind, int64_t expected_ms)
{
    assert_true(scene_count(s, kind) > 0);
    for (size_t i = 0; i < scene_count(s, kind); i++)
        assert_int_equal(scene_find(s, kind, i)->as.clash.interval_ns, expected_ms * SCENE_MS);
}

static void of_two_devices_it_is_the_longer_one(void **state)
{
    /* The steps of a and b, what is missing of b, and what is said. */
    static const int cases[][5] = {
        {8, 8, 0, -1, 8},     /* together */
        {2, 10, 0, -1, 10},   /* five of one to one of the other */
        {10, 2, 0, -1, 10},   /* the other way round */
        {7, 5, 0, -1, 7},     /* never together */
        {2, 2, 230, 290, 64}, /* a gap of b, in which a goes on: from 228 to 292 */
        {2, 2, 210, 290, 84}, /* not quite a cut */
        {40, 1, 0, -1, 40},   /* a sparse one */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene *s = create(500.0f);

        add(s, "A", 0, along_z);
        add(s, "B", 1, along_x);
        fall(s, cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_intervals(s, CLASH_EVENT_CLASH, cases[i][4]);
        assert_intervals(s, CLASH_EVENT_HOLD, cases[i][4]);
        scene_destroy(s);
    }
}

/* The clash is found before the gap, the holds are in it and behind it. */
static void each_look_has_its_own(void **state)
{
    scene *s = create(500.0f);

    (void)state;
    add(s, "A", 0, along_z);
    add(s, "B", 1, along_x);
    fall(s, 4, 4, 252, 260); /* 248 and 264 are there */
    assert_intervals(s, CLASH_EVENT_CLASH, 4);
    for (size_t i = 0; i < scene_count(s, CLASH_EVENT_HOLD); i++) {
        const clash_event *hold = scene_find(s, CLASH_EVENT_HOLD, i);
        bool is_in_gap = hold->time_ns > 248 * SCENE_MS && hold->time_ns <= 264 * SCENE_MS;

        assert_int_equal(hold->as.clash.interval_ns, (is_in_gap ? 16 : 4) * SCENE_MS);
    }
    assert_in_range(scene_count(s, CLASH_EVENT_HOLD), 8, 12);
    scene_destroy(s);
}

static void with_a_static_target_it_is_the_blades(void **state)
{
    scene *s = create(500.0f);
    pipeline_target ball = {.name = "ball", .is_static = true, .pose = scene_at(0, 0, -0.5)};

    (void)state;
    ball.shape.kind = CLASH_SHAPE_SPHERE;
    ball.shape.as.sphere = (clash_sphere){{0, 0, 0}, RADIUS};
    add(s, "B", 1, along_x);
    assert_null(pipeline_add_target(s->pipeline, &ball));
    fall(s, 1, 10, 0, -1);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_intervals(s, CLASH_EVENT_CLASH, 10);
    assert_intervals(s, CLASH_EVENT_HOLD, 10);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_devices_it_is_the_longer_one),
        cmocka_unit_test(each_look_has_its_own),
        cmocka_unit_test(with_a_static_target_it_is_the_blades),
    };

    return SCENE_RUN(tests);
}

/* The order of a step's events: that of definition, whatever ids devices have, since that is all a recording knows. */
#include "support/scene.h"

static const clash_capsule rod = {{0, 0, 0}, {0, 0, -1}, 0.02f};

static void define(scene *s, const char *name, uint32_t device)
{
    const pipeline_blade blade = scene_blade(name, device, rod);

    pipeline_remove_blade(s->pipeline, name);
    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static void define_ball(scene *s, const char *name, uint32_t device)
{
    pipeline_target ball = {.device = device, .shape = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 0.1f}}}};

    snprintf(ball.name, sizeof ball.name, "%s", name);
    assert_null(pipeline_add_target(s->pipeline, &ball));
}

static void expect_tracking(scene *s, int64_t time_ns, uint32_t flags, const char *const *devices, size_t count)
{
    pose_frame frame = scene_frame(time_ns);

    for (uint32_t i = 0; i < count; i++)
        scene_frame_add(&frame, i, flags, scene_at(5.0 * i, 0, 0));
    s->count = 0;
    pipeline_frame(s->pipeline, &frame);
    assert_int_equal(s->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(s->events[i].event.kind, CLASH_EVENT_TRACKING);
        assert_string_equal(s->events[i].device, devices[i]);
    }
}

static void devices_are_told_in_the_order_of_what_is_on_them(void **state)
{
    static const char *const devices[] = {"d", "b", "a", "c", "e"};
    const pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    assert_int_equal(pipeline_device(s->pipeline, "c"), 2); /* with nothing on it, as "e" */
    assert_int_equal(pipeline_device(s->pipeline, "d"), 3);
    assert_int_equal(pipeline_device(s->pipeline, "e"), 4);
    define(s, "of a", 0);
    define_ball(s, "of d", 3);
    define(s, "of b", 1);
    define(s, "more of b", 1);
    define(s, "of a", 0);
    expect_tracking(s, 1, SCENE_GOOD, devices, 5);
    expect_tracking(s, 2, 0, devices, 5);
    scene_destroy(s);
}

static void targets_know_what_was_before_them(void **state)
{
    const pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    define_ball(s, "first", 0);
    define(s, "x", 0);
    define(s, "y", 1);
    define_ball(s, "second", 1);
    define_ball(s, "third", 1);
    define(s, "x", 1);
    assert_int_equal(pipeline_blades_before(s->pipeline, 0), 0);
    assert_int_equal(pipeline_blades_before(s->pipeline, 1), 1); /* "x" is behind it now */
    assert_int_equal(pipeline_blades_before(s->pipeline, 2), 1);
    assert_int_equal(pipeline_blades_before(s->pipeline, 3), 2); /* there is none */
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_told_in_the_order_of_what_is_on_them),
        cmocka_unit_test(targets_know_what_was_before_them),
    };
    return SCENE_RUN(tests);
}

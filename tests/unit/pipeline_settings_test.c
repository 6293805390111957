/* Settings that change while the pipeline runs: what is swept from then on goes by the new ones, boxes too; what is open
 * goes on. */
#include "support/scene.h"

#define STEP_NS (8 * SCENE_MS)
#define RADIUS 0.0078125f
#define MARGIN 0.25f

static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS};

static size_t count_of(const scene *s, clash_event_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        count += s->events[i].event.kind == kind;
    return count;
}

static void change(scene *s, float margin, float hold_rate_hz)
{
    pipeline_settings settings = scene_settings();

    settings.margin = margin;
    settings.hold_rate_hz = hold_rate_hz;
    pipeline_change_settings(s->pipeline, &settings);
}

/* Blades on "a" and "b", and a static ball below; further apart than they touch, nearer than the margin. */
static scene *near_each_other(void)
{
    const pipeline_settings settings = scene_settings();
    const pipeline_blade a = scene_blade("left", 0, along_z), b = scene_blade("right", 1, along_z);
    const pipeline_target ball = {.name = "ball",
                                  .is_static = true,
                                  .pose = scene_at(0, -0.25, -0.5),
                                  .shape = {.kind = CLASH_SHAPE_SPHERE, .as.sphere = {.radius = 0.0625f}}};
    scene *s = scene_create(&settings);

    assert_null(pipeline_add_blade(s->pipeline, &a));
    assert_null(pipeline_add_blade(s->pipeline, &b));
    assert_null(pipeline_add_target(s->pipeline, &ball));
    return s;
}

static void rest(scene *s, int from, int until)
{
    for (int i = from; i < until; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(0.125, 0.125, 0));
}

static void test_wider_margin_finds_what_rests(void **state)
{
    scene *s = near_each_other();

    (void)state;
    rest(s, 0, 4);
    assert_int_equal(count_of(s, CLASH_EVENT_CLASH), 0);
    change(s, MARGIN, 0.0f);
    assert_int_equal(count_of(s, CLASH_EVENT_CLASH), 0);
    rest(s, 4, 8);
    assert_int_equal(count_of(s, CLASH_EVENT_CLASH), 2); /* of both blades, and of the lower one and the ball */
    change(s, 0.0f, 0.0f);
    assert_int_equal(count_of(s, CLASH_EVENT_RELEASE), 0);
    rest(s, 8, 12);
    assert_int_equal(count_of(s, CLASH_EVENT_RELEASE), 2);
    scene_destroy(s);
}

static void test_open_contacts_go_on(void **state)
{
    scene *s = near_each_other();

    (void)state;
    change(s, MARGIN, 0.0f);
    rest(s, 0, 4);
    assert_int_equal(count_of(s, CLASH_EVENT_CLASH), 2);
    change(s, MARGIN, 1000.0f);
    assert_int_equal(count_of(s, CLASH_EVENT_HOLD), 0);
    rest(s, 4, 8);
    assert_int_equal(count_of(s, CLASH_EVENT_CLASH), 2);
    assert_int_equal(count_of(s, CLASH_EVENT_RELEASE), 0);
    assert_true(count_of(s, CLASH_EVENT_HOLD) >= 6);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wider_margin_finds_what_rests),
        cmocka_unit_test(test_open_contacts_go_on),
    };

    return SCENE_RUN(tests);
}

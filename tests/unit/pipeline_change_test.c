/* Blades that change while they touch: a saber that ignites, a whip, a blade that is sheathed. */
#include "support/scene.h"

#include <math.h>

#define STEP_NS (11 * SCENE_MS)

static pipeline_blade saber(const char *name, uint32_t device, float length)
{
    return scene_blade(name, device, (clash_capsule){{0, 0, 0}, {0, 0, -length}, 0.02f});
}

static scene *make(float length)
{
    const pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_blade a = saber("a", 0, length), b = saber("b", 1, 1.0f);

    assert_null(pipeline_add_blade(s->pipeline, &a));
    assert_null(pipeline_add_blade(s->pipeline, &b));
    return s;
}

/* b is across a's way, half a metre before its hand. */
static const clash_pose hand = {{0, 0, 0, 1}, {0, 1, 0}};
static const clash_pose across = {{0, 0.70710678f, 0, 0.70710678f}, {0.5f, 1, -0.5f}};

/* A blade that grows past the other touches it once, and the contact lasts until it has shrunk again. */
static void a_blade_that_grows_and_shrinks(void **state)
{
    scene *s = make(0.05f);

    (void)state;
    for (int step = 0; step < 40; step++) {
        const float length = step < 20 ? 0.05f * (float)(step + 1) : 0.05f * (float)(40 - step);
        const pipeline_blade grown = saber("a", 0, length);

        assert_null(pipeline_change_blade(s->pipeline, &grown));
        scene_push_both(s, step * STEP_NS, hand, across);
    }
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].event.kind == CLASH_EVENT_RELEASE) {
            assert_int_equal(s->events[i].event.as.release.reason, CLASH_RELEASE_APART);
            assert_in_range(s->events[i].event.duration_ns, 18 * STEP_NS, 23 * STEP_NS);
        } else if (s->events[i].event.kind == CLASH_EVENT_CLASH) {
            assert_false(s->events[i].event.as.clash.resumed);
            assert_in_range(s->events[i].event.time_ns, 7 * STEP_NS, 9 * STEP_NS);
        }
    scene_destroy(s);
}

/* A definition that is what it was changes no bit. */
static void the_same_definition(void **state)
{
    scene *plain = make(1.0f), *again = make(1.0f);

    (void)state;
    for (int step = 0; step < 60; step++) {
        const pipeline_blade same = saber("a", 0, 1.0f);
        const clash_pose swung = scene_at(0.0, 1.0 + 0.4 * sin(0.7 * step), 0.0);

        assert_null(pipeline_change_blade(again->pipeline, &same));
        scene_push_both(plain, step * STEP_NS, swung, across);
        scene_push_both(again, step * STEP_NS, swung, across);
    }
    assert_true(scene_count(plain, CLASH_EVENT_CLASH) > 3);
    assert_int_equal(plain->count, again->count);
    for (size_t i = 0; i < plain->count; i++) {
        const clash_event *p = &plain->events[i].event, *q = &again->events[i].event;

        assert_int_equal(p->kind, q->kind);
        assert_int_equal(p->time_ns, q->time_ns);
        assert_int_equal(p->id, q->id);
        if (p->kind == CLASH_EVENT_CLASH || p->kind == CLASH_EVENT_HOLD)
            assert_true(scene_contact_same(&p->as.clash.contact, &q->as.clash.contact));
    }
    scene_destroy(plain);
    scene_destroy(again);
}

/* Only what can no longer touch is released. */
static void a_blade_that_is_sheathed(void **state)
{
    scene *s = make(1.0f);
    pipeline_blade sheathed = saber("a", 0, 1.0f);

    (void)state;
    scene_push_both(s, 0 * STEP_NS, hand, across);
    scene_push_both(s, 1 * STEP_NS, hand, across);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_null(pipeline_change_blade(s->pipeline, &sheathed));
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
    sheathed.properties.is_disabled = true;
    assert_null(pipeline_change_blade(s->pipeline, &sheathed));
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    assert_int_equal(s->events[s->count - 1].event.as.release.reason, CLASH_RELEASE_REMOVED);
    scene_push_both(s, 2 * STEP_NS, hand, across);
    scene_push_both(s, 3 * STEP_NS, hand, across);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    sheathed.properties.is_disabled = false;
    assert_null(pipeline_change_blade(s->pipeline, &sheathed));
    scene_push_both(s, 4 * STEP_NS, hand, across);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
    scene_destroy(s);
}

static void what_is_refused(void **state)
{
    scene *s = make(1.0f);
    pipeline_blade other = saber("c", 0, 1.0f), moved = saber("a", 1, 1.0f);
    clash_sword none = {0};

    (void)state;
    assert_non_null(pipeline_change_blade(s->pipeline, &other));
    assert_non_null(pipeline_change_blade(s->pipeline, &moved));
    moved.device = 0;
    moved.sword = &none;
    assert_non_null(pipeline_change_blade(s->pipeline, &moved));
    assert_null(pipeline_find_blade(s->pipeline, "a")->sword);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blade_that_grows_and_shrinks),
        cmocka_unit_test(the_same_definition),
        cmocka_unit_test(a_blade_that_is_sheathed),
        cmocka_unit_test(what_is_refused),
    };

    return SCENE_RUN(tests);
}

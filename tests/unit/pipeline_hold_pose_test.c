/* Devices that hold: they stay where their last sample has them, and each step finds them there. */
#include "support/scene.h"

#include <math.h>

#define STEP_NS (11 * SCENE_MS)
#define HOLD (SCENE_GOOD | POSE_HOLDS)

static scene *make(bool by_rate)
{
    pipeline_settings settings = scene_settings();
    pipeline_blade sword, shield;
    scene *s;

    settings.gap_by_rate = by_rate;
    s = scene_create(&settings);
    sword = scene_blade("sword", 0, (clash_capsule){{0, 0, 0}, {0, 0, -1.0f}, 0.02f});
    shield = scene_blade("shield", 1, (clash_capsule){{-0.3f, 0, 0}, {0.3f, 0, 0}, 0.1f});
    assert_null(pipeline_add_blade(s->pipeline, &sword));
    assert_null(pipeline_add_blade(s->pipeline, &shield));
    return s;
}

/* Down and up again through the shield at 1 m, in each 20 steps. */
static clash_pose swung(int step)
{
    return scene_at(0.0, 1.0 + 0.5 * cos(0.314159265 * step), 0.5);
}

static const clash_pose before = {{0, 0, 0, 1}, {0, 1, 0}};

/* A shield that is sent once gives the very events of one that is sent in each frame. */
static void sent_once_is_hit_as_if_sent_always(void **state)
{
    (void)state;
    for (int by_rate = 0; by_rate < 2; by_rate++) {
        scene *once = make(by_rate), *always = make(by_rate);

        scene_push_both(always, 0, swung(0), before);
        scene_push(once, 0, 1, HOLD, before);
        scene_push(once, 0, 0, SCENE_GOOD, swung(0));
        for (int step = 1; step < 400; step++) {
            scene_push_both(always, step * STEP_NS, swung(step), before);
            scene_push(once, step * STEP_NS, 0, SCENE_GOOD, swung(step));
        }
        assert_true(scene_count(always, CLASH_EVENT_CLASH) >= 19);
        assert_int_equal(scene_count(once, CLASH_EVENT_CLASH), scene_count(always, CLASH_EVENT_CLASH));
        for (size_t i = 0; i < scene_count(always, CLASH_EVENT_CLASH); i++) {
            const clash_event *p = scene_find(once, CLASH_EVENT_CLASH, i),
                              *q = scene_find(always, CLASH_EVENT_CLASH, i);

            assert_int_equal(p->time_ns, q->time_ns);
            assert_true(scene_contact_same(&p->as.clash.contact, &q->as.clash.contact));
        }
        assert_int_equal(scene_counters(once)->samples, 401);
        scene_destroy(once);
        scene_destroy(always);
    }
}

/* Without the flag, a shield of 5 Hz is not followed between its samples. */
static size_t clashes_at_5_hz(uint32_t flags)
{
    scene *s = make(false);
    size_t count;

    for (int step = 0; step < 400; step++) {
        if (step % 18 == 0)
            scene_push(s, step * STEP_NS, 1, flags, before);
        scene_push(s, step * STEP_NS, 0, SCENE_GOOD, swung(step));
    }
    count = scene_count(s, CLASH_EVENT_CLASH);
    scene_destroy(s);
    return count;
}

static void seldom_sent(void **state)
{
    (void)state;
    assert_int_equal(clashes_at_5_hz(SCENE_GOOD), 0);
    assert_in_range(clashes_at_5_hz(HOLD), 39, 41);
}

/* A move is swept from where it was held, and a sample that comes late for the last step counts from the next one on. */
static void a_shield_that_moves(void **state)
{
    scene *s = make(false);
    clash_pose pose;

    (void)state;
    scene_push(s, 0, 1, HOLD, scene_at(0, 2, 0));
    for (int step = 0; step < 20; step++)
        scene_push(s, step * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
    scene_push(s, 19 * STEP_NS - 1, 1, HOLD, scene_at(0, 0, 0)); /* through the sword */
    assert_int_equal(scene_counters(s)->refused_late, 0);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
    scene_push(s, 20 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_in_range(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns, 19 * STEP_NS, 20 * STEP_NS);
    assert_true(pipeline_pose_at(s->pipeline, 1, 20 * STEP_NS, &pose));
    assert_float_equal(pose.position.y, 0.0f, 0);
    /* older than its own last one: refused as ever */
    scene_push(s, 18 * STEP_NS, 1, HOLD, scene_at(0, 1, 0));
    assert_int_equal(scene_counters(s)->refused_late, 1);
    /* and held there, however long nothing comes */
    scene_push(s, 500 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
    assert_true(pipeline_pose_at(s->pipeline, 1, 500 * STEP_NS, &pose));
    assert_float_equal(pose.position.y, 0.0f, 0);
    scene_destroy(s);
}

/* A teleport cuts once: its repeats continue from it. One that comes late cuts at the next step, also if another sample replaces it
 * before. */
static void a_shield_that_teleports(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        scene *s = make(false);
        const int64_t at = late ? 3 * STEP_NS - 2 : 3 * STEP_NS;

        scene_push(s, 0, 1, HOLD, scene_at(0, 2, 0));
        for (int step = 0; step <= 3 - !late; step++)
            scene_push(s, step * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
        scene_push(s, at, 1, HOLD | POSE_TELEPORT, scene_at(0, 0.1, 0)); /* to the other side of the sword */
        if (late)
            scene_push(s, at + 1, 1, HOLD, scene_at(0, 0, 0));
        else
            scene_push(s, 3 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
        scene_push(s, 4 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
        assert_int_equal(scene_counters(s)->cuts, 1);
        scene_push(s, 5 * STEP_NS, 0, SCENE_GOOD, scene_at(0, -1, 0.5)); /* through it */
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_int_equal(scene_counters(s)->cuts, 1);
        scene_destroy(s);
    }
}

/* The first step after a teleport is swept. */
static void hit_right_after_a_teleport(void **state)
{
    scene *s = make(false);

    (void)state;
    scene_push_both(s, 0, scene_at(0, 1, 0.5), scene_at(0, 2, 0));
    scene_push(s, STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
    scene_push(s, STEP_NS, 1, HOLD | POSE_TELEPORT, scene_at(0, 0.5, 0));
    scene_push(s, 2 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 0, 0.5));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    scene_destroy(s);
}

/* It ends with a sample without the flag, a loss, or the device. */
static void it_ends(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        scene *s = make(false);
        clash_pose pose;

        scene_push_both(s, 0, scene_at(0, 1, 0.5), scene_at(0, 2, 0));
        scene_push(s, STEP_NS, 1, HOLD, scene_at(0, 2, 0));
        if (way == 0)
            scene_push(s, 2 * STEP_NS, 1, SCENE_GOOD, scene_at(0, 2, 0));
        else if (way == 1)
            pipeline_lost(s->pipeline, 1, 2 * STEP_NS, CLASH_TRACKING_LOST);
        else
            assert_int_equal(pipeline_remove_device(s->pipeline, 1), 0);
        for (int step = 3; step < 20; step++)
            scene_push(s, step * STEP_NS, 0, SCENE_GOOD, scene_at(0, 1, 0.5));
        if (way < 2)
            assert_int_equal(scene_counters(s)->samples, 20u + (way == 0));
        assert_int_equal(pipeline_pose_at(s->pipeline, 1, 19 * STEP_NS, &pose), way == 0); /* as of any last sample */
        scene_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sent_once_is_hit_as_if_sent_always),
        cmocka_unit_test(seldom_sent),
        cmocka_unit_test(a_shield_that_moves),
        cmocka_unit_test(a_shield_that_teleports),
        cmocka_unit_test(hit_right_after_a_teleport),
        cmocka_unit_test(it_ends),
    };

    return SCENE_RUN(tests);
}

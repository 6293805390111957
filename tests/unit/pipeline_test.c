/* The pipeline's bookkeeping: devices and blades, which intervals are swept, what is counted, in which order. */
#include "support/touching.h"

static void devices_have_ids(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    char name[POSE_DEVICE_NAME_MAX + 1];

    (void)state;
    assert_int_equal(pipeline_device(s->pipeline, "b"), 1);
    assert_int_equal(pipeline_device(s->pipeline, ""), UINT32_MAX);
    memset(name, 'x', sizeof name);
    name[POSE_DEVICE_NAME_MAX] = '\0';
    assert_int_equal(pipeline_device(s->pipeline, name), UINT32_MAX);
    name[POSE_DEVICE_NAME_MAX - 1] = '\0';
    assert_int_equal(pipeline_device(s->pipeline, name), 2);
    assert_string_equal(pipeline_device_name(s->pipeline, 2), name);
    assert_null(pipeline_device_name(s->pipeline, 3));
    assert_int_equal(pipeline_device_count(s->pipeline), 3);
    for (uint32_t i = 3; i < PIPELINE_DEVICES_MAX; i++) {
        snprintf(name, sizeof name, "npc/%u", i);
        assert_int_equal(pipeline_device(s->pipeline, name), i);
    }
    assert_int_equal(pipeline_device(s->pipeline, "one too many"), UINT32_MAX);
    assert_int_equal(pipeline_device(s->pipeline, "npc/77"), 77);
    scene_destroy(s);
    pipeline_destroy(NULL);
}

static void blades_are_checked(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_blade blade = scene_blade("A", 0, along_z);

    (void)state;
    assert_null(pipeline_add_blade(s->pipeline, &blade));
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "its name is taken");
    blade = scene_blade("B", 2, along_z);
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "there is no such device, or no room for one more");
    blade = scene_blade("", 1, along_z);
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "its name is empty or too long");
    memset(blade.name, 'x', sizeof blade.name);
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "its name is empty or too long");
    assert_int_equal(pipeline_blade_count(s->pipeline), 1);
    assert_string_equal(pipeline_blade_at(s->pipeline, 0)->name, "A");
    assert_null(pipeline_blade_at(s->pipeline, 1));
    for (int i = 1; i < PIPELINE_BLADES_MAX; i++) {
        blade = scene_blade("", 1, along_x);
        snprintf(blade.name, sizeof blade.name, "blade %d", i);
        assert_null(pipeline_add_blade(s->pipeline, &blade));
    }
    blade = scene_blade("one too many", 1, along_x);
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "there are too many");
    scene_destroy(s);
}

/* Blades A, B on device 0, C, D on device 1: AC, BC, AD, BD in this order, and neither AB nor CD. */
static void pairs_are_of_different_devices(void **state)
{
    const char *expected[4][2] = {{"A", "C"}, {"B", "C"}, {"A", "D"}, {"B", "D"}};
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_blade(s, "A", 0, along_z);
    add_blade(s, "B", 0, along_z);
    add_blade(s, "C", 1, along_x);
    add_blade(s, "D", 1, along_x);
    scene_push_both(s, 0, low(), high(TOUCHING));
    scene_push_both(s, SCENE_MS, low(), high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 4);
    scene_assert_sweeps(s, 4);
    for (size_t i = 0; i < 4; i++) {
        const scene_event *e = &s->events[2 + i];

        assert_string_equal(e->blades[0], expected[i][0]);
        assert_string_equal(e->blades[1], expected[i][1]);
        assert_int_equal(e->event.id, i + 1);
    }
    scene_destroy(s);
}

static void a_device_does_not_clash_with_itself(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_blade(s, "A", 0, along_z);
    add_blade(s, "B", 0, along_x);
    scene_push_both(s, 0, low(), low());
    scene_push_both(s, SCENE_MS, low(), low());
    scene_assert_sweeps(s, 0);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
    scene_destroy(s);
}

/* a every 10 ms, b every 7 ms from 3 ms on: common from 3 to 100, cut at 10..100 and 10, 17..94 (10 is in both). */
static void every_instant_is_swept_once(void **state)
{
    (void)state;
    for (int order = 0; order < 3; order++) {
        scene *s = two_blades(scene_settings());
        int64_t next[2] = {0, 3 * SCENE_MS}, step[2] = {10 * SCENE_MS, 7 * SCENE_MS}, last = 101 * SCENE_MS;

        while (next[0] <= last || next[1] <= last) {
            uint32_t device = order == 0 ? next[1] < next[0] : order == 1 ? next[0] > last : next[1] <= last;

            scene_push(s, next[device], device, SCENE_GOOD, high(device ? 1.0 : 0.0));
            next[device] += step[device];
        }
        /* b's last is at 101, a's at 100: ends of pieces are a's 10 samples and b's 10, 17 .. 94, less the common 80. */
        scene_assert_sweeps(s, 10 + 13 - 2);
        assert_int_equal(scene_counters(s)->overruns, 0);
        assert_int_equal(scene_counters(s)->cuts, 0);
        scene_destroy(s);
    }
}

static void a_later_blade_is_swept_from_then_on(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_blade(s, "A", 0, along_z);
    for (int i = 0; i <= 10; i++)
        scene_push(s, i * SCENE_MS, 0, SCENE_GOOD, low());
    for (int i = 0; i <= 5; i++)
        scene_push(s, i * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    add_blade(s, "B", 1, along_x);
    scene_push(s, 6 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    scene_assert_sweeps(s, 1);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns, 5 * SCENE_MS);
    scene_destroy(s);
}

static void an_overrun_cuts_the_pair_and_is_counted(void **state)
{
    scene *s = touching_scene(scene_settings());
    int64_t last = 20 * SCENE_MS;
    const clash_event *release;

    (void)state;
    /* The sample at 20 ms and the newest 1023 still fit; the 5 after that push out 20, 21, .. 24 ms. */
    for (int i = 1; i < PIPELINE_TRACK_SAMPLES; i++)
        scene_push(s, last + i * SCENE_MS, 0, SCENE_GOOD, low());
    assert_int_equal(scene_counters(s)->overruns, 0);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
    for (int i = 0; i < 5; i++)
        scene_push(s, last + (PIPELINE_TRACK_SAMPLES + i) * SCENE_MS, 0, SCENE_GOOD, low());
    assert_int_equal(scene_counters(s)->overruns, 5);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_int_equal(release->time_ns, last);
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_TRACK_CUT);
    /* The walk goes on at the oldest sample that is left, at 25 ms, in the middle of b's next motion. */
    scene_push(s, 30 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    scene_assert_sweeps(s, 2 + 5);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->time_ns, 25 * SCENE_MS);
    assert_int_equal(scene_counters(s)->overruns, 5);
    scene_destroy(s);
}

/* A hand that is away for long loses nothing: the other one's samples were covered by it alone. */
static void a_device_that_is_away_is_no_overrun(void **state)
{
    scene *s = touching_scene(scene_settings());
    int64_t back = (20 + 3 * PIPELINE_TRACK_SAMPLES) * SCENE_MS;

    (void)state;
    pipeline_lost(s->pipeline, 1, 20 * SCENE_MS, CLASH_TRACKING_LOST);
    for (int i = 1; i <= 3 * PIPELINE_TRACK_SAMPLES; i++)
        scene_push(s, (20 + i) * SCENE_MS, 0, SCENE_GOOD, low());
    scene_push(s, back - 5 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    scene_push(s, back, 1, SCENE_GOOD, high(TOUCHING));
    assert_int_equal(scene_counters(s)->overruns, 0);
    scene_assert_sweeps(s, 2 + 5);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->time_ns, back - 5 * SCENE_MS);
    scene_destroy(s);
}

/* Unless it comes back with times that the other one's ring no longer holds: a's samples of 20 to 26 ms are gone. */
static void a_device_that_comes_back_late_is(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    pipeline_lost(s->pipeline, 1, 20 * SCENE_MS, CLASH_TRACKING_LOST);
    for (int i = 1; i <= PIPELINE_TRACK_SAMPLES + 6; i++)
        scene_push(s, (20 + i) * SCENE_MS, 0, SCENE_GOOD, low());
    scene_push(s, 22 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    scene_push(s, 30 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    assert_int_equal(scene_counters(s)->overruns, 1);
    scene_assert_sweeps(s, 2 + 3);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->time_ns, 27 * SCENE_MS);
    scene_destroy(s);
}

/* The interval up to the sample was swept with the first pose: the next one starts from the second. */
static void a_replaced_sample_starts_the_next_interval(void **state)
{
    scene *s = two_blades(scene_settings());
    const clash_event *clash;

    (void)state;
    scene_push_both(s, 0, low(), high(0.5));
    scene_push_both(s, 10 * SCENE_MS, low(), high(0.25));
    scene_push(s, 10 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
    scene_assert_sweeps(s, 1);
    scene_push_both(s, 20 * SCENE_MS, low(), high(TOUCHING));
    scene_assert_sweeps(s, 2);
    assert_int_equal(scene_counters(s)->replaced, 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    assert_int_equal(clash->time_ns, 10 * SCENE_MS);
    assert_true(clash->as.clash.contact.fraction == 0.0);
    scene_destroy(s);
}

static void unknown_devices_are_counted(void **state)
{
    scene *s = two_blades(scene_settings());

    (void)state;
    scene_push(s, 0, 2, SCENE_GOOD, low());
    scene_push(s, 0, UINT32_MAX, SCENE_GOOD, low());
    pipeline_lost(s->pipeline, 2, 0, CLASH_TRACKING_LOST);
    assert_int_equal(scene_counters(s)->refused_unknown, 2);
    assert_int_equal(scene_counters(s)->samples, 0);
    assert_int_equal(s->count, 0);
    assert_false(pipeline_device_tracked(s->pipeline, 2));
    scene_destroy(s);
}

static void slow_contacts_give_no_event(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s;

    (void)state;
    settings.min_closing_speed = 0.5f;
    settings.hold_rate_hz = 1000.0f;
    s = two_blades(settings);
    /* Down to the touch and up again at 0.25 / 0.625 = 0.4 m/s, then at 0.25 / 0.25 = 1 m/s. */
    scene_push_both(s, 0, low(), high(0.03125));
    scene_push_both(s, 78125000, low(), high(0.0));
    scene_push_both(s, 156250000, low(), high(0.03125));
    assert_int_equal(scene_counters(s)->contacts, 1);
    assert_int_equal(s->count, 2);
    scene_push_both(s, 187500000, low(), high(0.0));
    scene_push_both(s, 218750000, low(), high(0.03125));
    assert_int_equal(scene_counters(s)->contacts, 2);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 0)->id, 1);
    for (size_t i = 0; i < s->count; i++)
        assert_int_equal(s->events[i].event.seq, i + 1);
    assert_int_equal(scene_counters(s)->events, s->count);
    scene_destroy(s);
}

static void order_within_a_frame_does_not_matter(void **state)
{
    scene *scenes[2] = {two_blades(scene_settings()), two_blades(scene_settings())};

    (void)state;
    for (int i = 0; i < 64; i++)
        for (uint32_t order = 0; order < 2; order++) {
            clash_pose poses[2] = {low(), high(0.25 - i / 128.0)};
            uint32_t flags[2] = {i == 20 ? 0 : SCENE_GOOD, i == 33 || i == 20 ? POSE_VALID : SCENE_GOOD};
            pose_frame frame = scene_frame(5 * SCENE_MS * i);

            scene_frame_add(&frame, order, flags[order], poses[order]);
            scene_frame_add(&frame, !order, flags[!order], poses[!order]);
            pipeline_frame(scenes[order]->pipeline, &frame);
        }
    assert_true(scene_count(scenes[0], CLASH_EVENT_CLASH) == 2);
    assert_int_equal(scenes[0]->count, scenes[1]->count);
    for (size_t i = 0; i < scenes[0]->count; i++)
        assert_true(scene_event_same(&scenes[0]->events[i], &scenes[1]->events[i]));
    scene_destroy(scenes[0]);
    scene_destroy(scenes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_have_ids),
        cmocka_unit_test(blades_are_checked),
        cmocka_unit_test(pairs_are_of_different_devices),
        cmocka_unit_test(a_device_does_not_clash_with_itself),
        cmocka_unit_test(every_instant_is_swept_once),
        cmocka_unit_test(a_later_blade_is_swept_from_then_on),
        cmocka_unit_test(an_overrun_cuts_the_pair_and_is_counted),
        cmocka_unit_test(a_device_that_is_away_is_no_overrun),
        cmocka_unit_test(a_device_that_comes_back_late_is),
        cmocka_unit_test(a_replaced_sample_starts_the_next_interval),
        cmocka_unit_test(unknown_devices_are_counted),
        cmocka_unit_test(slow_contacts_give_no_event),
        cmocka_unit_test(order_within_a_frame_does_not_matter),
    };

    return SCENE_RUN(tests);
}

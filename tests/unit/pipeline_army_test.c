/* What an army needs of the pipeline: steps of several frames, blades and devices that come and go, many names, and rings
 * that grow as they must and not further. */
#include "support/touching.h"

static clash_pose aside(int place)
{
    return scene_at(10.0 * place, 0, 0);
}

/* Device 2k carries a blade along z, device 2k + 1 one along x that touches it at `high`. */
static scene *pairs_scene(uint32_t devices)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    for (uint32_t i = 0; i < devices; i++) {
        char name[32];

        snprintf(name, sizeof name, "%c", (char)('a' + i));
        assert_int_equal(pipeline_device(s->pipeline, name), i);
        snprintf(name, sizeof name, "blade %u", i);
        add_blade(s, name, i, i % 2 ? along_x : along_z);
    }
    return s;
}

/** Devices first .. first + count - 1 at a time, in one frame; those along x at y. */
static void push_some(scene *s, int64_t time_ns, uint32_t first, uint32_t count, double y, bool more)
{
    pose_frame frame = scene_frame(time_ns);

    for (uint32_t i = first; i < first + count; i++) {
        clash_pose pose = aside((int)i / 2);

        pose.position.y = i % 2 ? (float)y : 0.0f;
        scene_frame_add(&frame, i, SCENE_GOOD, pose);
    }
    frame.more = more;
    pipeline_frame(s->pipeline, &frame);
}

/* Frames of one step: nothing is told before the last of them, and then in the order of pairs. */
static void a_step_may_be_several_frames(void **state)
{
    scene *s = pairs_scene(6);

    (void)state;
    push_some(s, 0, 0, 6, 0.5, false);
    assert_int_equal(s->count, 6);
    push_some(s, SCENE_MS, 4, 2, TOUCHING, true);
    push_some(s, SCENE_MS, 2, 2, TOUCHING, true);
    assert_int_equal(s->count, 6);
    push_some(s, SCENE_MS, 0, 2, TOUCHING, false);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(s->events[6 + i].blades[0][6], '0' + 2 * i);
    scene_assert_sweeps(s, 15);
    scene_destroy(s);
}

/* What was promised and did not come is waited for no longer than to the next call. */
static void an_open_step_ends_with_the_next_call(void **state)
{
    (void)state;
    for (int way = 0; way < 5; way++) {
        scene *s = pairs_scene(4);
        pipeline_blade blade = scene_blade("new", 3, along_x);

        push_some(s, 0, 0, 4, 0.5, false);
        push_some(s, SCENE_MS, 0, 2, TOUCHING, true);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
        if (way == 0)
            push_some(s, 2 * SCENE_MS, 2, 2, 0.5, true);
        else if (way == 1)
            pipeline_lost(s->pipeline, 3, 2 * SCENE_MS, CLASH_TRACKING_LOST);
        else if (way == 2)
            pipeline_space_changed(s->pipeline, 2 * SCENE_MS);
        else if (way == 3)
            assert_null(pipeline_add_blade(s->pipeline, &blade));
        else
            assert_int_equal(pipeline_remove_blade(s->pipeline, "blade 3"), 0);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        scene_destroy(s);
    }
}

static void a_removed_blade_releases_its_contacts(void **state)
{
    scene *s = touching_scene(scene_settings());
    const clash_event *release;

    (void)state;
    assert_int_equal(pipeline_remove_blade(s->pipeline, "C"), -1);
    assert_int_equal(pipeline_remove_blade(s->pipeline, "A"), 0);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_int_equal(release->time_ns, 20 * SCENE_MS);
    assert_int_equal(release->id, 1);
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_REMOVED);
    assert_string_equal(s->events[s->count - 1].blades[0], "A");
    assert_int_equal(pipeline_remove_blade(s->pipeline, "A"), -1);
    assert_int_equal(pipeline_blade_count(s->pipeline), 1);
    assert_string_equal(pipeline_blade_at(s->pipeline, 0)->name, "B");
    scene_push_both(s, 30 * SCENE_MS, low(), high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    /* Its name is free; the new one comes after B, and what both tracks have covered is not swept for it. */
    add_blade(s, "A", 0, along_z);
    scene_push_both(s, 40 * SCENE_MS, low(), high(TOUCHING));
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->time_ns, 30 * SCENE_MS);
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->id, 2);
    assert_string_equal(s->events[s->count - 1].blades[0], "B");
    assert_string_equal(s->events[s->count - 1].blades[1], "A");
    scene_destroy(s);
}

/* Four blades on device 1 touch A in turns of adding; removing the device releases them in that order. */
static void a_removed_device_takes_its_blades_along(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_blade(s, "B", 1, along_x);
    add_blade(s, "A", 0, along_z);
    add_blade(s, "C", 1, along_x);
    add_blade(s, "D", 1, along_x);
    for (int i = 0; i < 3; i++)
        scene_push_both(s, i * SCENE_MS, low(), high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 3);
    assert_int_equal(pipeline_remove_device(s->pipeline, 2), -1);
    assert_int_equal(pipeline_remove_device(s->pipeline, 1), 0);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 3);
    for (size_t i = 0; i < 3; i++) {
        const scene_event *e = &s->events[s->count - 3 + i];

        assert_int_equal(e->event.as.release.reason, CLASH_RELEASE_REMOVED);
        assert_int_equal(e->event.id, i + 1);
        assert_int_equal(e->blades[i > 0][0], "BCD"[i]);
    }
    assert_int_equal(pipeline_blade_count(s->pipeline), 1);
    assert_null(pipeline_device_name(s->pipeline, 1));
    assert_false(pipeline_device_tracked(s->pipeline, 1));
    assert_int_equal(pipeline_remove_device(s->pipeline, 1), -1);
    scene_push(s, 3 * SCENE_MS, 1, SCENE_GOOD, low());
    assert_int_equal(scene_counters(s)->refused_unknown, 1);
    scene_destroy(s);
}

static void ids_of_removed_devices_are_given_anew(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    assert_int_equal(pipeline_device(s->pipeline, "c"), 2);
    assert_int_equal(pipeline_remove_device(s->pipeline, 0), 0);
    assert_int_equal(pipeline_device(s->pipeline, "c"), 2);
    assert_int_equal(pipeline_device(s->pipeline, "d"), 0);
    assert_int_equal(pipeline_device(s->pipeline, "a"), 3);
    assert_int_equal(pipeline_device_count(s->pipeline), 4);
    assert_string_equal(pipeline_device_name(s->pipeline, 0), "d");
    assert_false(pipeline_device_tracked(s->pipeline, 0));
    /* Nothing of the one before it is left: its first sample is no motion, and may be earlier. */
    add_blade(s, "A", 0, along_z);
    scene_push(s, 15 * SCENE_MS, 0, SCENE_GOOD, low());
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_counters(s)->refused_late, 0);
    scene_push(s, 20 * SCENE_MS, 0, SCENE_GOOD, low());
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 1)->time_ns, 15 * SCENE_MS);
    scene_destroy(s);
}

/* Rings forget what every device has gone beyond; a device that comes new has gone beyond nothing. */
static void a_new_device_finds_what_came_since(void **state)
{
    scene *s = two_blades(scene_settings());
    uint32_t c;

    (void)state;
    for (int i = 0; i < 100; i++)
        scene_push_both(s, i * SCENE_MS, low(), high(0.5));
    c = pipeline_device(s->pipeline, "c");
    add_blade(s, "C", c, along_x);
    for (int i = 100; i < 200; i++)
        scene_push_both(s, i * SCENE_MS, low(), high(0.5));
    for (int i = 100; i < 200; i++)
        scene_push(s, i * SCENE_MS, c, SCENE_GOOD, high(TOUCHING));
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns, 100 * SCENE_MS);
    assert_int_equal(scene_counters(s)->overruns, 0);
    scene_destroy(s);
}

/* Where one of very many falls silent, the others do not all keep as much for it as one of few would. */
static void many_rings_are_shorter(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        scene *s = two_blades(scene_settings());

        for (uint32_t i = 2; i < (many ? 4096 : 1024); i++) {
            char name[32];

            snprintf(name, sizeof name, "npc/%u", i);
            assert_int_equal(pipeline_device(s->pipeline, name), i);
        }
        scene_push_both(s, 0, low(), high(0.5));
        for (int i = 1; i <= 300; i++)
            scene_push(s, i * SCENE_MS / 10, 0, SCENE_GOOD, low());
        scene_push(s, 30 * SCENE_MS, 1, SCENE_GOOD, high(0.5));
        assert_int_equal(scene_counters(s)->overruns, many);
        scene_destroy(s);
    }
}

/* The eight-wide proof decides what goes through one motion each at the same time. */
static void the_batch_is_used(void **state)
{
    scene *s = pairs_scene(6);

    (void)state;
    for (int i = 0; i < 10; i++)
        push_some(s, i * SCENE_MS, 0, 6, i < 9 ? 0.5 : TOUCHING, false);
    if (scene_every_pair) {
        assert_int_equal(scene_counters(s)->sweeps, 9 * 15);
        assert_int_equal(scene_counters(s)->proved, 9 * 15 - 3);
    }
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 3);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_may_be_several_frames),
        cmocka_unit_test(an_open_step_ends_with_the_next_call),
        cmocka_unit_test(a_removed_blade_releases_its_contacts),
        cmocka_unit_test(a_removed_device_takes_its_blades_along),
        cmocka_unit_test(ids_of_removed_devices_are_given_anew),
        cmocka_unit_test(a_new_device_finds_what_came_since),
        cmocka_unit_test(many_rings_are_shorter),
        cmocka_unit_test(the_batch_is_used),
    };

    return SCENE_RUN(tests);
}

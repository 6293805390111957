/* What ends a track ends its contacts, at the last instant that both tracks cover; and who is told of it, once, in which
 * order. All on two still blades that touch: without a cut they would touch for ever. */
#include "support/touching.h"

/** The contact of touching_scene was released at `time_ns`, and one frame later the two clash anew. */
static void assert_cut(scene *s, int64_t time_ns, int64_t again_ns)
{
    const clash_event *release = scene_find(s, CLASH_EVENT_RELEASE, 0), *clash;

    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    assert_int_equal(release->time_ns, time_ns);
    assert_int_equal(release->duration_ns, time_ns);
    assert_int_equal(release->id, 1);
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_TRACK_CUT);
    assert_float_equal(release->as.release.min_distance, TOUCHING, 1e-6);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
    clash = scene_find(s, CLASH_EVENT_CLASH, 1);
    assert_int_equal(clash->id, 2);
    assert_int_equal(clash->time_ns, again_ns);
    assert_true(clash->as.clash.contact.fraction == 0.0);
    assert_int_equal(scene_counters(s)->contacts, 2);
}

static void push_touching(scene *s, int64_t time_ns)
{
    scene_push_both(s, time_ns, low(), high(TOUCHING));
}

static void a_gap(void **state)
{
    (void)state;
    for (int64_t over = 0; over < 2; over++) {
        scene *s = touching_scene(scene_settings());
        int64_t time_ns = 120 * SCENE_MS + over;

        push_touching(s, time_ns);
        push_touching(s, time_ns + SCENE_MS);
        if (over)
            assert_cut(s, 20 * SCENE_MS, time_ns);
        else
            assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
        scene_assert_sweeps(s, over ? 3 : 4);
        assert_int_equal(scene_counters(s)->cuts, over ? 2 : 0);
        assert_int_equal(scene_count(s, CLASH_EVENT_TRACKING), 2);
        scene_destroy(s);
    }
}

static void a_teleport(void **state)
{
    (void)state;
    for (uint32_t device = 0; device < 2; device++) {
        scene *s = touching_scene(scene_settings());
        pose_frame frame = scene_frame(30 * SCENE_MS);

        for (uint32_t i = 0; i < 2; i++)
            scene_frame_add(&frame, i, SCENE_GOOD | (i == device ? POSE_TELEPORT : 0), high(i ? TOUCHING : 0));
        pipeline_frame(s->pipeline, &frame);
        push_touching(s, 40 * SCENE_MS);
        assert_cut(s, 20 * SCENE_MS, 30 * SCENE_MS);
        assert_int_equal(scene_counters(s)->cuts, 1);
        assert_int_equal(scene_count(s, CLASH_EVENT_TRACKING), 2);
        scene_destroy(s);
    }
}

/* The sample up to which the pair was swept is replaced by one that says: do not sweep up to here. */
static void a_teleport_that_replaces(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    scene_push(s, 20 * SCENE_MS, 1, SCENE_GOOD | POSE_TELEPORT, high(TOUCHING));
    push_touching(s, 30 * SCENE_MS);
    assert_cut(s, 20 * SCENE_MS, 20 * SCENE_MS);
    scene_destroy(s);
}

/* Without a sweep across, a blade that jumps to the other side hits nothing; with one it does. */
static void nothing_is_swept_across_a_cut(void **state)
{
    (void)state;
    for (uint32_t teleport = 0; teleport < 2; teleport++) {
        scene *s = two_blades(scene_settings());

        for (int i = 0; i < 6; i++) {
            scene_push(s, 10 * SCENE_MS * i, 0, SCENE_GOOD, low());
            scene_push(s, 10 * SCENE_MS * i, 1, SCENE_GOOD | (i == 3 && teleport ? POSE_TELEPORT : 0),
                       high(i < 3 ? 0.25 : -0.25));
        }
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), teleport ? 0 : 1);
        scene_assert_sweeps(s, teleport ? 4 : 5);
        scene_destroy(s);
    }
}

static void assert_tracking(const clash_event *event, int64_t time_ns, bool tracked, clash_tracking_reason reason)
{
    assert_int_equal(event->kind, CLASH_EVENT_TRACKING);
    assert_int_equal(event->time_ns, time_ns);
    assert_int_equal(event->as.tracking.tracked, tracked);
    assert_int_equal(event->as.tracking.reason, reason);
}

static void first_samples_say_tracked(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    assert_true(pipeline_device_tracked(s->pipeline, 0));
    assert_int_equal(s->count, 3);
    assert_tracking(&s->events[0].event, 0, true, CLASH_TRACKING_OK);
    assert_string_equal(s->events[0].device, "a");
    assert_tracking(&s->events[1].event, 0, true, CLASH_TRACKING_OK);
    assert_string_equal(s->events[1].device, "b");
    scene_destroy(s);
}

/* Flags that lose the device: release, then one tracking event; when it is back: tracking, then the clash. */
static void lost_by_flags(void **state)
{
    (void)state;
    for (int guessed = 0; guessed < 2; guessed++) {
        scene *s = touching_scene(scene_settings());

        for (int i = 3; i < 6; i++) {
            scene_push(s, 10 * SCENE_MS * i, 0, guessed ? POSE_VALID : 0, low());
            scene_push(s, 10 * SCENE_MS * i, 1, SCENE_GOOD, high(TOUCHING));
            assert_false(pipeline_device_tracked(s->pipeline, 0));
            assert_true(pipeline_device_tracked(s->pipeline, 1));
        }
        push_touching(s, 60 * SCENE_MS);
        push_touching(s, 70 * SCENE_MS);
        assert_cut(s, 20 * SCENE_MS, 60 * SCENE_MS);
        assert_int_equal(s->count, 3 + 4);
        assert_int_equal(s->events[3].event.kind, CLASH_EVENT_RELEASE);
        assert_tracking(&s->events[4].event, 30 * SCENE_MS, false,
                        guessed ? CLASH_TRACKING_UNTRACKED : CLASH_TRACKING_LOST);
        assert_string_equal(s->events[4].device, "a");
        assert_tracking(&s->events[5].event, 60 * SCENE_MS, true, CLASH_TRACKING_OK);
        assert_int_equal(s->events[6].event.kind, CLASH_EVENT_CLASH);
        assert_int_equal(guessed ? scene_counters(s)->untracked : scene_counters(s)->invalid, 3);
        assert_int_equal(scene_counters(s)->cuts, 1);
        scene_destroy(s);
    }
}

static void guessed_poses_are_used_where_allowed(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s;

    (void)state;
    settings.require_tracked = false;
    s = two_blades(settings);
    scene_push_both(s, 0, low(), high(TOUCHING));
    scene_push_both(s, SCENE_MS, low(), high(1.0));
    scene_push(s, 2 * SCENE_MS, 0, POSE_VALID, low());
    scene_push(s, 2 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    scene_push_both(s, 3 * SCENE_MS, low(), high(1.0));
    scene_push_both(s, 4 * SCENE_MS, low(), high(TOUCHING));
    scene_push(s, 5 * SCENE_MS, 0, POSE_VALID, low());
    scene_push(s, 5 * SCENE_MS, 1, SCENE_GOOD, high(1.0));
    scene_push_both(s, 6 * SCENE_MS, low(), high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 4);
    assert_true(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.tracked);
    assert_false(scene_find(s, CLASH_EVENT_CLASH, 1)->as.clash.tracked);
    assert_true(scene_find(s, CLASH_EVENT_CLASH, 2)->as.clash.tracked);
    assert_false(scene_find(s, CLASH_EVENT_CLASH, 3)->as.clash.tracked);
    assert_int_equal(scene_count(s, CLASH_EVENT_TRACKING), 2);
    assert_int_equal(scene_counters(s)->cuts, 0);
    scene_destroy(s);
}

static void lost_by_the_source(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    pipeline_lost(s->pipeline, 1, 25 * SCENE_MS, CLASH_TRACKING_RUNTIME_LOST);
    pipeline_lost(s->pipeline, 1, 26 * SCENE_MS, CLASH_TRACKING_NO_RUNTIME);
    assert_false(pipeline_device_tracked(s->pipeline, 1));
    push_touching(s, 30 * SCENE_MS);
    push_touching(s, 40 * SCENE_MS);
    assert_cut(s, 20 * SCENE_MS, 30 * SCENE_MS);
    assert_int_equal(s->count, 3 + 4);
    assert_int_equal(s->events[3].event.kind, CLASH_EVENT_RELEASE);
    assert_tracking(&s->events[4].event, 25 * SCENE_MS, false, CLASH_TRACKING_RUNTIME_LOST);
    assert_string_equal(s->events[4].device, "b");
    assert_tracking(&s->events[5].event, 30 * SCENE_MS, true, CLASH_TRACKING_OK);
    assert_int_equal(scene_counters(s)->cuts, 1);
    scene_destroy(s);
}

static void a_device_never_seen_is_not_lost(void **state)
{
    scene *s = two_blades(scene_settings());

    (void)state;
    pipeline_lost(s->pipeline, 0, 0, CLASH_TRACKING_NO_HEADSET);
    scene_push(s, 0, 1, 0, low());
    assert_int_equal(s->count, 0);
    assert_int_equal(scene_counters(s)->cuts, 0);
    scene_destroy(s);
}

/* A third device comes and goes in the frames in which the other two clash and part. */
static void news_of_devices_around_clashes(void **state)
{
    scene *s = two_blades(scene_settings());
    uint32_t c = pipeline_device(s->pipeline, "c");

    (void)state;
    for (int i = 0; i < 4; i++) {
        pose_frame frame = scene_frame(i * SCENE_MS);

        scene_frame_add(&frame, 0, SCENE_GOOD, low());
        scene_frame_add(&frame, 1, SCENE_GOOD, high(i == 1 || i == 2 ? TOUCHING : 0.5));
        if (i > 0)
            scene_frame_add(&frame, c, i < 3 ? SCENE_GOOD : 0, low());
        pipeline_frame(s->pipeline, &frame);
    }
    assert_int_equal(s->count, 6);
    assert_int_equal(s->events[2].event.kind, CLASH_EVENT_CLASH); /* before the sample with which the device comes */
    assert_tracking(&s->events[3].event, SCENE_MS, true, CLASH_TRACKING_OK);
    assert_string_equal(s->events[3].device, "c");
    assert_int_equal(s->events[4].event.kind, CLASH_EVENT_RELEASE);
    assert_tracking(&s->events[5].event, 3 * SCENE_MS, false, CLASH_TRACKING_LOST);
    scene_destroy(s);
}

/* Within one call only the outcome is told; the track is cut all the same. */
static void lost_and_back_in_one_frame(void **state)
{
    scene *s = touching_scene(scene_settings());
    pose_frame frame = scene_frame(30 * SCENE_MS);

    (void)state;
    scene_frame_add(&frame, 0, 0, low());
    scene_frame_add(&frame, 0, SCENE_GOOD, low());
    scene_frame_add(&frame, 1, SCENE_GOOD, high(TOUCHING));
    pipeline_frame(s->pipeline, &frame);
    push_touching(s, 40 * SCENE_MS);
    assert_cut(s, 20 * SCENE_MS, 30 * SCENE_MS);
    assert_int_equal(scene_count(s, CLASH_EVENT_TRACKING), 2);
    scene_destroy(s);
}

static void a_moved_space(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    pipeline_space_changed(s->pipeline, 25 * SCENE_MS);
    assert_true(pipeline_device_tracked(s->pipeline, 0));
    push_touching(s, 30 * SCENE_MS);
    push_touching(s, 40 * SCENE_MS);
    assert_cut(s, 20 * SCENE_MS, 30 * SCENE_MS);
    assert_int_equal(s->count, 3 + 3);
    assert_int_equal(s->events[3].event.kind, CLASH_EVENT_RELEASE);
    assert_int_equal(s->events[4].event.kind, CLASH_EVENT_SPACE_CHANGED);
    assert_int_equal(s->events[4].event.time_ns, 25 * SCENE_MS);
    assert_int_equal(s->events[5].event.kind, CLASH_EVENT_CLASH);
    assert_int_equal(scene_counters(s)->cuts, 2);
    for (size_t i = 0; i < s->count; i++)
        assert_int_equal(s->events[i].event.seq, i + 1);
    scene_destroy(s);
}

/* The cut is at 50 ms on a, and b has only come to 20 ms: what is covered until 50 ms is swept when b comes there. */
static void a_cut_ahead_of_the_other_track(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    for (int i = 3; i <= 5; i++)
        scene_push(s, 10 * SCENE_MS * i, 0, SCENE_GOOD, low());
    pipeline_lost(s->pipeline, 0, 60 * SCENE_MS, CLASH_TRACKING_LOST);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
    scene_push(s, 70 * SCENE_MS, 0, SCENE_GOOD, low());
    scene_push(s, 80 * SCENE_MS, 0, SCENE_GOOD, low());
    scene_push(s, 45 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
    scene_push(s, 75 * SCENE_MS, 1, SCENE_GOOD, high(TOUCHING));
    assert_cut(s, 50 * SCENE_MS, 70 * SCENE_MS);
    /* 2 before, then 30 40 45 50, nothing over 50..70, 75. */
    scene_assert_sweeps(s, 2 + 4 + 1);
    scene_destroy(s);
}

/* By the clock of the samples: what is told to be lost, once it had been there, and whoever is lost now until now. */
static void how_long_a_device_was_lost(void **state)
{
    scene *s = touching_scene(scene_settings());

    (void)state;
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 25 * SCENE_MS), 0);
    for (int i = 3; i < 6; i++)
        scene_push(s, 10 * SCENE_MS * i, 0, 0, low());
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 50 * SCENE_MS), 20 * SCENE_MS);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 0), 0);
    push_touching(s, 60 * SCENE_MS);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 999 * SCENE_MS), 30 * SCENE_MS);
    pipeline_lost(s->pipeline, 0, 70 * SCENE_MS, CLASH_TRACKING_LOST);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 75 * SCENE_MS), 35 * SCENE_MS);
    assert_int_equal(pipeline_device_reason(s->pipeline, 0), CLASH_TRACKING_LOST);
    pipeline_lost(s->pipeline, 0, 75 * SCENE_MS, CLASH_TRACKING_RUNTIME_LOST);
    assert_int_equal(pipeline_device_reason(s->pipeline, 0), CLASH_TRACKING_RUNTIME_LOST);
    push_touching(s, 90 * SCENE_MS);
    assert_int_equal(pipeline_device_reason(s->pipeline, 0), CLASH_TRACKING_OK);
    assert_int_equal(pipeline_device_reason(s->pipeline, pipeline_device(s->pipeline, "never")), CLASH_TRACKING_LOST);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 0, 90 * SCENE_MS), 50 * SCENE_MS);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 1, 90 * SCENE_MS), 0);
    assert_int_equal(pipeline_device_lost_ns(s->pipeline, 77, 90 * SCENE_MS), 0);
    scene_destroy(s);
}

/* Push both blades, laid across each other, so often; they touch. */
static void rest_crossed(scene *s, int64_t *time_ns, int count, uint32_t flags)
{
    for (int i = 0; i < count; i++, *time_ns += 10 * SCENE_MS) {
        pose_frame frame = scene_frame(*time_ns);

        scene_frame_add(&frame, 0, SCENE_GOOD | (i == 0 ? flags : 0u), scene_at(0, 0, 0));
        scene_frame_add(&frame, 1, SCENE_GOOD, scene_at(0.001, 0, 0));
        pipeline_frame(s->pipeline, &frame);
    }
}

typedef enum cut_kind {
    CUT_TELEPORT,
    CUT_FEED,
    CUT_SPACE,
    CUT_GAP,
    CUT_LOST,
    CUT_DEFINED,
    CUT_LONG,  /* lost for longer than a contact is held to go on */
    CUT_STRUCK /* lost, then apart, then struck */
} cut_kind;

static void cut(scene *s, cut_kind kind, int64_t *time_ns, uint32_t *out_flags)
{
    pipeline_blade again = scene_blade("b", 1, (clash_capsule){{0, 0, 0}, {0, 0, -1}, 0.015625f});

    *out_flags = kind == CUT_TELEPORT ? POSE_TELEPORT : kind == CUT_FEED ? pose_other_feed(CLASH_SOURCE_GAME) : 0u;
    if (kind == CUT_SPACE)
        pipeline_space_changed(s->pipeline, *time_ns - 10 * SCENE_MS);
    if (kind == CUT_GAP)
        *time_ns += 500 * SCENE_MS;
    if (kind == CUT_LOST || kind == CUT_LONG || kind == CUT_STRUCK)
        pipeline_lost(s->pipeline, 0, *time_ns - 10 * SCENE_MS, CLASH_TRACKING_LOST);
    if (kind == CUT_LONG)
        *time_ns += 1100 * SCENE_MS;
    if (kind == CUT_DEFINED) {
        pipeline_remove_blade(s->pipeline, "b");
        assert_null(pipeline_add_blade(s->pipeline, &again));
    }
    if (kind == CUT_STRUCK)
        for (int i = 0; i < 3; i++, *time_ns += 10 * SCENE_MS)
            scene_push_both(s, *time_ns, scene_at(-0.3 + 0.1 * i, 0, 0), scene_at(0.001, 0, 0));
}

/* A contact that goes on after a cut has a clash of its own, since it had a release; but nothing has struck. */
static void a_contact_that_goes_on_is_resumed(void **state)
{
    (void)state;
    for (int kind = CUT_TELEPORT; kind <= CUT_STRUCK; kind++) {
        pipeline_settings settings = scene_settings();
        scene *s = scene_create(&settings);
        pipeline_blade a = scene_blade("a", 0, (clash_capsule){{0, 0, 0}, {0, 0, -1}, 0.015625f});
        pipeline_blade b = scene_blade("b", 1, (clash_capsule){{0, 0, 0}, {0, 0, -1}, 0.015625f});
        int64_t time_ns = 0;
        uint32_t flags;

        assert_null(pipeline_add_blade(s->pipeline, &a));
        assert_null(pipeline_add_blade(s->pipeline, &b));
        rest_crossed(s, &time_ns, 3, 0);
        cut(s, (cut_kind)kind, &time_ns, &flags);
        rest_crossed(s, &time_ns, 3, flags);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
        assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
        assert_false(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.resumed);
        if (scene_find(s, CLASH_EVENT_CLASH, 1)->as.clash.resumed != (kind < CUT_LONG))
            fail_msg("a cut of kind %d", kind);
        scene_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_goes_on_is_resumed),
        cmocka_unit_test(a_gap),
        cmocka_unit_test(a_teleport),
        cmocka_unit_test(a_teleport_that_replaces),
        cmocka_unit_test(nothing_is_swept_across_a_cut),
        cmocka_unit_test(first_samples_say_tracked),
        cmocka_unit_test(lost_by_flags),
        cmocka_unit_test(guessed_poses_are_used_where_allowed),
        cmocka_unit_test(lost_by_the_source),
        cmocka_unit_test(a_device_never_seen_is_not_lost),
        cmocka_unit_test(news_of_devices_around_clashes),
        cmocka_unit_test(lost_and_back_in_one_frame),
        cmocka_unit_test(how_long_a_device_was_lost),
        cmocka_unit_test(a_moved_space),
        cmocka_unit_test(a_cut_ahead_of_the_other_track),
    };

    return SCENE_RUN(tests);
}

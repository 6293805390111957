/* The contract of poses, where no client pushes and no recording has them: a source's bad poses cost themselves and are said once, and one
 * from the future does not come through. */
#include "ports/pose_rules.h"
#include "scene/feeds.h"
#include "scene/scene.h"
#include "sources/openxr/openxr_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

typedef struct heard {
    char text[2048];
    int frames, lines;
} heard;

static void on_line(void *context, log_level level, const char *message)
{
    heard *h = context;
    const size_t length = strlen(h->text);

    (void)level;
    h->lines++;
    snprintf(h->text + length, sizeof h->text - length, "%s\n", message);
}

static void ignore_event(void *context, const clash_event *event)
{
    (void)context, (void)event;
}

static pose_frame frame_of(int64_t time_ns, const uint32_t devices[2], clash_quat first)
{
    return (pose_frame){.time_ns = time_ns,
                        .count = 2,
                        .samples = {{devices[0], POSE_VALID | POSE_TRACKED, {first, {0, 1, 0}}},
                                    {devices[1], POSE_VALID | POSE_TRACKED, {{0, 0, 0, 1}, {1, 1, 0}}}}};
}

static void a_sources_bad_pose_is_said_once(void **state)
{
    static const clash_quat zero, one = {0, 0, 0, 1};
    const pipeline_settings settings = {.max_gap_ns = 100 * MS, .full_intensity_speed = 10.0f};
    const event_sink sinks = {.event = ignore_event};
    heard h = {{0}, 0, 0};
    scene s = {0};
    pose_listener listener;
    uint32_t devices[2];

    (void)state;
    assert_int_equal(scene_open(&s, &settings, &sinks, (logger){.context = &h, .write = on_line}), 0);
    listener = scene_listener(&s);
    devices[0] = listener.device(listener.context, "one");
    devices[1] = listener.device(listener.context, "two");
    for (int64_t i = 1; i <= 6; i++) { /* bad, bad, good, bad, bad, good */
        const pose_frame frame = frame_of(i * MS, devices, i % 3 == 0 ? one : zero);

        listener.frame(listener.context, &frame);
        assert_int_equal(h.lines, i <= 3 ? 1 : 2);
    }
    assert_non_null(strstr(h.text, "'one'"));
    assert_non_null(strstr(h.text, "expected a quaternion of unit length"));
    assert_null(strstr(h.text, "'two'"));
    assert_int_equal(pipeline_get_counters(s.pipeline)->refused_not_unit, 4);
    assert_int_equal(pipeline_get_counters(s.pipeline)->samples, 6 + 2);
    scene_close(&s);
}

/* A scene whose source passes on what others send, and a log of what it says. */
typedef struct sent_scene {
    scene scene;
    heard heard;
    pose_listener listener;
    uint32_t devices[2];
} sent_scene;

static const event_sink no_sinks = {.event = ignore_event};

static void open_sent(sent_scene *s)
{
    const pipeline_settings settings = {.max_gap_ns = 100 * MS, .full_intensity_speed = 10.0f};

    *s = (sent_scene){0};
    assert_int_equal(scene_open(&s->scene, &settings, &no_sinks, (logger){.context = &s->heard, .write = on_line}), 0);
    s->listener = scene_listener(&s->scene);
    s->devices[0] = s->listener.device(s->listener.context, "one");
    s->devices[1] = s->listener.device(s->listener.context, "two");
}

/* Both devices, the first one turned by `first`. Return how many are refused. */
static size_t send_both(sent_scene *s, int64_t time_ns, int64_t now_ns, clash_quat first)
{
    const pose_frame frame = frame_of(time_ns, s->devices, first);

    return s->listener.sent(s->listener.context, time_ns, now_ns, frame.samples, frame.count);
}

/* As pushed ones: numbers, times and rate; a bad pose costs only itself. */
static void what_a_source_is_sent_is_judged(void **state)
{
    static const clash_quat zero, one = {0, 0, 0, 1};
    const int64_t now_ns = 5000 * MS;
    const pose_sample nobodys = {.device = UINT32_MAX, .flags = POSE_VALID, .pose.orientation = one};
    sent_scene s;

    (void)state;
    open_sent(&s);
    assert_int_equal(send_both(&s, now_ns, now_ns, one), 0);
    assert_int_equal(send_both(&s, now_ns, now_ns, one), 2); /* repeated */
    assert_int_equal(send_both(&s, now_ns + 51 * MS, now_ns, one), 2);
    assert_int_equal(send_both(&s, now_ns + 50 * MS, now_ns, zero), 1);
    assert_int_equal(send_both(&s, now_ns + 51 * MS, now_ns + 1 * MS, one), 0); /* after those that were refused */
    assert_int_equal(send_both(&s, now_ns + 1052 * MS, now_ns + 3000 * MS, one), 2);
    assert_int_equal(s.listener.sent(s.listener.context, now_ns + 60 * MS, now_ns + 60 * MS, &nobodys, 1), 1);
    assert_int_equal(pipeline_get_counters(s.scene.pipeline)->samples, 2 + 1 + 2);
    assert_non_null(strstr(s.heard.text, "'one' are left out until they are right again: time_ns: not after"));
    assert_non_null(strstr(s.heard.text, "'two'"));
    scene_close(&s.scene);
}

static void who_sends_too_often_is_said_once(void **state)
{
    static const clash_quat one = {0, 0, 0, 1};
    sent_scene s;
    size_t refused = 0;

    (void)state;
    open_sent(&s);
    for (int64_t i = 1; i <= POSE_RATE_HZ + 500; i++)
        refused += send_both(&s, MS + i, MS + i, one);
    assert_int_equal(refused, 2 * 500);
    assert_int_equal(s.heard.lines, 1);
    assert_non_null(strstr(s.heard.text, "2000 messages a second"));
    assert_int_equal(send_both(&s, 1000 * MS, 1000 * MS, one), 0);
    scene_close(&s.scene);
}

/* A sender may alternate good and bad poses for ever. */
static void bad_poses_do_not_fill_the_log(void **state)
{
    static const clash_quat zero, one = {0, 0, 0, 1};
    sent_scene s;

    (void)state;
    open_sent(&s);
    for (int64_t i = 1; i <= 200; i++)
        assert_int_equal(send_both(&s, i * MS, i * MS, i % 2 ? one : zero), i % 2 ? 0 : 1);
    assert_int_equal(s.heard.lines, 8);
    assert_non_null(strstr(s.heard.text, "only counted"));
    scene_close(&s.scene);
}

static void whom_nobody_sends_for_is_lost(void **state)
{
    static const clash_quat one = {0, 0, 0, 1};
    sent_scene s;

    (void)state;
    open_sent(&s);
    assert_int_equal(scene_check_silence(&s.scene, 900 * MS, 650 * MS), 0); /* never heard of */
    assert_int_equal(send_both(&s, 1000 * MS, 1000 * MS, one), 0);
    assert_true(pipeline_device_tracked(s.scene.pipeline, s.devices[0]));
    assert_int_equal(scene_check_silence(&s.scene, 1249 * MS, 999 * MS), 0);
    assert_int_equal(scene_check_silence(&s.scene, 1250 * MS, 1000 * MS), 2);
    assert_false(pipeline_device_tracked(s.scene.pipeline, s.devices[0]));
    assert_false(pipeline_device_tracked(s.scene.pipeline, s.devices[1]));
    assert_int_equal(scene_check_silence(&s.scene, 1300 * MS, 1050 * MS), 0);
    assert_int_equal(send_both(&s, 1300 * MS, 1300 * MS, one), 0);
    assert_true(pipeline_device_tracked(s.scene.pipeline, s.devices[0]));
    scene_close(&s.scene);
}

static void on_frame(void *context, const pose_frame *frame)
{
    (void)frame;
    ((heard *)context)->frames++;
}

static void openxr_of(openxr_source *s, int64_t ahead_ns)
{
    xr_message message = {.kind = XR_MESSAGE_ENTRY};

    message.as.entry = (ring_entry){.kind = RING_FRAME, .time_ns = source_now_ns() + ahead_ns};
    source_on_message(s, &message);
}

/* After it everything would be late, until that time has come. */
static void a_time_far_ahead_of_a_runtimes_is_left_out(void **state)
{
    heard h = {{0}, 0, 0};
    openxr_source *s = calloc(1, sizeof *s);

    (void)state;
    assert_non_null(s);
    s->listener = (pose_listener){.context = &h, .frame = on_frame};
    s->log = (logger){.context = &h, .write = on_line};
    s->settings.lookahead_ns = 200 * MS;
    openxr_of(s, 0);
    openxr_of(s, 200 * MS);
    assert_int_equal(h.frames, 2);
    openxr_of(s, INT64_C(3600000) * MS);
    openxr_of(s, INT64_C(3600000) * MS);
    assert_int_equal(h.frames, 2);
    assert_int_equal(s->dropped_before, 2);
    assert_int_equal(h.lines, 1);
    assert_non_null(strstr(h.text, "in the future"));
    openxr_of(s, 0);
    assert_int_equal(h.frames, 3);
    free(s);
}

static void silence_is_told_once(void **state)
{
    pose_arrivals arrivals = {0};

    (void)state;
    assert_false(pose_falls_silent(&arrivals, INT64_MAX));
    pose_arrive(&arrivals, 5 * MS, 7 * MS);
    assert_false(pose_falls_silent(&arrivals, 7 * MS - 1));
    assert_true(pose_falls_silent(&arrivals, 7 * MS));
    assert_false(pose_falls_silent(&arrivals, 8 * MS));
    assert_int_equal(pose_check_time(&arrivals, 5 * MS, 7 * MS), POSE_LATE); /* what it had is known all the same */
    assert_int_equal(pose_check_time(&arrivals, 6 * MS, 7 * MS), POSE_GOOD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sources_bad_pose_is_said_once),
        cmocka_unit_test(a_time_far_ahead_of_a_runtimes_is_left_out),
        cmocka_unit_test(silence_is_told_once),
        cmocka_unit_test(what_a_source_is_sent_is_judged),
        cmocka_unit_test(who_sends_too_often_is_said_once),
        cmocka_unit_test(bad_poses_do_not_fill_the_log),
        cmocka_unit_test(whom_nobody_sends_for_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What clients push, without a daemon: a pipeline with one blade of the configuration's, and everything the sinks are
 * told, in words. */
#ifndef CLASHD_TESTS_PUSH_BENCH_H
#define CLASHD_TESTS_PUSH_BENCH_H

#include "scene/push.h"
#include "scene/scene.h"
#include "support/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define EPOCH_NS INT64_C(5000000000)
#define TIMEOUT_NS (250 * MS)

/* What the sinks and the pipeline were told, in order, as words: "+npc", "-npc", "-device", "frame 2@10 cut" (poses, ms, a teleport),
 * "clash", "release removed", "tracking npc/hand lost". */
typedef struct bench {
    pipeline *pipeline;
    scene scene;
    push *push;
    event_sink sinks;
    char told[4096];
} bench;

static const int alice = 1, bob = 2;

__attribute__((format(printf, 2, 3))) static inline void tell(bench *b, const char *format, ...)
{
    size_t length = strlen(b->told);
    va_list arguments;

    assert_true(length + 200 < sizeof b->told);
    if (length > 0)
        length += (size_t)snprintf(b->told + length, sizeof b->told - length, ", ");
    va_start(arguments, format);
    vsnprintf(b->told + length, sizeof b->told - length, format, arguments);
    va_end(arguments);
}

static inline void on_event(void *context, const clash_event *event)
{
    static const char *const reasons[] = {
        [CLASH_RELEASE_APART] = "apart", [CLASH_RELEASE_TRACK_CUT] = "track_cut", [CLASH_RELEASE_REMOVED] = "removed"};

    if (event->kind == CLASH_EVENT_CLASH)
        tell(context, "clash %s %s", event->blades[0], event->blades[1]);
    else if (event->kind == CLASH_EVENT_RELEASE)
        tell(context, "release %s", reasons[event->as.release.reason]);
    else if (event->kind == CLASH_EVENT_TRACKING)
        tell(context, "tracking %s %s", event->as.tracking.device, event->as.tracking.tracked ? "found" : "lost");
    else if (event->kind == CLASH_EVENT_SPACE_CHANGED)
        tell(context, "space of %d@%lld", (int)event->as.space_changed.source,
             (long long)((event->time_ns - EPOCH_NS) / MS));
}

static inline void on_frame(void *context, const pose_frame *frame)
{
    bool is_cut = false;

    for (uint32_t i = 0; i < frame->count; i++)
        is_cut |= (frame->samples[i].flags & (POSE_TELEPORT | POSE_OTHER_FEED)) == POSE_TELEPORT;
    tell(context, "frame %u@%lld%s%s", frame->count, (long long)((frame->time_ns - EPOCH_NS) / MS),
         frame->more ? "+" : "", is_cut ? " cut" : "");
}

static inline void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    assert_true(time_ns >= EPOCH_NS);
    tell(context, "+%s", blade->name);
}

static inline void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    assert_true(time_ns >= EPOCH_NS && (blade == NULL) != (device == NULL));
    tell(context, "-%s", blade ? blade : device);
}

static inline void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    assert_true(time_ns >= EPOCH_NS);
    tell(context, "+%s", target->name);
}

static inline void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    assert_true(time_ns >= EPOCH_NS);
    tell(context, "-%s", target);
}

static inline void on_log(void *context, log_level level, const char *message)
{
    tell(context, "%s %s", level == LOG_LEVEL_WARNING ? "warning" : "log", message);
}

static inline int set_up(void **state)
{
    const pipeline_settings settings = {
        .release_margin = 0.005f, .full_intensity_speed = 10.0f, .max_gap_ns = 100 * MS, .require_tracked = true};
    const clash_blade left = {
        .name = "left", .device = "tracker", .properties.shape = {.tip = {0, 0, -1}, .radius = 0.02f}};
    bench *b = calloc(1, sizeof *b);
    protocol_error error;

    assert_non_null(b);
    b->sinks = (event_sink){.context = b,
                            .event = on_event,
                            .frame = on_frame,
                            .blade = on_blade,
                            .removed = on_removed,
                            .target = on_target,
                            .target_removed = on_target_removed};
    assert_int_equal(scene_open(&b->scene, &settings, &b->sinks, (logger){b, on_log, NULL}), 0);
    b->pipeline = b->scene.pipeline;
    assert_int_equal(scene_define_blade(&b->scene, scene_settings, EPOCH_NS, &left, &error), 0);
    b->told[0] = '\0';
    b->push = push_create(&(push_settings){.scene = &b->scene, .epoch_ns = EPOCH_NS, .timeout_ns = TIMEOUT_NS});
    assert_non_null(b->push);
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    bench *b = *state;

    push_destroy(b->push);
    scene_close(&b->scene);
    free(b);
    return 0;
}

static inline protocol_request blade(const char *name, const char *device)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_BLADE};

    snprintf(r.blade.name, sizeof r.blade.name, "%s", name);
    snprintf(r.blade.device, sizeof r.blade.device, "%s", device);
    r.blade.properties.shape = (clash_capsule){.base = {-1, 0, 0}, .tip = {1, 0, 0}, .radius = 0.02f};
    return r;
}

static inline protocol_request removal(const char *name)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_REMOVE};

    snprintf(r.blade.name, sizeof r.blade.name, "%s", name);
    return r;
}

static inline void add_pose(protocol_request *r, const char *device, float y)
{
    protocol_own_pose *pose = &r->poses.poses[r->poses.count++];

    r->type = PROTOCOL_REQUEST_POSES;
    *pose = (protocol_own_pose){.pose = {{0, 0, 0, 1}, {0, y, 0}}, .tracked = true, .valid = true};
    snprintf(pose->device, sizeof pose->device, "%s", device);
}

static inline protocol_request poses(const char *device, float y)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES};

    add_pose(&r, device, y);
    return r;
}

static inline protocol_request timed(protocol_request r, int64_t time_ns)
{
    r.poses.has_time = true;
    r.poses.time_ns = time_ns;
    return r;
}

static inline void taken(bench *b, const int *client, protocol_request r, int64_t now_ns)
{
    protocol_error error = {0};

    if (push_request(b->push, client, &r, now_ns, &error) != 0)
        fail_msg("refused: %s", error.message);
}

/* Check that a request is refused with a message that contains `says`, and that the sinks were told nothing. */
static inline void refused(bench *b, const int *client, protocol_request r, int64_t now_ns, protocol_error_code code,
                           const char *says)
{
    protocol_error error = {0};
    char before[sizeof b->told];

    memcpy(before, b->told, sizeof before);
    assert_int_equal(push_request(b->push, client, &r, now_ns, &error), -1);
    assert_int_equal(error.code, code);
    if (!strstr(error.message, says))
        fail_msg("expected \"%s\" in: %s", says, error.message);
    assert_string_equal(b->told, before);
}

static inline void told(bench *b, const char *expected)
{
    assert_string_equal(b->told, expected);
    b->told[0] = '\0';
}

static inline uint64_t counter(const bench *b, const char *name)
{
    counter_list list = {.count = 0};

    push_list_counters(b->push, &list);
    return counter_named(&list, name);
}

#endif

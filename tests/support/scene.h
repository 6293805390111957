/* A pipeline with two devices and a log of its events, for tests that push poses by hand. Device 0 is "a", 1 is "b". */
#ifndef CLASHD_TESTS_SCENE_H
#define CLASHD_TESTS_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/pipeline.h"

#define SCENE_EVENTS_MAX 4096
#define SCENE_MS INT64_C(1000000)
#define SCENE_GOOD (POSE_VALID | POSE_TRACKED)

/** An event with copies of its strings; the pointers in `event` are no longer valid. */
typedef struct scene_event {
    clash_event event;
    char blades[2][PIPELINE_BLADE_NAME_MAX];
    char parts[2][CLASH_PART_NAME_MAX]; /* "" if there is none */
    char device[POSE_DEVICE_NAME_MAX];
} scene_event;

typedef struct scene {
    pipeline *pipeline;
    size_t count;
    scene_event events[SCENE_EVENTS_MAX];
} scene;

/** Fills an event of a log. */
static inline void scene_copy_event(scene_event *e, const clash_event *event)
{
    bool has_parts = event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD;

    memset(e, 0, sizeof *e);
    e->event = *event;
    if (event->kind == CLASH_EVENT_TRACKING)
        snprintf(e->device, sizeof e->device, "%s", event->as.tracking.device);
    for (int i = 0; i < 2; i++) {
        if (event->blades[i])
            snprintf(e->blades[i], sizeof e->blades[i], "%s", event->blades[i]);
        if (has_parts && event->as.clash.parts[i])
            snprintf(e->parts[i], sizeof e->parts[i], "%s", event->as.clash.parts[i]);
    }
}

static inline void scene_on_event(void *context, const clash_event *event)
{
    scene *s = context;
    scene_event *e = &s->events[s->count];

    assert_true(s->count < SCENE_EVENTS_MAX);
    s->count++;
    scene_copy_event(e, event);
}

/** For pipelines whose events nobody looks at. */
static inline void scene_ignore_event(void *context, const clash_event *event)
{
    (void)context;
    (void)event;
}

/** Whether scenes sweep every pair or, like clashd, only those whose boxes meet. */
static bool scene_every_pair;

/** Run a group of tests both ways, the second one if the first passes. */
#define SCENE_RUN(tests)                                                                          \
    ((scene_every_pair = true, cmocka_run_group_tests_name("every pair", (tests), NULL, NULL)) || \
     (scene_every_pair = false, cmocka_run_group_tests_name("pairs whose boxes meet", (tests), NULL, NULL)))

static inline pipeline_settings scene_settings(void)
{
    return (pipeline_settings){.every_pair = scene_every_pair,
                               .release_margin = 0.00390625f,
                               .full_intensity_speed = 10.0f,
                               .max_gap_ns = 100 * SCENE_MS,
                               .require_tracked = true};
}

/** On the heap, since the log is long; scene_finish frees it. */
static inline scene *scene_create(const pipeline_settings *settings)
{
    scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->pipeline = pipeline_create(settings, scene_on_event, s);
    assert_non_null(s->pipeline);
    assert_int_equal(pipeline_device(s->pipeline, "a"), 0);
    assert_int_equal(pipeline_device(s->pipeline, "b"), 1);
    return s;
}

static inline void scene_destroy(scene *s)
{
    pipeline_destroy(s->pipeline);
    free(s);
}

static inline pipeline_blade scene_blade(const char *name, uint32_t device, clash_capsule shape)
{
    pipeline_blade blade = {.device = device, .properties.shape = shape};

    snprintf(blade.name, sizeof blade.name, "%s", name);
    return blade;
}

/** Add "blade I" on a device of its own, "npc/I". Return what is wrong with it; NULL if nothing. */
static inline const char *scene_add_npc(pipeline *p, uint32_t i, clash_capsule shape)
{
    pipeline_blade blade = scene_blade("", 0, shape);
    char name[32];

    snprintf(name, sizeof name, "npc/%u", i);
    snprintf(blade.name, sizeof blade.name, "blade %u", i);
    blade.device = pipeline_device(p, name);
    return blade.device == UINT32_MAX ? "no device" : pipeline_add_blade(p, &blade);
}

static inline clash_pose scene_at(double x, double y, double z)
{
    return (clash_pose){{0.0f, 0.0f, 0.0f, 1.0f}, {(float)x, (float)y, (float)z}};
}

static inline pose_frame scene_frame(int64_t time_ns)
{
    return (pose_frame){.time_ns = time_ns};
}

static inline void scene_frame_add(pose_frame *frame, uint32_t device, uint32_t flags, clash_pose pose)
{
    frame->samples[frame->count++] = (pose_sample){device, flags, pose};
}

/** A frame of one sample. */
static inline void scene_push(scene *s, int64_t time_ns, uint32_t device, uint32_t flags, clash_pose pose)
{
    pose_frame frame = scene_frame(time_ns);

    scene_frame_add(&frame, device, flags, pose);
    pipeline_frame(s->pipeline, &frame);
}

/** A frame of both devices. */
static inline void scene_push_both(scene *s, int64_t time_ns, clash_pose a, clash_pose b)
{
    pose_frame frame = scene_frame(time_ns);

    scene_frame_add(&frame, 0, SCENE_GOOD, a);
    scene_frame_add(&frame, 1, SCENE_GOOD, b);
    pipeline_frame(s->pipeline, &frame);
}

static inline const pipeline_counters *scene_counters(const scene *s)
{
    return pipeline_get_counters(s->pipeline);
}

/** Check that so many intervals of pairs were swept; fewer if boxes decide. */
static inline void scene_assert_sweeps(const scene *s, uint64_t expected)
{
    if (scene_every_pair)
        assert_int_equal(scene_counters(s)->sweeps, expected);
    else
        assert_in_range(scene_counters(s)->sweeps, 0, expected);
}

static inline size_t scene_count(const scene *s, clash_event_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        count += s->events[i].event.kind == kind;
    return count;
}

/** Return the index-th event of a kind; fail the test if there are fewer. */
static inline const clash_event *scene_find(const scene *s, clash_event_kind kind, size_t index)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].event.kind == kind && index-- == 0)
            return &s->events[i].event;
    fail_msg("no such event: kind %d", (int)kind);
    return NULL;
}

/** Compare bits, not values: 0 and -0 differ, a NaN equals itself. */
static inline bool scene_bits_same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

#define SCENE_SAME(a, b, field) scene_bits_same(&(a)->field, &(b)->field, sizeof(a)->field)

static inline bool scene_contact_same(const clash_contact *a, const clash_contact *b)
{
    return SCENE_SAME(a, b, fraction) && SCENE_SAME(a, b, distance) && SCENE_SAME(a, b, midpoint) &&
           SCENE_SAME(a, b, points) && SCENE_SAME(a, b, normal) && SCENE_SAME(a, b, along);
}

#define SCENE_AND_SAME(type, member, none) &&memcmp(&a->member, &b->member, sizeof a->member) == 0

static inline bool scene_clash_same(const clash_event_clash *a, const clash_event_clash *b)
{
    return scene_contact_same(&a->contact, &b->contact) && SCENE_SAME(a, b, velocities) &&
           SCENE_SAME(a, b, closing_speed) && SCENE_SAME(a, b, slide_speed) && SCENE_SAME(a, b, crossing_angle) &&
           SCENE_SAME(a, b, edge_alignment) && SCENE_SAME(a, b, intensity) && a->tracked == b->tracked &&
           a->since_release_ns == b->since_release_ns && a->has_since_release == b->has_since_release &&
           a->resumed == b->resumed && a->has_edge[0] == b->has_edge[0] &&
           a->has_edge[1] == b->has_edge[1] CLASH_EVENT_FIELDS(SCENE_AND_SAME);
}

/** Compare bit for bit, except `seq`: tracking events may come at other places. */
static inline bool scene_event_same(const scene_event *a, const scene_event *b)
{
    const clash_event *x = &a->event, *y = &b->event;

    if (x->kind != y->kind || x->time_ns != y->time_ns || x->id != y->id || x->duration_ns != y->duration_ns ||
        !SCENE_SAME(x, y, start_closing_speed) || memcmp(a->blades, b->blades, sizeof a->blades) != 0 ||
        memcmp(a->parts, b->parts, sizeof a->parts) != 0 || strcmp(a->device, b->device) != 0)
        return false;
    switch (x->kind) {
    case CLASH_EVENT_CLASH:
    case CLASH_EVENT_HOLD:
        return scene_clash_same(&x->as.clash, &y->as.clash);
    case CLASH_EVENT_RELEASE:
        return SCENE_SAME(x, y, as.release.min_distance) && SCENE_SAME(x, y, as.release.peak_closing_speed) &&
               x->as.release.reason == y->as.release.reason;
    case CLASH_EVENT_TRACKING:
        return x->as.tracking.tracked == y->as.tracking.tracked && x->as.tracking.reason == y->as.tracking.reason;
    case CLASH_EVENT_SPACE_CHANGED:
        return true;
    }
    return false;
}

#endif

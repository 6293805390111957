/* Many devices in a pipeline and, beside it, in the simplest equivalent: a table of all pairs, each walked in every
 * step. Each call goes to both, and every event must come from both, bit for bit and in order. The table shares tracks,
 * the walk and contacts with the pipeline; other tests check those. */
#ifndef CLASHD_TESTS_CROWD_H
#define CLASHD_TESTS_CROWD_H

#include "pipeline/devices.h"
#include "pipeline/pairs.h"
#include "support/scene.h"

#define CROWD_BLADES 240

/** An event and its numbers. */
typedef struct crowd_log {
    scene_event *events;
    size_t count, capacity;
} crowd_log;

typedef struct crowd_pair {
    uint32_t blades[2]; /* numbers */
    pair pair;
} crowd_pair;

typedef struct table {
    pipeline_settings settings;
    pipeline_counters counters;
    contacts_output output;
    release_times release_times;
    devices devices;
    pipeline_blade blades[CROWD_BLADES]; /* in order of adding */
    uint32_t blade_count;
    crowd_pair pairs[CROWD_BLADES * CROWD_BLADES / 2]; /* in order */
    size_t pair_count;
    bool is_in_step;
    int64_t step_ns;
} table;

typedef struct crowd {
    pipeline *pipeline;
    table table;
    crowd_log said, expected; /* by the pipeline, by the table */
} crowd;

static inline void crowd_on_event(void *context, const clash_event *event)
{
    crowd_log *log = context;
    scene_event *e;

    if (log->count == log->capacity) {
        log->capacity = log->capacity ? 2 * log->capacity : 64;
        log->events = realloc(log->events, log->capacity * sizeof *log->events);
        assert_non_null(log->events);
    }
    e = &log->events[log->count++];
    scene_copy_event(e, event);
}

static inline crowd *crowd_create(pipeline_settings settings)
{
    crowd *c = calloc(1, sizeof *c);
    table *t;

    assert_non_null(c);
    c->pipeline = pipeline_create(&settings, crowd_on_event, &c->said);
    assert_non_null(c->pipeline);
    t = &c->table;
    t->settings = settings;
    t->output = (contacts_output){.settings = &t->settings,
                                  .hold_period_ns = contacts_hold_period(settings.hold_rate_hz),
                                  .deliver = crowd_on_event,
                                  .context = &c->expected,
                                  .counters = &t->counters,
                                  .release_times = &t->release_times};
    release_times_init(&t->release_times);
    devices_init(&t->devices);
    return c;
}

static inline void crowd_destroy(crowd *c)
{
    pipeline_destroy(c->pipeline);
    contacts_finish(&c->table.output);
    devices_finish(&c->table.devices);
    release_times_finish(&c->table.release_times);
    free(c->said.events);
    free(c->expected.events);
    free(c);
}

/* ---- the table ---- */

static inline void table_report_device(table *t, uint32_t device, bool tracked, int64_t time_ns)
{
    device_slot *d = devices_get(&t->devices, device);
    clash_event event = {.kind = CLASH_EVENT_TRACKING, .time_ns = time_ns};

    if (!d || !d->touched || d->tracked != tracked || d->reported_tracked == tracked)
        return;
    d->reported_tracked = tracked;
    event.as.tracking = (clash_event_tracking){.device = d->name, .tracked = tracked, .reason = d->reason};
    contacts_deliver(&t->output, &event, !tracked);
}

/* First those with blades in the order of the blades, then the others. */
static inline void table_report(table *t, bool tracked, int64_t time_ns)
{
    for (uint32_t i = 0; i < t->blade_count; i++)
        table_report_device(t, t->blades[i].device, tracked, time_ns);
    for (uint32_t i = 0; i < t->devices.count; i++)
        table_report_device(t, i, tracked, time_ns);
}

static inline pair_view table_view(table *t, const crowd_pair *p)
{
    const pipeline_blade *a = &t->blades[p->blades[0]], *b = &t->blades[p->blades[1]];

    return (pair_view){.tracks = {&t->devices.all[a->device]->track, &t->devices.all[b->device]->track},
                       .who.blades = {a, b},
                       .output = &t->output};
}

static inline void table_end_step(table *t, int64_t time_ns)
{
    t->is_in_step = false;
    table_report(t, true, time_ns);
    for (size_t i = 0; i < t->pair_count; i++) {
        pair_view view = table_view(t, &t->pairs[i]);

        pair_advance(&t->pairs[i].pair, &view);
    }
    table_report(t, false, time_ns);
    devices_end_step(&t->devices);
    contacts_flush(&t->output);
}

static inline void table_end_open_step(table *t)
{
    if (t->is_in_step)
        table_end_step(t, t->step_ns);
}

static inline void table_frame(table *t, const pose_frame *frame)
{
    if (frame->time_ns != t->step_ns)
        table_end_open_step(t);
    t->is_in_step = true;
    t->step_ns = frame->time_ns;
    for (uint32_t i = 0; i < frame->count; i++)
        devices_push(&t->devices, &t->settings, frame->time_ns, &frame->samples[i], &t->counters);
    if (!frame->more)
        table_end_step(t, frame->time_ns);
}

static inline void table_add_blade(table *t, const pipeline_blade *blade)
{
    table_end_open_step(t);
    t->blades[t->blade_count] = *blade;
    for (uint32_t i = 0; i < t->blade_count; i++) {
        crowd_pair *p = &t->pairs[t->pair_count];
        int64_t done_ns = INT64_MAX;

        if (t->blades[i].device == blade->device)
            continue;
        *p = (crowd_pair){.blades = {i, t->blade_count}};
        for (int side = 0; side < 2; side++) {
            const track *of = table_view(t, p).tracks[side];
            int64_t last_ns = track_is_empty(of) ? INT64_MIN : track_last(of)->time_ns;

            p->pair.cursors[side] = track_first(of);
            done_ns = last_ns < done_ns ? last_ns : done_ns;
        }
        p->pair.done_ns = done_ns;
        t->pair_count++;
    }
    t->blade_count++;
}

/** Release and forget the pairs of one blade. */
static inline void table_release(table *t, uint32_t blade)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->pair_count; i++) {
        crowd_pair *p = &t->pairs[i];
        pair_view view = table_view(t, p);

        if (p->blades[0] == blade || p->blades[1] == blade)
            pair_abandon(&p->pair, &view, CLASH_RELEASE_REMOVED);
        else
            t->pairs[kept++] = *p;
    }
    t->pair_count = kept;
    contacts_flush(&t->output);
}

static inline void table_remove_blade(table *t, uint32_t blade)
{
    table_end_open_step(t);
    table_release(t, blade);
    for (size_t i = 0; i < t->pair_count; i++)
        for (int side = 0; side < 2; side++)
            t->pairs[i].blades[side] -= t->pairs[i].blades[side] > blade;
    t->blade_count--;
    memmove(&t->blades[blade], &t->blades[blade + 1], (t->blade_count - blade) * sizeof *t->blades);
}

/* ---- both ---- */

static inline uint32_t crowd_add_device(crowd *c, const char *name)
{
    uint32_t id = pipeline_device(c->pipeline, name);

    assert_int_equal(devices_add(&c->table.devices, name), id);
    return id;
}

/** The device must have no blades. */
static inline void crowd_remove_device(crowd *c, uint32_t id)
{
    assert_int_equal(pipeline_remove_device(c->pipeline, id), 0);
    table_end_open_step(&c->table);
    devices_remove(&c->table.devices, id);
}

static inline void crowd_frame(crowd *c, const pose_frame *frame)
{
    pipeline_frame(c->pipeline, frame);
    table_frame(&c->table, frame);
}

static inline void crowd_lose(crowd *c, uint32_t id, int64_t time_ns)
{
    table *t = &c->table;
    device_slot *d = t->devices.all[id];

    pipeline_lost(c->pipeline, id, time_ns, CLASH_TRACKING_LOST);
    table_end_open_step(t);
    devices_touch(&t->devices, id);
    track_cut(&d->track, &t->counters);
    d->tracked = false;
    d->reason = CLASH_TRACKING_LOST;
    table_end_step(t, time_ns);
}

static inline void crowd_change_space(crowd *c, int64_t time_ns)
{
    table *t = &c->table;

    pipeline_space_changed(c->pipeline, time_ns);
    table_end_open_step(t);
    for (uint32_t i = 0; i < t->devices.count; i++)
        track_cut(&t->devices.all[i]->track, &t->counters);
    table_end_step(t, time_ns);
    contacts_deliver(&t->output, &(clash_event){.kind = CLASH_EVENT_SPACE_CHANGED, .time_ns = time_ns}, true);
    contacts_flush(&t->output);
}

static inline void crowd_add_blade(crowd *c, const pipeline_blade *blade)
{
    assert_true(c->table.blade_count < CROWD_BLADES);
    assert_null(pipeline_add_blade(c->pipeline, blade));
    table_add_blade(&c->table, blade);
}

/** The index-th in order of adding. */
static inline void crowd_remove_blade(crowd *c, uint32_t index)
{
    assert_string_equal(pipeline_blade_at(c->pipeline, index)->name, c->table.blades[index].name);
    assert_int_equal(pipeline_remove_blade(c->pipeline, c->table.blades[index].name), 0);
    table_remove_blade(&c->table, index);
}

#endif

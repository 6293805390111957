/* The one step: samples enter their tracks, devices that are tracked again say so, pairs are swept, devices that are no
 * longer tracked say so. In this order whatever the order of the samples in a frame, so that a release comes before
 * the loss that caused it and no clash comes before its device is back. */
#include <assert.h>
#include <stdlib.h>

#include "pipeline/pipeline_private.h"

pipeline *pipeline_create(const pipeline_settings *settings, pipeline_event_function on_event, void *context)
{
    pipeline *p;

    assert(on_event && settings->full_intensity_speed > 0.0f);
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    if (!candidates_init(&p->candidates)) {
        free(p);
        return NULL;
    }
    p->settings = *settings;
    p->output = (contacts_output){.settings = &p->settings,
                                  .hold_period_ns = contacts_hold_period(settings->hold_rate_hz),
                                  .deliver = on_event,
                                  .context = context,
                                  .counters = &p->counters,
                                  .partings = &p->partings};
    devices_init(&p->devices);
    blades_init(&p->blades);
    reaches_init(&p->reaches, settings);
    records_init(&p->records);
    partings_init(&p->partings);
    return p;
}

void pipeline_destroy(pipeline *p)
{
    if (!p)
        return;
    candidates_finish(&p->candidates);
    partings_finish(&p->partings);
    records_finish(&p->records);
    reaches_finish(&p->reaches);
    blades_finish(&p->blades);
    devices_finish(&p->devices);
    free(p);
}

void pipeline_set_peak_function(pipeline *p, pipeline_event_function on_peak, void *context)
{
    p->output.peak = on_peak;
    p->output.peak_context = context;
}

void pipeline_set_stage_function(pipeline *p, void (*done)(void *context, pipeline_stage stage), void *context)
{
    p->stage = done;
    p->stage_context = context;
}

static void pipeline_stage_done(const pipeline *p, pipeline_stage stage)
{
    if (p->stage)
        p->stage(p->stage_context, stage);
}

/* As the tracking events tell it; a device that has yet to be seen is not lost. */
static void device_note_lost(device_slot *d, int64_t time_ns)
{
    if (!d->told_tracked) {
        d->lost_since_ns = time_ns;
        return;
    }
    if (d->lost_since_ns != INT64_MIN && time_ns > d->lost_since_ns)
        d->lost_ns += time_ns - d->lost_since_ns;
    d->lost_since_ns = INT64_MIN;
}

static bool pipeline_has_to_tell(const pipeline *p, bool tracked)
{
    for (uint32_t i = 0; i < p->devices.touched_count; i++) {
        const device_slot *d = p->devices.all[p->devices.touched[i]];

        if (d->tracked == tracked && d->told_tracked != tracked)
            return true;
    }
    return false;
}

static void pipeline_tell_device(pipeline *p, device_slot *d, bool tracked, int64_t time_ns)
{
    clash_event event = {.kind = CLASH_EVENT_TRACKING, .time_ns = time_ns};

    if (!d->touched || d->tracked != tracked || d->told_tracked == tracked)
        return;
    d->told_tracked = tracked;
    device_note_lost(d, time_ns);
    event.as.tracking = (clash_event_tracking){.device = d->name, .tracked = tracked, .reason = d->reason};
    contacts_deliver(&p->output, &event);
}

/* Tells of devices whose state is `tracked` and was told to be otherwise. What came and went within one step is not
 * told. In the order in which what is on them was defined, which a recording knows, ids being given anew; then the others. */
static void pipeline_tell_tracking(pipeline *p, bool tracked, int64_t time_ns)
{
    blades_walk walk = {0};
    uint32_t slot;

    if (!pipeline_has_to_tell(p, tracked))
        return;
    while ((slot = blades_walk_on(&p->blades, &walk)) != LOOKUP_NONE)
        if (p->blades.slots[slot].is.device != BLADES_STILL)
            pipeline_tell_device(p, p->devices.all[p->blades.slots[slot].is.device], tracked, time_ns);
    devices_order_touched(&p->devices);
    for (uint32_t i = 0; i < p->devices.touched_count; i++)
        pipeline_tell_device(p, p->devices.all[p->devices.touched[i]], tracked, time_ns);
}

static void pipeline_update_reaches(pipeline *p)
{
    for (uint32_t i = 0; i < p->devices.touched_count; i++) {
        device_slot *d = p->devices.all[p->devices.touched[i]];

        d->moved = track_ends_in_motion(&d->track) && track_last(&d->track)->time_ns > d->before_ns;
        for (uint32_t slot = d->first_blade; slot != LOOKUP_NONE; slot = p->blades.slots[slot].next)
            reaches_update(&p->reaches, slot, &p->blades.slots[slot], d);
    }
}

/* NULL: a still target has none. */
static const device_slot *pipeline_device_of(const pipeline *p, uint32_t slot)
{
    uint32_t device = p->reaches.devices[slot];

    return device == BLADES_STILL ? NULL : p->devices.all[device];
}

static bool pipeline_is_touched(const pipeline *p, uint32_t slot)
{
    const device_slot *d = pipeline_device_of(p, slot);

    return d && d->touched;
}

/* Contacts go on, or end, whether or not their blades' boxes meet. */
static bool pipeline_add_kept(pipeline *p)
{
    for (uint32_t i = 0; i < p->records.count; i++) {
        const uint32_t *slots = p->records.all[i].blades;

        if ((pipeline_is_touched(p, slots[0]) || pipeline_is_touched(p, slots[1])) &&
            !candidates_add(&p->candidates, &p->blades, slots[0], slots[1]))
            return false;
    }
    return true;
}

static bool pipeline_find_candidates(pipeline *p)
{
    candidates_scene scene = {.devices = &p->devices,
                              .blades = &p->blades,
                              .reaches = &p->reaches,
                              .records = &p->records,
                              .margin = p->settings.margin,
                              .counters = &p->counters,
                              .stage = p->stage,
                              .stage_context = p->stage_context};

    candidates_begin(&p->candidates);
    return pipeline_add_kept(p) && candidates_find(&p->candidates, &scene);
}

pair_view pipeline_view(pipeline *p, const uint32_t slots[2])
{
    bool swapped = p->blades.slots[slots[0]].target != NULL;
    pair_view view = {.output = &p->output};

    for (int side = 0; side < 2; side++) {
        uint32_t slot = slots[swapped ? 1 - side : side];
        const device_slot *d = pipeline_device_of(p, slot);

        view.tracks[side] = d ? &d->track : NULL;
        view.who.blades[side] = &p->blades.slots[slot].is;
        view.who.target = p->blades.slots[slot].target;
    }
    return view;
}

static void pipeline_keep(pipeline *p, const uint32_t slots[2], pair *kept, const pair_view *view)
{
    if (!records_add(&p->records, slots, kept)) {
        p->counters.starved++;
        pair_abandon(kept, view, CLASH_RELEASE_TRACK_CUT);
        return;
    }
    p->blades.slots[slots[0]].contacts++;
    p->blades.slots[slots[1]].contacts++;
}

void pipeline_forget(pipeline *p, record *gone)
{
    p->blades.slots[gone->blades[0]].contacts--;
    p->blades.slots[gone->blades[1]].contacts--;
    records_remove(&p->records, gone);
}

static void pipeline_advance(pipeline *p, const uint32_t slots[2])
{
    pair_view view = pipeline_view(p, slots);
    record *kept = records_find(&p->records, slots);
    int64_t before_ns = INT64_MAX;
    pair begun;

    if (kept) {
        pair_advance(&kept->pair, &view);
        if (!pair_is_worth_keeping(&kept->pair, &view))
            pipeline_forget(p, kept);
        return;
    }
    for (int side = 0; side < 2; side++) {
        const device_slot *d = pipeline_device_of(p, slots[side]);

        if (d && device_before_ns(d) < before_ns)
            before_ns = device_before_ns(d);
    }
    pair_begin(&begun, &view, before_ns);
    pair_advance(&begun, &view);
    if (pair_is_worth_keeping(&begun, &view))
        pipeline_keep(p, slots, &begun, &view);
}

/* What follows from the changes to the touched devices' tracks. */
static void pipeline_end_step(pipeline *p, int64_t time_ns)
{
    p->is_in_step = false;
    pipeline_stage_done(p, PIPELINE_STAGE_SAMPLES);
    pipeline_tell_tracking(p, true, time_ns);
    pipeline_update_reaches(p);
    pipeline_stage_done(p, PIPELINE_STAGE_BOXES);
    if (!pipeline_find_candidates(p))
        p->counters.starved++;
    candidates_sort(&p->candidates);
    for (size_t i = 0; i < p->candidates.count; i++)
        pipeline_advance(p, p->candidates.found[i].blades);
    pipeline_tell_tracking(p, false, time_ns);
    reaches_end_step(&p->reaches);
    devices_end_step(&p->devices);
    pipeline_stage_done(p, PIPELINE_STAGE_SWEEPS);
}

void pipeline_end_open_step(pipeline *p)
{
    if (p->is_in_step)
        pipeline_end_step(p, p->step_ns);
}

void pipeline_frame(pipeline *p, const pose_frame *frame)
{
    assert(frame->count <= POSE_FRAME_SAMPLES_MAX);
    if (frame->time_ns != p->step_ns)
        pipeline_end_open_step(p);
    p->is_in_step = true;
    p->step_ns = frame->time_ns;
    for (uint32_t i = 0; i < frame->count; i++) {
        const pose_sample *sample = &frame->samples[i];

        if (devices_get(&p->devices, sample->device))
            devices_push(&p->devices, &p->settings, frame->time_ns, sample, &p->counters);
        else
            p->counters.refused_unknown++;
    }
    if (!frame->more)
        pipeline_end_step(p, frame->time_ns);
}

void pipeline_lost(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    device_slot *d = devices_get(&p->devices, device);

    pipeline_end_open_step(p);
    if (!d)
        return;
    devices_touch(&p->devices, device);
    track_cut(&d->track, &p->counters);
    d->tracked = false;
    d->reason = reason;
    pipeline_end_step(p, time_ns);
}

void pipeline_space_changed(pipeline *p, int64_t time_ns)
{
    clash_event event = {.kind = CLASH_EVENT_SPACE_CHANGED, .time_ns = time_ns};

    pipeline_end_open_step(p);
    for (uint32_t i = 0; i < p->devices.count; i++) {
        if (!p->devices.all[i])
            continue;
        devices_touch(&p->devices, i);
        track_cut(&p->devices.all[i]->track, &p->counters);
    }
    pipeline_end_step(p, time_ns);
    contacts_deliver(&p->output, &event);
}

const pipeline_counters *pipeline_get_counters(const pipeline *p)
{
    return &p->counters;
}

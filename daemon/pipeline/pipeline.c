/* One step: samples enter their tracks, devices tracked again are reported, pairs are swept, devices no longer tracked
 * are reported. Always in this order, whatever the order of samples in a frame, so that a release comes before the loss
 * that caused it and no clash comes before its device is back. This file begins a step; step.c ends it. */
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
                                  .release_times = &p->release_times};
    devices_init(&p->devices);
    blades_init(&p->blades);
    swept_aabbs_init(&p->swept_aabbs, settings);
    release_times_init(&p->release_times);
    if (active_pairs_init(&p->active_pairs))
        return p;
    pipeline_destroy(p);
    return NULL;
}

void pipeline_destroy(pipeline *p)
{
    if (!p)
        return;
    contacts_finish(&p->output);
    candidates_finish(&p->candidates);
    release_times_finish(&p->release_times);
    active_pairs_finish(&p->active_pairs);
    swept_aabbs_finish(&p->swept_aabbs);
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

void pipeline_set_pause_function(pipeline *p, bool (*pause)(void *context), void *context)
{
    p->pause = pause;
    p->pause_context = context;
}

void pipeline_frame(pipeline *p, const pose_frame *frame)
{
    assert(frame->count <= POSE_FRAME_SAMPLES_MAX);
    pipeline_finish(p);
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
    if (frame->more)
        return;
    devices_repeat(&p->devices, &p->settings, frame->time_ns, &p->counters);
    pipeline_end_step(p, frame->time_ns, false);
}

/* Cut the device's track, and end its tracking for that reason unless it is CLASH_TRACKING_OK. */
static void cut_device(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    device_slot *d = devices_get(&p->devices, device);

    pipeline_end_open_step(p);
    if (!d)
        return;
    devices_touch(&p->devices, device);
    track_cut(&d->track, &p->counters);
    if (reason != CLASH_TRACKING_OK) {
        devices_let_go(&p->devices, device);
        d->tracked = false;
        d->reason = reason;
    }
    pipeline_end_step(p, time_ns, false);
}

void pipeline_lost(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    cut_device(p, device, time_ns, reason);
}

void pipeline_cut(pipeline *p, uint32_t device, int64_t time_ns)
{
    cut_device(p, device, time_ns, CLASH_TRACKING_OK);
}

void pipeline_space_changed(pipeline *p, int64_t time_ns)
{
    pipeline_end_open_step(p);
    for (uint32_t i = 0; i < p->devices.count; i++) {
        if (!p->devices.all[i])
            continue;
        devices_touch(&p->devices, i);
        track_cut(&p->devices.all[i]->track, &p->counters);
    }
    pipeline_end_step(p, time_ns, true);
}

const pipeline_counters *pipeline_get_counters(const pipeline *p)
{
    return &p->counters;
}

void pipeline_list_counters(const pipeline *p, counter_list *out)
{
    const pipeline_counters *c = pipeline_get_counters(p);
    const counter_row all[] = {
        {"samples", "clashd_samples_total", "Samples that entered a track.", c->samples},
        {"refused_late", "clashd_samples_refused_total{reason=\"late\"}", "Samples that were refused, by reason.",
         c->refused_late},
        {"refused_not_finite", "clashd_samples_refused_total{reason=\"not_finite\"}",
         "Samples that were refused, by reason.", c->refused_not_finite},
        {"refused_too_far", "clashd_samples_refused_total{reason=\"too_far\"}", "Samples that were refused, by reason.",
         c->refused_too_far},
        {"refused_not_unit", "clashd_samples_refused_total{reason=\"not_unit\"}",
         "Samples that were refused, by reason.", c->refused_not_unit},
        {"refused_unknown", "clashd_samples_refused_total{reason=\"unknown_device\"}",
         "Samples that were refused, by reason.", c->refused_unknown},
        {"invalid", "clashd_samples_invalid_total", "Samples without a pose: each cut its track.", c->invalid},
        {"untracked", "clashd_samples_untracked_total", "Samples that were not measured but guessed or repeated.",
         c->untracked},
        {"replaced", "clashd_samples_replaced_total", "Samples that replaced one of the same time.", c->replaced},
        {"replaced_elsewhere", "clashd_samples_replaced_elsewhere_total",
         "Of those, samples at another pose: what is between the two is not swept.", c->replaced_elsewhere},
        {"cuts", "clashd_track_cuts_total", "Tracks that were cut, for whatever reason.", c->cuts},
        {"overruns", "clashd_pair_overruns_total", "Times that a pair skipped what had left the other one's ring.",
         c->overruns},
        {"sweeps", "clashd_sweeps_total", "Intervals of pairs of blades whose boxes met.", c->sweeps},
        {"proved", "clashd_sweeps_proved_total", "Of those, shown in a batch to be apart throughout.", c->proved},
        {"starved", "clashd_steps_starved_total", "Steps that lacked the memory to find or keep all contacts.",
         c->starved},
        {"contacts", "clashd_contacts_total", "Contacts that began, reported or not.", c->contacts},
        {"events", "clashd_events_total", "Events, whoever gets them.", c->events},
        {"definitions", "clashd_definitions_total", "Blades and targets that came, were replaced, or went.",
         c->definitions},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}

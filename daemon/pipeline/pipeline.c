/* The one step: samples enter their tracks, devices that are tracked again say so, pairs are swept, devices that are no
 * longer tracked say so. In this order whatever the order of the samples in a frame, so that a release comes before
 * the loss that caused it and no clash comes before its device is back. */
#include "pipeline/pipeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pairs.h"

typedef struct device_slot {
    char name[POSE_DEVICE_NAME_MAX];
    bool tracked;      /* the last sample was usable and none was reported lost since */
    bool told_tracked; /* what the last tracking event said */
    bool touched;      /* its track changed in this call */
    clash_tracking_reason reason;
    track track;
} device_slot;

struct pipeline {
    pipeline_settings settings;
    pipeline_counters counters;
    contacts_output output;
    uint32_t device_count;
    size_t blade_count, pair_count;
    device_slot *devices[PIPELINE_DEVICES_MAX];
    pipeline_blade blades[PIPELINE_BLADES_MAX];
    pair *pairs;
};

pipeline *pipeline_create(const pipeline_settings *settings, pipeline_event_function on_event, void *context)
{
    pipeline *p;

    assert(on_event && settings->full_intensity_speed > 0.0f);
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->settings = *settings;
    p->output = (contacts_output){.settings = &p->settings,
                                  .hold_period_ns = contacts_hold_period(settings->hold_rate_hz),
                                  .deliver = on_event,
                                  .context = context,
                                  .counters = &p->counters};
    return p;
}

void pipeline_destroy(pipeline *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->device_count; i++)
        free(p->devices[i]);
    free(p->pairs);
    free(p);
}

uint32_t pipeline_device(pipeline *p, const char *name)
{
    size_t length = strnlen(name, POSE_DEVICE_NAME_MAX);
    uint32_t free_id = p->device_count;
    device_slot *d;

    if (length == 0 || length == POSE_DEVICE_NAME_MAX)
        return UINT32_MAX;
    for (uint32_t i = 0; i < p->device_count; i++)
        if (!p->devices[i])
            free_id = i < free_id ? i : free_id;
        else if (strcmp(p->devices[i]->name, name) == 0)
            return i;
    if (free_id == PIPELINE_DEVICES_MAX)
        return UINT32_MAX;
    d = calloc(1, sizeof *d);
    if (!d)
        return UINT32_MAX;
    memcpy(d->name, name, length);
    p->devices[free_id] = d;
    p->device_count += free_id == p->device_count;
    return free_id;
}

static bool pipeline_has_device(const pipeline *p, uint32_t device)
{
    return device < p->device_count && p->devices[device];
}

const char *pipeline_device_name(const pipeline *p, uint32_t device)
{
    return pipeline_has_device(p, device) ? p->devices[device]->name : NULL;
}

uint32_t pipeline_device_count(const pipeline *p)
{
    return p->device_count;
}

bool pipeline_device_tracked(const pipeline *p, uint32_t device)
{
    return pipeline_has_device(p, device) && p->devices[device]->tracked;
}

/* Whether a blade can be added: a name of its own, and a device that exists. */
static bool blade_is_welcome(const pipeline *p, const pipeline_blade *blade)
{
    size_t length = strnlen(blade->name, PIPELINE_BLADE_NAME_MAX);

    if (length == 0 || length == PIPELINE_BLADE_NAME_MAX || !pipeline_has_device(p, blade->device) ||
        p->blade_count == PIPELINE_BLADES_MAX)
        return false;
    for (size_t i = 0; i < p->blade_count; i++)
        if (strcmp(p->blades[i].name, blade->name) == 0)
            return false;
    return true;
}

int pipeline_add_blade(pipeline *p, const pipeline_blade *blade)
{
    uint32_t added = (uint32_t)p->blade_count;
    pair *pairs;

    if (!blade_is_welcome(p, blade))
        return -1;
    pairs = realloc(p->pairs, (p->pair_count + p->blade_count + 1) * sizeof *pairs);
    if (!pairs)
        return -1;
    p->pairs = pairs;
    p->blades[p->blade_count++] = *blade;
    for (uint32_t i = 0; i < added; i++) {
        uint32_t blades[2] = {i, added}, devices[2] = {p->blades[i].device, blade->device};

        if (devices[0] != devices[1])
            pair_init(&p->pairs[p->pair_count++], blades, devices,
                      (const track *const[]){&p->devices[devices[0]]->track, &p->devices[devices[1]]->track});
    }
    return 0;
}

/* Its pairs go, those of the blades behind it get their new places. The order of what is left stays. */
static void pipeline_remove_pairs(pipeline *p, uint32_t blade)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->pair_count; i++) {
        pair *pr = &p->pairs[i];

        if (pr->blades[0] == blade || pr->blades[1] == blade) {
            pair_remove(pr, &(pair_view){.blades = {&p->blades[pr->blades[0]], &p->blades[pr->blades[1]]},
                                         .output = &p->output});
            continue;
        }
        p->pairs[kept++] = *pr;
    }
    p->pair_count = kept;
    for (size_t i = 0; i < kept; i++)
        for (int side = 0; side < 2; side++)
            p->pairs[i].blades[side] -= p->pairs[i].blades[side] > blade;
}

int pipeline_remove_blade(pipeline *p, const char *name)
{
    for (uint32_t i = 0; i < p->blade_count; i++) {
        if (strcmp(p->blades[i].name, name) != 0)
            continue;
        pipeline_remove_pairs(p, i);
        p->blade_count--;
        memmove(&p->blades[i], &p->blades[i + 1], (p->blade_count - i) * sizeof p->blades[0]);
        return 0;
    }
    return -1;
}

int pipeline_remove_device(pipeline *p, uint32_t device)
{
    if (!pipeline_has_device(p, device))
        return -1;
    for (size_t i = p->blade_count; i-- > 0;)
        if (p->blades[i].device == device)
            pipeline_remove_blade(p, p->blades[i].name);
    free(p->devices[device]);
    p->devices[device] = NULL;
    return 0;
}

size_t pipeline_blade_count(const pipeline *p)
{
    return p->blade_count;
}

const pipeline_blade *pipeline_blade_at(const pipeline *p, size_t index)
{
    return index < p->blade_count ? &p->blades[index] : NULL;
}

/* Tells of devices whose state is `tracked` and was told to be otherwise. What came and went within one call is not
 * told. */
static void pipeline_tell_tracking(pipeline *p, bool tracked, int64_t time_ns)
{
    for (uint32_t i = 0; i < p->device_count; i++) {
        device_slot *d = p->devices[i];
        clash_event event = {.kind = CLASH_EVENT_TRACKING, .time_ns = time_ns};

        if (!d || !d->touched || d->tracked != tracked || d->told_tracked == tracked)
            continue;
        d->told_tracked = tracked;
        event.as.tracking = (clash_event_tracking){.device = d->name, .tracked = tracked, .reason = d->reason};
        contacts_deliver(&p->output, &event);
    }
}

static void pipeline_advance_touched(pipeline *p)
{
    for (size_t i = 0; i < p->pair_count; i++) {
        pair *pr = &p->pairs[i];
        const device_slot *a = p->devices[pr->devices[0]], *b = p->devices[pr->devices[1]];

        if (a->touched || b->touched)
            pair_advance(pr, &(pair_view){.tracks = {&a->track, &b->track},
                                          .blades = {&p->blades[pr->blades[0]], &p->blades[pr->blades[1]]},
                                          .output = &p->output});
    }
}

/* What follows from the changes to the touched devices' tracks. */
static void pipeline_settle(pipeline *p, int64_t time_ns)
{
    pipeline_tell_tracking(p, true, time_ns);
    pipeline_advance_touched(p);
    pipeline_tell_tracking(p, false, time_ns);
    for (uint32_t i = 0; i < p->device_count; i++)
        if (p->devices[i])
            p->devices[i]->touched = false;
}

static void device_take(device_slot *d, pipeline *p, int64_t time_ns, const pose_sample *sample)
{
    track_result result = track_push(&d->track, &p->settings, time_ns, sample, &p->counters);

    if (result == TRACK_REFUSED)
        return;
    d->touched = true;
    d->tracked = result == TRACK_ENTERED;
    d->reason = result == TRACK_ENTERED     ? CLASH_TRACKING_OK
                : result == TRACK_UNTRACKED ? CLASH_TRACKING_UNTRACKED
                                            : CLASH_TRACKING_LOST;
}

void pipeline_frame(pipeline *p, const pose_frame *frame)
{
    assert(frame->count <= POSE_FRAME_SAMPLES_MAX);
    for (uint32_t i = 0; i < frame->count; i++) {
        const pose_sample *sample = &frame->samples[i];

        if (pipeline_has_device(p, sample->device))
            device_take(p->devices[sample->device], p, frame->time_ns, sample);
        else
            p->counters.refused_unknown++;
    }
    pipeline_settle(p, frame->time_ns);
}

void pipeline_lost(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    device_slot *d;

    if (!pipeline_has_device(p, device))
        return;
    d = p->devices[device];
    track_cut(&d->track, &p->counters);
    d->touched = true;
    d->tracked = false;
    d->reason = reason;
    pipeline_settle(p, time_ns);
}

void pipeline_space_changed(pipeline *p, int64_t time_ns)
{
    clash_event event = {.kind = CLASH_EVENT_SPACE_CHANGED, .time_ns = time_ns};

    for (uint32_t i = 0; i < p->device_count; i++) {
        if (!p->devices[i])
            continue;
        track_cut(&p->devices[i]->track, &p->counters);
        p->devices[i]->touched = true;
    }
    pipeline_settle(p, time_ns);
    contacts_deliver(&p->output, &event);
}

const pipeline_counters *pipeline_get_counters(const pipeline *p)
{
    return &p->counters;
}

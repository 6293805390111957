/* End a step: report devices tracked again, find and sweep the pairs that may touch, report devices no longer tracked.
 * May be taken in parts; see pipeline.h. Between two parts nothing that a step reads may change: whoever wants to
 * change it ends the step first. */
#include "pipeline/pipeline_private.h"

/* Pairs proved apart between two questions whether to pause; a multiple of eight, which are proved together. */
#define PROVED_AT_ONCE 64u
/* Events delivered between two such questions. */
#define DELIVERED_AT_ONCE 4u

static void pipeline_stage_done(const pipeline *p, pipeline_stage stage)
{
    if (p->stage)
        p->stage(p->stage_context, stage);
}

/* Count the time as tracking events tell it; a device that was never seen is not lost. */
static void device_note_lost(device_slot *d, int64_t time_ns)
{
    if (!d->reported_tracked) {
        d->lost_since_ns = time_ns;
        return;
    }
    if (d->lost_since_ns != INT64_MIN && time_ns > d->lost_since_ns)
        d->lost_ns += time_ns - d->lost_since_ns;
    d->lost_since_ns = INT64_MIN;
}

static bool pipeline_has_to_report(const pipeline *p, bool tracked)
{
    for (uint32_t i = 0; i < p->devices.touched_count; i++) {
        const device_slot *d = p->devices.all[p->devices.touched[i]];

        if (d->tracked == tracked && d->reported_tracked != tracked)
            return true;
    }
    return false;
}

static void pipeline_report_device(pipeline *p, device_slot *d, bool tracked, int64_t time_ns)
{
    clash_event event = {.kind = CLASH_EVENT_TRACKING, .time_ns = time_ns};

    if (!d->touched || d->tracked != tracked || d->reported_tracked == tracked)
        return;
    d->reported_tracked = tracked;
    device_note_lost(d, time_ns);
    event.as.tracking =
        (clash_event_tracking){.device = d->name, .tracked = tracked, .reason = d->reason, .source = d->source};
    contacts_deliver(&p->output, &event, !tracked);
}

/* Report devices whose state is `tracked` but was last reported otherwise; changes that cancel out within a step are
 * not. The order is that in which the things on them were defined, because a recording knows that while ids are reused;
 * then come the other devices. */
static void pipeline_report_tracking(pipeline *p, bool tracked, int64_t time_ns)
{
    blades_walk walk = {0};
    uint32_t slot;

    if (!pipeline_has_to_report(p, tracked))
        return;
    while ((slot = blades_next(&p->blades, &walk)) != LOOKUP_NONE)
        if (p->blades.slots[slot].is.device != BLADES_STATIC)
            pipeline_report_device(p, p->devices.all[p->blades.slots[slot].is.device], tracked, time_ns);
    devices_order_touched(&p->devices);
    for (uint32_t i = 0; i < p->devices.touched_count; i++)
        pipeline_report_device(p, p->devices.all[p->devices.touched[i]], tracked, time_ns);
}

static void pipeline_report_other_feeds(pipeline *p, int64_t time_ns)
{
    clash_event event = {.kind = CLASH_EVENT_SPACE_CHANGED, .time_ns = time_ns};

    for (uint32_t source = 0; p->devices.other_feeds >> source; source++)
        if (p->devices.other_feeds >> source & 1u) {
            event.as.space_changed.source = (clash_feed_source)source;
            contacts_deliver(&p->output, &event, true);
        }
}

static void pipeline_update_swept_aabbs(pipeline *p)
{
    for (uint32_t i = 0; i < p->devices.touched_count; i++) {
        device_slot *d = p->devices.all[p->devices.touched[i]];

        d->moved = track_ends_in_motion(&d->track) && track_last(&d->track)->time_ns > d->before_ns;
        for (uint32_t slot = d->first_blade; slot != LOOKUP_NONE; slot = p->blades.slots[slot].next)
            swept_aabbs_update(&p->swept_aabbs, slot, &p->blades.slots[slot], d);
    }
}

/* Return the slot's device; NULL for a static target. */
static const device_slot *pipeline_device_of(const pipeline *p, uint32_t slot)
{
    uint32_t device = p->swept_aabbs.devices[slot];

    return device == BLADES_STATIC ? NULL : p->devices.all[device];
}

static bool pipeline_is_touched(const pipeline *p, uint32_t slot)
{
    const device_slot *d = pipeline_device_of(p, slot);

    return d && d->touched;
}

/* Contacts continue, or end, whether or not their blades' boxes meet. */
static bool pipeline_add_kept(pipeline *p)
{
    for (uint32_t i = 0; i < p->active_pairs.count; i++) {
        const uint32_t *slots = p->active_pairs.all[i].blades;

        if ((pipeline_is_touched(p, slots[0]) || pipeline_is_touched(p, slots[1])) &&
            !candidates_add(&p->candidates, &p->blades, slots[0], slots[1]))
            return false;
    }
    return true;
}

static candidates_scene pipeline_candidates_scene(pipeline *p)
{
    return (candidates_scene){.devices = &p->devices,
                              .blades = &p->blades,
                              .swept_aabbs = &p->swept_aabbs,
                              .active_pairs = &p->active_pairs,
                              .margin = p->settings.margin,
                              .counters = &p->counters};
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

static void pipeline_keep(pipeline *p, const uint32_t slots[2], pair *active, const pair_view *view)
{
    if (!active_pairs_add(&p->active_pairs, slots, active)) {
        p->counters.starved++;
        pair_abandon(active, view, CLASH_RELEASE_TRACK_CUT);
        return;
    }
    p->blades.slots[slots[0]].contacts++;
    p->blades.slots[slots[1]].contacts++;
}

void pipeline_forget(pipeline *p, active_pair *gone)
{
    p->blades.slots[gone->blades[0]].contacts--;
    p->blades.slots[gone->blades[1]].contacts--;
    active_pairs_remove(&p->active_pairs, gone);
}

static void pipeline_advance(pipeline *p, const uint32_t slots[2])
{
    pair_view view = pipeline_view(p, slots);
    active_pair *active = active_pairs_find(&p->active_pairs, slots);
    int64_t before_ns = INT64_MAX;
    pair begun;

    if (active) {
        pair_advance(&active->pair, &view);
        if (!pair_is_worth_keeping(&active->pair, &view))
            pipeline_forget(p, active);
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

/* ---- the parts ---- */

static void step_sort(pipeline *p, bool is_whole_list)
{
    p->counters.starved += !is_whole_list;
    candidates_sort(&p->candidates);
    p->step = (pipeline_step){.part = STEP_SWEEPS, .time_ns = p->step.time_ns, .space_changed = p->step.space_changed};
}

/* Steps in which no blade moves have no pairs. */
static void step_find_pairs(pipeline *p)
{
    const candidates_scene scene = pipeline_candidates_scene(p);
    bool is_whole_list;

    candidates_begin(&p->candidates);
    is_whole_list = pipeline_add_kept(p);
    if (!is_whole_list || p->swept_aabbs.moved_count == 0) {
        step_sort(p, is_whole_list);
        return;
    }
    p->step.is_short = !candidates_find(&p->candidates, &scene);
    p->step.part = STEP_BATCH;
    pipeline_stage_done(p, PIPELINE_STAGE_PAIRS);
}

static void step_prove(pipeline *p)
{
    const candidates_scene scene = pipeline_candidates_scene(p);
    const size_t left = p->candidates.whole_count - p->step.next;
    const size_t count = left < PROVED_AT_ONCE ? left : PROVED_AT_ONCE;
    const bool can = candidates_prove(&p->candidates, &scene, p->step.next, count);

    p->step.next += count;
    if (can && p->step.next < p->candidates.whole_count)
        return;
    pipeline_stage_done(p, PIPELINE_STAGE_BATCH);
    step_sort(p, can && !p->step.is_short);
}

static void step_finish(pipeline *p)
{
    clash_event event = {.kind = CLASH_EVENT_SPACE_CHANGED, .time_ns = p->step.time_ns};
    const bool space_changed = p->step.space_changed;

    pipeline_report_tracking(p, false, p->step.time_ns);
    pipeline_report_other_feeds(p, p->step.time_ns);
    swept_aabbs_end_step(&p->swept_aabbs);
    devices_end_step(&p->devices);
    if (space_changed)
        contacts_deliver(&p->output, &event, true);
    contacts_order(&p->output);
    p->step = (pipeline_step){.part = STEP_EVENTS};
}

static void step_deliver(pipeline *p)
{
    if (contacts_deliver_some(&p->output, DELIVERED_AT_ONCE))
        return;
    p->step = (pipeline_step){.part = STEP_NONE};
    pipeline_stage_done(p, PIPELINE_STAGE_SWEEPS);
}

static void step_sweep(pipeline *p)
{
    if (p->step.next < p->candidates.count)
        pipeline_advance(p, p->candidates.found[p->step.next++].blades);
    if (p->step.next == p->candidates.count)
        step_finish(p);
}

static void step_go_on(pipeline *p)
{
    if (p->step.part == STEP_BATCH)
        step_prove(p);
    else if (p->step.part == STEP_SWEEPS)
        step_sweep(p);
    else
        step_deliver(p);
}

/* ---- what the pipeline's users see ---- */

bool pipeline_is_unfinished(const pipeline *p)
{
    return p->step.part != STEP_NONE;
}

bool pipeline_continue(pipeline *p)
{
    while (pipeline_is_unfinished(p)) {
        step_go_on(p);
        if (p->pause && pipeline_is_unfinished(p) && p->pause(p->pause_context))
            return true;
    }
    return false;
}

void pipeline_finish(pipeline *p)
{
    while (pipeline_is_unfinished(p))
        step_go_on(p);
}

/* Begin with what follows from the changes to the touched devices' tracks. */
static void step_begin(pipeline *p, int64_t time_ns, bool space_changed)
{
    p->is_in_step = false;
    p->step = (pipeline_step){.time_ns = time_ns, .space_changed = space_changed};
    pipeline_stage_done(p, PIPELINE_STAGE_SAMPLES);
    pipeline_report_tracking(p, true, time_ns);
    pipeline_update_swept_aabbs(p);
    pipeline_stage_done(p, PIPELINE_STAGE_BOXES);
    step_find_pairs(p);
}

void pipeline_end_step(pipeline *p, int64_t time_ns, bool space_changed)
{
    step_begin(p, time_ns, space_changed);
    if (!p->pause || !p->pause(p->pause_context))
        pipeline_continue(p);
}

void pipeline_end_open_step(pipeline *p)
{
    pipeline_finish(p);
    if (!p->is_in_step)
        return;
    devices_repeat(&p->devices, &p->settings, p->step_ns, &p->counters);
    step_begin(p, p->step_ns, false);
    pipeline_finish(p);
}

/* The devices; see devices.h. The size of each track's ring is decided here, where all tracks are known. A ring grows
 * while some device's last sample is older than what the ring would lose, but less if there are many devices, so that
 * an army waiting for one silent device does not use up the memory. */
#include "pipeline/devices.h"
#include "cli/array.h"
#include "ports/pose_rules.h"

#include <stdlib.h>
#include <string.h>

/* Samples in all rings together, roughly: 48 MiB. */
#define SAMPLES_MAX (1u << 20)
/* Each device may have this many, however many devices there are. */
#define SAMPLES_EACH 64u
/* Join the repeats of a held pose across gaps up to this, the largest max_gap_ms that clients and settings may ask for. */
#define HELD_GAP_MAX_NS INT64_C(10000000000)
/* Up to so many are sorted by insertion. */
#define TOUCHED_FEW 64u

static uint32_t hash_of_id(const void *owner, uint32_t id)
{
    const devices *d = owner;

    return lookup_hash_name(d->all[id]->name);
}

static bool id_has_name(const void *owner, uint32_t id, const void *name)
{
    const devices *d = owner;

    return strcmp(d->all[id]->name, name) == 0;
}

void devices_init(devices *d)
{
    *d = (devices){.names = {.hash = hash_of_id, .has_key = id_has_name, .owner = d}, .wanted_ns = INT64_MIN};
}

void devices_finish(devices *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->all[i])
            track_finish(&d->all[i]->track);
        free(d->all[i]);
    }
    free(d->all);
    free(d->free_ids);
    free(d->touched);
    free(d->holding);
    lookup_finish(&d->names);
}

/* Make room in the four arrays for one place per id, so that touching or removing a device never needs memory. */
static bool devices_reserve(devices *d)
{
    uint32_t capacity = d->capacity ? 2 * d->capacity : 16;

    if (d->free_count > 0 || d->count < d->capacity)
        return true;
    if (!array_resize(&d->all, capacity, sizeof(device_slot *)) ||
        !array_resize(&d->free_ids, capacity, sizeof *d->free_ids) ||
        !array_resize(&d->touched, capacity, sizeof *d->touched) ||
        !array_resize(&d->holding, capacity, sizeof *d->holding))
        return false;
    d->capacity = capacity;
    return true;
}

static uint32_t devices_enter(devices *d, device_slot *new_device)
{
    bool is_reused = d->free_count > 0;
    uint32_t id = is_reused ? d->free_ids[d->free_count - 1] : d->count;

    d->all[id] = new_device;
    if (lookup_add(&d->names, id) < 0) {
        d->all[id] = NULL;
        free(new_device);
        return UINT32_MAX;
    }
    d->free_count -= is_reused;
    d->count += !is_reused;
    /* without samples yet: everything of the others may still be wanted */
    d->wanted_ns = INT64_MIN;
    return id;
}

uint32_t devices_add(devices *d, const char *name)
{
    size_t length = strnlen(name, POSE_DEVICE_NAME_MAX);
    device_slot *new_device;
    uint32_t id;

    if (length == 0 || length == POSE_DEVICE_NAME_MAX)
        return UINT32_MAX;
    id = lookup_find(&d->names, lookup_hash_name(name), name);
    if (id != LOOKUP_NONE)
        return id;
    if ((d->count == PIPELINE_DEVICES_MAX && d->free_count == 0) || !devices_reserve(d))
        return UINT32_MAX;
    new_device = calloc(1, sizeof *new_device);
    if (!new_device)
        return UINT32_MAX;
    memcpy(new_device->name, name, length);
    new_device->first_blade = LOOKUP_NONE;
    new_device->lost_since_ns = INT64_MIN;
    new_device->holding_place = UINT32_MAX;
    return devices_enter(d, new_device);
}

void devices_remove(devices *d, uint32_t id)
{
    devices_let_go(d, id);
    lookup_remove(&d->names, id);
    track_finish(&d->all[id]->track);
    free(d->all[id]);
    d->all[id] = NULL;
    d->free_ids[d->free_count++] = id;
}

/* Return the time before which nobody wants samples; computed only when a ring is full, at most once a step. */
static int64_t devices_wanted_ns(devices *d)
{
    if (!d->wanted_is_recent) {
        d->wanted_is_recent = true;
        d->wanted_ns = INT64_MAX;
        for (uint32_t i = 0; i < d->count; i++) {
            const track *t = d->all[i] ? &d->all[i]->track : NULL;
            int64_t last_ns = !t ? INT64_MAX : track_is_empty(t) ? INT64_MIN : track_last(t)->time_ns;

            d->wanted_ns = last_ns < d->wanted_ns ? last_ns : d->wanted_ns;
        }
    }
    return d->wanted_ns;
}

static uint32_t devices_ring_limit(const devices *d)
{
    uint32_t limit = PIPELINE_TRACK_SAMPLES;

    while (limit > SAMPLES_EACH && limit > SAMPLES_MAX / d->count)
        limit /= 2;
    return limit;
}

static void devices_touch_from(devices *d, uint32_t id, int64_t before_ns)
{
    device_slot *touched = d->all[id];

    if (touched->touched)
        return;
    touched->touched = true;
    touched->before_ns = before_ns;
    d->touched[d->touched_count++] = id;
}

void devices_touch(devices *d, uint32_t id)
{
    devices_touch_from(d, id, device_before_ns(d->all[id]));
}

/* ---- devices that hold ---- */

void devices_let_go(devices *d, uint32_t id)
{
    const uint32_t place = d->all[id]->holding_place;

    if (place == UINT32_MAX)
        return;
    d->holding[place] = d->holding[--d->holding_count];
    d->all[d->holding[place]]->holding_place = place;
    d->all[id]->holding_place = UINT32_MAX;
}

/* Repeat the sample from the next step on. */
static void devices_hold(devices *d, int64_t time_ns, const pose_sample *sample)
{
    device_slot *held = d->all[sample->device];

    if (held->holding_place == UINT32_MAX) {
        held->holding_place = d->holding_count;
        d->holding[d->holding_count++] = sample->device;
    }
    held->held = *sample;
    held->held_ns = time_ns;
}

/* Return whether the sample is later than the device's own last one, but not later than its repeats. */
static bool is_behind_repeats(const device_slot *d, int64_t time_ns, const pose_sample *sample)
{
    return d->holding_place != UINT32_MAX && time_ns > d->held_ns && time_ns <= track_last(&d->track)->time_ns &&
           sample->flags & POSE_VALID && pose_check(sample) == POSE_GOOD;
}

static void device_repeat(devices *d, const pipeline_settings *settings, int64_t time_ns, device_slot *held,
                          pipeline_counters *counters)
{
    const uint64_t before = counters->samples;
    const int64_t held_ns = held->held_ns;
    pose_sample sample = held->held;

    sample.flags |=
        track_is_gap(track_last(&held->track)->time_ns, time_ns, HELD_GAP_MAX_NS) ? POSE_TELEPORT : POSE_JOINED;
    devices_push(d, settings, time_ns, &sample, counters);
    counters->samples = before; /* repeats are not samples of the device's own */
    held->held_ns = held_ns;
}

void devices_repeat(devices *d, const pipeline_settings *settings, int64_t time_ns, pipeline_counters *counters)
{
    for (uint32_t i = d->holding_count; i-- > 0;) {
        device_slot *held = d->all[d->holding[i]];

        if (track_last(&held->track)->time_ns < time_ns)
            device_repeat(d, settings, time_ns, held, counters);
    }
}

/* ---- samples ---- */

void devices_push(devices *d, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                  pipeline_counters *counters)
{
    device_slot *pushed = d->all[sample->device];
    int64_t before_ns = device_before_ns(pushed);
    track_result result;

    if (is_behind_repeats(pushed, time_ns, sample)) {
        const uint32_t cuts = pushed->held.flags & POSE_TELEPORT; /* of a late sample that this one replaces */

        devices_hold(d, time_ns, sample);
        pushed->held.flags |= cuts;
        counters->samples++;
        return;
    }

    pushed->track.wanted_ns = d->wanted_ns;
    if (track_is_short(&pushed->track)) {
        pushed->track.wanted_ns = devices_wanted_ns(d);
        pushed->track.limit = devices_ring_limit(d);
    }
    result = track_push(&pushed->track, settings, time_ns, sample, counters);
    if (result == TRACK_REFUSED)
        return;
    devices_touch_from(d, sample->device, before_ns);
    if (result == TRACK_ENTERED && sample->flags & POSE_OTHER_FEED) {
        pushed->source = pose_source_of(sample);
        d->other_feeds |= 1u << pushed->source;
    }
    if (result == TRACK_ENTERED && sample->flags & POSE_HOLDS) {
        devices_hold(d, time_ns, sample);
        pushed->held.flags &= ~(uint32_t)(POSE_TELEPORT | POSE_OTHER_FEED); /* these took effect now */
    } else {
        devices_let_go(d, sample->device);
    }
    pushed->tracked = result == TRACK_ENTERED;
    pushed->reason = result == TRACK_ENTERED     ? CLASH_TRACKING_OK
                     : result == TRACK_UNTRACKED ? CLASH_TRACKING_UNTRACKED
                                                 : CLASH_TRACKING_LOST;
}

void devices_order_touched(devices *d)
{
    if (d->touched_count > TOUCHED_FEW) {
        d->touched_count = 0;
        for (uint32_t id = 0; id < d->count; id++)
            if (d->all[id] && d->all[id]->touched)
                d->touched[d->touched_count++] = id;
        return;
    }
    for (uint32_t i = 1; i < d->touched_count; i++) {
        uint32_t id = d->touched[i], at = i;

        for (; at > 0 && d->touched[at - 1] > id; at--)
            d->touched[at] = d->touched[at - 1];
        d->touched[at] = id;
    }
}

void devices_end_step(devices *d)
{
    for (uint32_t i = 0; i < d->touched_count; i++)
        d->all[d->touched[i]]->touched = d->all[d->touched[i]]->moved = false;
    d->touched_count = d->other_feeds = 0;
    d->wanted_is_recent = false;
}

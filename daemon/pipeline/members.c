/* Add and remove devices, blades and targets. What a blade has open is released before it goes. */
#include "pipeline/pipeline_private.h"

#include <assert.h>

#define NO_CAPSULES "it has no capsule, or too many"
#define NO_DEVICE "there is no such device, or no room for one more"

uint32_t pipeline_device(pipeline *p, const char *name)
{
    return devices_add(&p->devices, name);
}

uint32_t pipeline_find_device(const pipeline *p, const char *name)
{
    return lookup_find(&p->devices.names, lookup_hash_name(name), name);
}

const char *pipeline_device_name(const pipeline *p, uint32_t device)
{
    const device_slot *d = devices_get(&p->devices, device);

    return d ? d->name : NULL;
}

uint32_t pipeline_device_count(const pipeline *p)
{
    return p->devices.count;
}

bool pipeline_device_tracked(const pipeline *p, uint32_t device)
{
    const device_slot *d = devices_get(&p->devices, device);

    return d && d->tracked;
}

clash_tracking_reason pipeline_device_reason(const pipeline *p, uint32_t device)
{
    const device_slot *d = devices_get(&p->devices, device);

    if (d && d->tracked)
        return CLASH_TRACKING_OK;
    return d && d->reason != CLASH_TRACKING_OK ? d->reason : CLASH_TRACKING_LOST;
}

void pipeline_set_source(pipeline *p, uint32_t device, clash_feed_source source)
{
    device_slot *d = devices_get(&p->devices, device);

    pipeline_finish(p);
    if (d)
        d->source = source;
}

clash_feed_source pipeline_device_source(const pipeline *p, uint32_t device)
{
    const device_slot *d = devices_get(&p->devices, device);

    return d ? d->source : CLASH_SOURCE_NONE;
}

int64_t pipeline_device_lost_ns(const pipeline *p, uint32_t device, int64_t now_ns)
{
    const device_slot *d = devices_get(&p->devices, device);

    if (!d)
        return 0;
    return d->lost_ns + (d->lost_since_ns != INT64_MIN && now_ns > d->lost_since_ns ? now_ns - d->lost_since_ns : 0);
}

bool pipeline_pose_at(const pipeline *p, uint32_t device, int64_t time_ns, clash_pose *out_pose)
{
    const device_slot *d = devices_get(&p->devices, device);

    return d && track_pose_at(&d->track, time_ns, out_pose);
}

bool pipeline_last_sample(const pipeline *p, uint32_t device, int64_t *out_ns, pose_sample *out_sample)
{
    const device_slot *d = devices_get(&p->devices, device);
    const track_sample *last;

    if (!d || track_is_empty(&d->track))
        return false;
    last = track_last(&d->track);
    *out_ns = last->time_ns;
    *out_sample = (pose_sample){.device = device, .pose = last->pose};
    if (!d->track.ended)
        out_sample->flags = POSE_VALID | (last->tracked ? POSE_TRACKED : 0u);
    return true;
}

static bool has_capsules(const pipeline_blade *blade)
{
    return !blade->sword || (blade->sword->capsule_count >= 1 && blade->sword->capsule_count <= CLASH_PARTS_MAX);
}

const char *pipeline_add_blade(pipeline *p, const pipeline_blade *blade)
{
    const char *reason;
    uint32_t slot;

    pipeline_end_open_step(p);
    if (!has_capsules(blade))
        return NO_CAPSULES;
    if (!devices_get(&p->devices, blade->device))
        return NO_DEVICE;
    if (!swept_aabbs_reserve(&p->swept_aabbs, p->blades.slot_count + 1))
        return BLADES_NO_MEMORY;
    reason = blades_add(&p->blades, &p->devices, blade, &slot);
    if (reason)
        return reason;
    p->counters.definitions++;
    swept_aabbs_enter(&p->swept_aabbs, slot, &p->blades.slots[slot]);
    swept_aabbs_update(&p->swept_aabbs, slot, &p->blades.slots[slot], p->devices.all[blade->device]);
    return NULL;
}

/* Return the motion of a static target, or where a carried one's shape is before it has any motion. */
static clash_motion target_rest(const pipeline_target *target)
{
    const clash_pose origin = {.orientation = {.w = 1.0f}};
    clash_pose pose = target->is_static ? target->pose : origin;

    return (clash_motion){pose, pose};
}

const char *pipeline_add_target(pipeline *p, const pipeline_target *target)
{
    clash_motion motion = target_rest(target);
    clash_collider rest = clash_collider_of_shape(&target->shape, &motion);
    clash_bounds bounds = clash_collider_bounds(&rest, 0.0f);
    const char *reason;
    uint32_t slot;

    pipeline_end_open_step(p);
    if (bounds.low.x > bounds.high.x)
        return "its shape is none";
    if (!target->is_static && !devices_get(&p->devices, target->device))
        return NO_DEVICE;
    if (!swept_aabbs_reserve(&p->swept_aabbs, p->blades.slot_count + 1))
        return BLADES_NO_MEMORY;
    reason = blades_add_target(&p->blades, &p->devices, target, &slot);
    if (reason)
        return reason;
    p->counters.definitions++;
    swept_aabbs_enter_target(&p->swept_aabbs, slot, &p->blades.slots[slot], &rest);
    if (!target->is_static)
        swept_aabbs_update(&p->swept_aabbs, slot, &p->blades.slots[slot], p->devices.all[target->device]);
    return NULL;
}

static void pipeline_release(pipeline *p, active_pair *gone)
{
    pair_view view = pipeline_view(p, gone->blades);

    pair_abandon(&gone->pair, &view, CLASH_RELEASE_REMOVED);
    pipeline_forget(p, gone);
}

/* Selects the open contacts to release. */
typedef struct leaving_pairs {
    uint32_t device, slot; /* contacts of this device's blades and of this slot; LOOKUP_NONE: unused */
    bool if_parted;        /* only pairs that can no longer meet */
} leaving_pairs;

static bool pipeline_leaves(const pipeline *p, const active_pair *active, const leaving_pairs *leaving)
{
    if (leaving->if_parted && blades_can_meet(&p->blades, active->blades[0], active->blades[1]))
        return false;
    for (int side = 0; side < 2; side++)
        if (active->blades[side] == leaving->slot || p->swept_aabbs.devices[active->blades[side]] == leaving->device)
            return true;
    return false;
}

/* Release them in the order of pairs; out of memory for sorting, in any order. */
static void pipeline_release_all(pipeline *p, const leaving_pairs *leaving)
{
    candidates *c = &p->candidates;

    candidates_begin(c);
    for (uint32_t i = 0; i < p->active_pairs.count; i++) {
        const active_pair *active = &p->active_pairs.all[i];

        if (pipeline_leaves(p, active, leaving) && !candidates_add(c, &p->blades, active->blades[0], active->blades[1]))
            break;
    }
    candidates_sort(c);
    for (size_t i = 0; i < c->count; i++)
        pipeline_release(p, active_pairs_find(&p->active_pairs, c->found[i].blades));
    for (uint32_t i = p->active_pairs.count; i-- > 0;)
        if (pipeline_leaves(p, &p->active_pairs.all[i], leaving))
            pipeline_release(p, &p->active_pairs.all[i]);
    contacts_flush(&p->output);
}

static void pipeline_remove_slot(pipeline *p, uint32_t slot)
{
    p->counters.definitions++;
    blades_remove(&p->blades, &p->devices, slot);
    swept_aabbs_clear(&p->swept_aabbs, slot);
}

static int pipeline_remove_named(pipeline *p, const char *name, bool is_target)
{
    uint32_t slot = blades_find(&p->blades, name);

    if (slot == LOOKUP_NONE || (p->blades.slots[slot].target != NULL) != is_target)
        return -1;
    pipeline_end_open_step(p);
    if (p->blades.slots[slot].contacts > 0)
        pipeline_release_all(p, &(leaving_pairs){LOOKUP_NONE, slot, false});
    pipeline_remove_slot(p, slot);
    return 0;
}

int pipeline_remove_blade(pipeline *p, const char *name)
{
    return pipeline_remove_named(p, name, false);
}

int pipeline_remove_target(pipeline *p, const char *name)
{
    return pipeline_remove_named(p, name, true);
}

int pipeline_remove_device(pipeline *p, uint32_t device)
{
    device_slot *d = devices_get(&p->devices, device);

    if (!d)
        return -1;
    pipeline_end_open_step(p);
    pipeline_release_all(p, &(leaving_pairs){device, LOOKUP_NONE, false});
    while (d->first_blade != LOOKUP_NONE)
        pipeline_remove_slot(p, d->first_blade);
    devices_remove(&p->devices, device);
    return 0;
}

/* The boxes contain the margin, so enter them again. */
static void pipeline_enter_again(pipeline *p, uint32_t slot)
{
    const blade_slot *b = &p->blades.slots[slot];

    if (b->target) {
        const clash_motion motion = target_rest(b->target);
        const clash_collider rest = clash_collider_of_shape(&b->target->shape, &motion);

        swept_aabbs_enter_target(&p->swept_aabbs, slot, b, &rest);
    }
    if (!b->target || !b->target->is_static)
        swept_aabbs_update(&p->swept_aabbs, slot, b, p->devices.all[b->is.device]);
}

const char *pipeline_change_blade(pipeline *p, const pipeline_blade *blade)
{
    const uint32_t slot = blades_find(&p->blades, blade->name);
    blade_slot *b = slot == LOOKUP_NONE ? NULL : &p->blades.slots[slot];

    pipeline_end_open_step(p);
    if (!b || b->target || b->is.device != blade->device)
        return "there is no blade of that name on that device";
    if (!has_capsules(blade))
        return NO_CAPSULES;
    if (!blades_change(&p->blades, slot, blade))
        return BLADES_NO_MEMORY;
    p->counters.definitions++;
    if (b->contacts > 0)
        pipeline_release_all(p, &(leaving_pairs){LOOKUP_NONE, slot, true});
    swept_aabbs_enter(&p->swept_aabbs, slot, b);
    swept_aabbs_update(&p->swept_aabbs, slot, b, p->devices.all[b->is.device]);
    return NULL;
}

const pipeline_settings *pipeline_get_settings(const pipeline *p)
{
    return &p->settings;
}

void pipeline_change_settings(pipeline *p, const pipeline_settings *settings)
{
    assert(settings->full_intensity_speed > 0.0f);
    pipeline_end_open_step(p);
    p->settings = *settings;
    p->output.hold_period_ns = contacts_hold_period(settings->hold_rate_hz);
    swept_aabbs_change(&p->swept_aabbs, settings);
    for (uint32_t slot = 0; slot < p->blades.slot_count; slot++)
        if (p->blades.slots[slot].used)
            pipeline_enter_again(p, slot);
}

size_t pipeline_blade_count(const pipeline *p)
{
    return p->blades.blades.count;
}

const pipeline_blade *pipeline_blade_at(const pipeline *p, size_t index)
{
    const blade_list *list = &p->blades.blades;

    return index < list->count ? &p->blades.slots[list->slots[index]].is : NULL;
}

const pipeline_blade *pipeline_find_blade(const pipeline *p, const char *name)
{
    const uint32_t slot = blades_find(&p->blades, name);

    return slot != LOOKUP_NONE && !p->blades.slots[slot].target ? &p->blades.slots[slot].is : NULL;
}

const pipeline_target *pipeline_find_target(const pipeline *p, const char *name)
{
    const uint32_t slot = blades_find(&p->blades, name);

    return slot != LOOKUP_NONE ? p->blades.slots[slot].target : NULL;
}

size_t pipeline_target_count(const pipeline *p)
{
    return p->blades.targets.count;
}

const pipeline_target *pipeline_target_at(const pipeline *p, size_t index)
{
    const blade_list *list = &p->blades.targets;

    return index < list->count ? p->blades.slots[list->slots[index]].target : NULL;
}

/* Both lists are in order. */
size_t pipeline_blades_before(const pipeline *p, size_t target_index)
{
    const blades *b = &p->blades;
    size_t low = 0, high = b->blades.count;

    if (target_index >= b->targets.count)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (b->slots[b->blades.slots[middle]].order < b->slots[b->targets.slots[target_index]].order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

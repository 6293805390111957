/* The pipeline's own track decides what is a motion: see log_around.h. */
#include "log_around.h"

#include "pipeline/track.h"
#include "ports/pose_rules.h"

#include <string.h>

/* Entries that are looked at either way, and samples before it by which a track knows its device's rate. */
#define LOOK_ENTRIES 4096u
#define RATE_SAMPLES 16u

/* Return NULL if the entry has none of it. */
static const log_pose *pose_in(const log_store *store, const log_entry *entry, size_t device)
{
    for (size_t i = 0; entry->kind == LOG_POSES && i < entry->count; i++) {
        const log_pose *pose = log_store_pose(store, entry->first + i);

        if (pose->device == device)
            return pose;
    }
    return NULL;
}

/* Return whether the line cuts the device's track. */
static bool is_cut(const log_store *store, const log_entry *entry, size_t device)
{
    static recording_item item; /* too large for a stack */

    if (entry->kind != LOG_LINE || !recording_parse(log_store_text(store, entry->first), &item))
        return false;
    return item.kind == RECORDING_SPACE_CHANGED ||
           ((item.kind == RECORDING_TRACKING_LOST ||
             (item.kind == RECORDING_REMOVE && !item.blade.name[0] && !item.target.name[0])) &&
            strcmp(item.device, log_store_device(store, device)) == 0);
}

static pose_sample sample_of(const log_pose *from)
{
    pose_sample sample = {0, pose_flags_of(from->is_valid, from->is_tracked, from->is_teleport), from->pose};

    sample.flags |= (from->is_joined ? POSE_JOINED : 0u) | (from->is_holding ? POSE_HOLDS : 0u);
    if (from->source != CLASH_SOURCE_NONE)
        sample.flags |= pose_other_feed((clash_feed_source)from->source);
    return sample;
}

/* Return where to begin, so that the track knows the rate. */
static size_t first_of(const log_store *store, size_t device, size_t at)
{
    size_t samples = 0, first = at;

    while (first > 0 && at - first < LOOK_ENTRIES && samples < RATE_SAMPLES) {
        first--;
        samples += pose_in(store, log_store_entry(store, first), device) != NULL;
    }
    return first;
}

static log_sample sample_at(const track *t, uint64_t index)
{
    const track_sample *from = track_at(t, index);

    return (log_sample){true, from->time_ns, from->pose, from->tracked};
}

static log_sample last_of(const track *t)
{
    return track_is_empty(t) ? (log_sample){0} : sample_at(t, t->end - 1);
}

/* Push the next entry into the track. Return whether a sample entered it. */
static bool push_entry(const log_store *store, size_t index, size_t device, const pipeline_settings *settings, track *t)
{
    const log_entry *entry = log_store_entry(store, index);
    const log_pose *pose = pose_in(store, entry, device);
    pipeline_counters ignored = {0};
    pose_sample sample;

    if (is_cut(store, entry, device))
        track_cut(t, &ignored);
    if (!pose)
        return false;
    sample = sample_of(pose);
    return track_push(t, settings, entry->time_ns, &sample, &ignored) == TRACK_ENTERED;
}

log_around log_find_around(const log_store *store, size_t device, int64_t time_ns, const pipeline_settings *settings)
{
    const size_t found = log_store_find(store, time_ns), behind = found == SIZE_MAX ? 0 : found + 1;
    log_around around = {0};
    track t = {0};

    for (size_t i = first_of(store, device, behind); i < log_store_count(store) && i < behind + LOOK_ENTRIES; i++) {
        const bool entered = push_entry(store, i, device, settings, &t);

        if (i < behind)
            around.is_lost = t.ended;
        if (!entered || track_last(&t)->time_ns <= time_ns)
            continue;
        around.behind = last_of(&t);
        around.is_motion = track_ends_in_motion(&t);
        if (t.end - track_first(&t) >= 2)
            around.before = sample_at(&t, t.end - 2);
        track_finish(&t);
        return around;
    }
    around.before = last_of(&t);
    track_finish(&t);
    return around;
}

/* The devices: an id for each name, a track for each id, and which tracks changed in the present step. An id stays the
 * same until its device is removed and is then reused. Knows nothing of pairs or events. */
#ifndef CLASHD_PIPELINE_DEVICES_H
#define CLASHD_PIPELINE_DEVICES_H

#include "pipeline/lookup.h"
#include "pipeline/track.h"

typedef struct device_slot {
    bool tracked;          /* the last sample was usable, and none was reported lost since */
    bool reported_tracked; /* what the last tracking event said */
    bool touched;          /* its track changed in this step, */
    bool moved;            /* and continues from where it was: the step adds a motion */
    clash_tracking_reason reason;
    clash_feed_source source; /* who feeds it */
    int64_t lost_since_ns;    /* since when it is reported lost, if it was tracked before; else INT64_MIN */
    int64_t lost_ns;          /* total of earlier losses */
    int64_t before_ns;        /* while touched: time of the last sample before this step, or INT64_MIN */
    uint32_t holding_place;   /* in `holding`; UINT32_MAX: it does not hold */
    int64_t held_ns;          /* while it holds: time of its own last sample */
    pose_sample held;         /* the sample that the next step repeats */
    uint32_t first_blade;     /* first of the list of blades on this device; LOOKUP_NONE: none */
    track track;
    char name[POSE_DEVICE_NAME_MAX];
} device_slot;

typedef struct devices {
    device_slot **all; /* by id; NULL: free */
    uint32_t count;    /* one past the highest id ever used */
    uint32_t capacity;
    uint32_t *free_ids; /* those below `count` */
    uint32_t free_count;
    lookup names;
    uint32_t *touched; /* ids, in the order in which they were touched */
    uint32_t touched_count;
    uint32_t *holding; /* ids of the devices that hold */
    uint32_t holding_count;
    uint32_t other_feeds;  /* who began to feed any of them in this step: bits, by clash_feed_source */
    int64_t wanted_ns;     /* no device's last sample is before this time */
    bool wanted_is_recent; /* computed in this step */
} devices;

void devices_init(devices *d);
void devices_finish(devices *d);

/** Return the id of a name, creating it; UINT32_MAX if there is no room, or the name is empty or too long. */
uint32_t devices_add(devices *d, const char *name);
/** Remove a device that exists, has no blades and is not touched. */
void devices_remove(devices *d, uint32_t id);

/** Return the device, or NULL if there is none. */
static inline device_slot *devices_get(const devices *d, uint32_t id)
{
    return id < d->count ? d->all[id] : NULL;
}

/** Call before the device's track changes in this step. */
void devices_touch(devices *d, uint32_t id);
/** Offer a sample to the track of an existing device. A refused sample does not touch it. */
void devices_push(devices *d, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                  pipeline_counters *counters);
/** Add a repeat of the last sample of each device that holds and has no sample in this step. A sample of its own that is not later
 *  than those repeats takes effect at the next step. */
void devices_repeat(devices *d, const pipeline_settings *settings, int64_t time_ns, pipeline_counters *counters);
/** Stop repeating the device's last sample. */
void devices_let_go(devices *d, uint32_t id);
/** Sort the touched devices by id. */
void devices_order_touched(devices *d);
/** The step is over: nothing is touched any more. */
void devices_end_step(devices *d);

/** Return the time up to which pairs with this device were swept before this step, as far as this device goes: that of
 *  its last sample then. */
static inline int64_t device_before_ns(const device_slot *d)
{
    if (d->touched)
        return d->before_ns;
    return track_is_empty(&d->track) ? INT64_MIN : track_last(&d->track)->time_ns;
}

#endif

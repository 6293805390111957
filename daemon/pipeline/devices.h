/* The devices: an id for each name, a track for each id, and which tracks changed in the step that is being taken. An id
 * stays the same for as long as its device is there and is then given to another. Knows nothing of pairs or events. */
#ifndef CLASHD_PIPELINE_DEVICES_H
#define CLASHD_PIPELINE_DEVICES_H

#include "pipeline/lookup.h"
#include "pipeline/track.h"

typedef struct device_slot {
    bool tracked;          /* the last sample was usable and none was reported lost since */
    bool reported_tracked; /* what the last tracking event said */
    bool touched;          /* its track changed in this step */
    bool moved;            /* .. and goes on from where it was: the step adds a motion */
    clash_tracking_reason reason;
    clash_feed_source source; /* who feeds it */
    int64_t lost_since_ns;    /* while it was told to be lost, after it had been tracked; INT64_MIN else */
    int64_t lost_ns;          /* how long it has been lost, before that */
    int64_t before_ns;        /* while touched: time of the last sample before this step, INT64_MIN if there was none */
    uint32_t first_blade;     /* of the list through the blades on this device; LOOKUP_NONE: none */
    track track;
    char name[POSE_DEVICE_NAME_MAX];
} device_slot;

typedef struct devices {
    device_slot **all; /* by id; NULL: free */
    uint32_t count;    /* ids ever given at once: the ids are below it */
    uint32_t capacity;
    uint32_t *free_ids; /* of those below `count` */
    uint32_t free_count;
    lookup names;
    uint32_t *touched; /* ids, in the order in which they were touched */
    uint32_t touched_count;
    uint32_t other_feeds;  /* who has begun to feed any of them in this step: bits, by clash_feed_source */
    int64_t wanted_ns;     /* no device's last sample is before this */
    bool wanted_is_recent; /* worked out in this step */
} devices;

void devices_init(devices *d);
void devices_finish(devices *d);

/** The id of a name, made when new; UINT32_MAX when there is no room or the name is empty or too long. */
uint32_t devices_add(devices *d, const char *name);
/** Forgets a device that is there, has no blades and is not touched. */
void devices_remove(devices *d, uint32_t id);

/** NULL if there is no such device. */
static inline device_slot *devices_get(const devices *d, uint32_t id)
{
    return id < d->count ? d->all[id] : NULL;
}

/** Says that the track will change, before it does. */
void devices_touch(devices *d, uint32_t id);
/** Offers a sample to its device's track; the device must be there. A refused one does not touch it. */
void devices_push(devices *d, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                  pipeline_counters *counters);
/** Puts the touched ones in the order of their ids. */
void devices_order_touched(devices *d);
/** The step is over: nothing is touched any more. */
void devices_end_step(devices *d);

/** Time up to which pairs with this device were swept before this step as far as it is concerned: of its last sample then. */
static inline int64_t device_before_ns(const device_slot *d)
{
    if (d->touched)
        return d->before_ns;
    return track_is_empty(&d->track) ? INT64_MIN : track_last(&d->track)->time_ns;
}

#endif

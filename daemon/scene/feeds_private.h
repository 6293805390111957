/* What the parts of feeds share: feeds.c (what they send), feeds_clients.c (who feeds) and feeds_switch.c (changing feeders). Nobody
 * else includes it. */
#ifndef CLASHD_SCENE_FEEDS_PRIVATE_H
#define CLASHD_SCENE_FEEDS_PRIVATE_H

#include "feeds.h"
#include "pipeline/track.h"

/** The highest rank feeds. */
typedef enum feed_rank { FEED_OWN, FEED_OVERLAY, FEED_LAYER, FEED_GAME, FEED_RANKS } feed_rank;
/** The lowest rank of a client. */
#define FEED_CLIENTS FEED_OVERLAY

/** One party that feeds a device, and what it sends. */
typedef struct feeder {
    const void *client; /* NULL: nobody, or clashd's own source */
    char space[PROTOCOL_SPACE_MAX];
    bool has_stage, has_haptics; /* as in protocol_feed */
    clash_pose stage;
    int64_t max_gap_ns;     /* as its feed asked; 0: not at all */
    pose_arrivals arrivals; /* of all its poses, */
    pose_arrivals usable;   /* and of the usable ones: while these are live it can feed */
    track track;
} feeder;

/** The feeders of one device. */
typedef struct feed {
    struct feed *next;
    uint32_t device;
    feed_rank active; /* whose sample the pipeline had last; FEED_RANKS: nobody's, or that of one who is gone */
    bool had_samples; /* the pipeline has had one */
    bool has_lost;    /* the active feeder is gone */
    int64_t last_ns;  /* time of the pipeline's last sample */
    feeder feeders[FEED_RANKS];
    /* During a switch: */
    bool is_switched, has_next;
    uint64_t next_index; /* in the active feeder's track, of the sample after this one: */
    int64_t next_ns;
    pose_sample sample;
} feed;

/** NULL: no client has fed it. */
static inline feed *feed_of(const scene *s, uint32_t device)
{
    return device < PIPELINE_DEVICES_MAX ? s->devices[device].feed : NULL;
}

/** Return who feeds from now on; FEED_RANKS: nobody. */
feed_rank feeds_choose(const feed *f);
/** Hand a frame to the sinks and the pipeline. */
void feeds_deliver(scene *s, const pose_frame *frame);
/** Let the highest feeder that can continue take over, with all it has sent meanwhile. */
void feeds_switch(scene *s);
/** The same; then report devices lost whose feeder is gone and which no other can feed. */
void feeds_settle(scene *s, int64_t time_ns);

#endif

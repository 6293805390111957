/* What the parts of feeds share: feeds.c (who there is, and what they send) and feeds_switch.c (one after the other). Included
 * by nobody else. */
#ifndef CLASHD_SCENE_FEEDS_PRIVATE_H
#define CLASHD_SCENE_FEEDS_PRIVATE_H

#include "feeds.h"
#include "pipeline/track.h"

/** The higher one comes first. */
typedef enum feed_rank { FEED_OWN, FEED_LAYER, FEED_GAME, FEED_RANKS } feed_rank;

/** What one of them sends of one device. */
typedef struct feed_lane {
    const void *client; /* NULL: nobody; the source has none */
    char space[PROTOCOL_SPACE_MAX];
    bool has_stage, has_haptics; /* as protocol_feed's */
    clash_pose stage;
    pose_arrivals arrivals; /* of all its poses.. */
    pose_arrivals usable;   /* .. and of those that can be used: it may be, while these are live */
    track track;
} feed_lane;

/** Of one device. */
typedef struct feed {
    struct feed *next;
    uint32_t device;
    feed_rank
        active; /* whose samples the pipeline has had last; FEED_RANKS: of somebody who is gone, or of nobody yet */
    bool had_samples; /* the pipeline has had any */
    bool has_lost;    /* .. the one that was active */
    int64_t last_ns;  /* up to where */
    feed_lane lanes[FEED_RANKS];
    /* While it is switched: */
    bool is_switched, has_next;
    uint64_t next_index; /* in the active lane's track, of the sample after this one: */
    int64_t next_ns;
    pose_sample sample;
} feed;

/** Who feeds from now on; FEED_RANKS: nobody. */
feed_rank feeds_choose(const feed *f);
/** To the sinks and the pipeline. */
void feeds_deliver(scene *s, const pose_frame *frame);
/** Whoever comes first and has something to go on with takes over, with all that it has sent meanwhile. */
void feeds_switch(scene *s);
/** The same, and what has lost its feed and has no other is lost. */
void feeds_settle(scene *s, int64_t time_ns);

#endif

/* A device's track: its newest samples in order of time, in a ring that grows while somebody waits for what it would
 * lose. Decides what enters and where the track is cut. Samples have an index that counts from 0 for ever, so that a
 * reader's place stays valid while the ring goes on. Knows nothing of blades, pairs or events. */
#ifndef CLASHD_PIPELINE_TRACK_H
#define CLASHD_PIPELINE_TRACK_H

#include "pipeline/pipeline.h"

/** With gap_by_rate, samples are joined if they are at most TRACK_GAP_PERIODS of the device's sampling periods apart
 *  (the median of the last few), but at least TRACK_GAP_LEAST_NS and at most max_gap_ns: two samples in a row may be
 *  missing. With fewer than TRACK_PERIODS_MIN known periods it is max_gap_ns. */
#define TRACK_GAP_PERIODS 3.5
#define TRACK_GAP_LEAST_NS INT64_C(40000000)
#define TRACK_PERIODS_MIN 3u

typedef struct track_sample {
    int64_t time_ns;
    clash_pose pose;  /* stage_from_device */
    uint64_t segment; /* nothing is swept between samples of different segments */
    bool tracked;     /* measured, not guessed */
} track_sample;

/** What a track holds without a ring on the heap: enough if all devices have about the same rate. */
#define TRACK_SMALL 8u

/** Zero-initialise: empty. Finish with track_finish(). */
typedef struct track {
    uint64_t first;     /* index of the oldest sample held */
    uint64_t end;       /* index of the next sample, which is how many ever entered */
    uint64_t segment;   /* of the last sample */
    int64_t wanted_ns;  /* motions that ended before may leave the ring without its growing */
    uint32_t limit;     /* the most samples in the ring, a power of two; 0: PIPELINE_TRACK_SAMPLES */
    uint32_t capacity;  /* of `ring`, a power of two; 0: the small one is in use */
    uint64_t fed_from;  /* index of the first sample of the present feed, which alone count for the rate */
    bool ended;         /* the next sample begins a new segment */
    track_sample *ring; /* sample i is at i % capacity */
    track_sample small[TRACK_SMALL];
} track;

/** Free the ring; the track is then empty. */
void track_finish(track *t);

typedef enum track_result {
    TRACK_ENTERED,
    TRACK_REFUSED,  /* late, not finite, too far away, or no rotation: the track is unchanged */
    TRACK_INVALID,  /* no pose: the track was cut */
    TRACK_UNTRACKED /* a guessed pose with require_tracked: the track was cut */
} track_result;

/** Return whether the two are further apart than that. Unsigned, so that times at both ends of int64_t give the true difference. */
static inline bool track_is_gap(int64_t from_ns, int64_t to_ns, int64_t max_gap_ns)
{
    return max_gap_ns < 0 || (uint64_t)to_ns - (uint64_t)from_ns > (uint64_t)max_gap_ns;
}

/** Offer a sample to its device's track and count the result. Reads max_gap_ns, gap_by_rate and require_tracked. */
track_result track_push(track *t, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                        pipeline_counters *counters);

/** End the last segment. A track that is empty or already cut is left alone and not counted. */
void track_cut(track *t, pipeline_counters *counters);

static inline bool track_is_empty(const track *t)
{
    return t->end == 0;
}

static inline uint32_t track_capacity(const track *t)
{
    return t->capacity ? t->capacity : TRACK_SMALL;
}

/** Return the index of the oldest sample in the ring; `end` if there is none. */
static inline uint64_t track_first(const track *t)
{
    return t->first;
}

/** Return the sample with that index, track_first() <= index < end. Valid until the next push. */
static inline const track_sample *track_at(const track *t, uint64_t index)
{
    return t->capacity ? &t->ring[index & (t->capacity - 1)] : &t->small[index & (TRACK_SMALL - 1)];
}

/** Return the newest sample of a track that is not empty. */
static inline const track_sample *track_last(const track *t)
{
    return track_at(t, t->end - 1);
}

/** Return whether the ring will grow for the next sample rather than lose one that is wanted. */
bool track_is_short(const track *t);

/** Return whether the last two samples make a motion. */
static inline bool track_ends_in_motion(const track *t)
{
    return t->end - track_first(t) >= 2 && track_last(t)->segment == track_at(t, t->end - 2)->segment;
}

/** Return the index of the last sample not after `time_ns`; if it has left the ring, the index before the oldest one
 *  held; 0 if the track begins later. The track must not be empty. */
uint64_t track_find(const track *t, int64_t time_ns);

/** Return the device's pose at a time: on the motion between two samples, or at the last one if none has come since.
 *  Return false if it is not followed at that time, or no longer known. */
bool track_pose_at(const track *t, int64_t time_ns, clash_pose *out_pose);

#endif

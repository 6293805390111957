/* A device's track: the newest samples of it, in order of time, in a ring. Decides what enters and where the track is
 * cut. Samples have an index that counts from 0 for ever, so that a reader's place in the track stays right while the
 * ring goes on. Knows nothing of blades, pairs or events. */
#ifndef CLASHD_PIPELINE_TRACK_H
#define CLASHD_PIPELINE_TRACK_H

#include "pipeline/pipeline.h"

typedef struct track_sample {
    int64_t time_ns;
    clash_pose pose;  /* stage_from_device */
    uint64_t segment; /* nothing is swept between samples of different segments */
    bool tracked;     /* measured, not guessed */
} track_sample;

/** Zero-initialise: empty. */
typedef struct track {
    uint64_t end;     /* index of the next sample; how many ever entered */
    uint64_t segment; /* of the last sample */
    bool ended;       /* the next sample begins a new segment */
    track_sample ring[PIPELINE_TRACK_SAMPLES];
} track;

typedef enum track_result {
    TRACK_ENTERED,
    TRACK_REFUSED,  /* late, not finite, no rotation: the track is as it was */
    TRACK_INVALID,  /* no pose: the track was cut */
    TRACK_UNTRACKED /* a guessed pose while require_tracked: the track was cut */
} track_result;

/** Offers a sample to its device's track and counts what became of it. Reads max_gap_ns and require_tracked. */
track_result track_push(track *t, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                        pipeline_counters *counters);

/** Ends the last segment. An empty track or one that has been cut already is left alone and not counted. */
void track_cut(track *t, pipeline_counters *counters);

static inline bool track_is_empty(const track *t)
{
    return t->end == 0;
}

/** Index of the oldest sample that the ring still holds; `end` where there is none. */
static inline uint64_t track_first(const track *t)
{
    return t->end > PIPELINE_TRACK_SAMPLES ? t->end - PIPELINE_TRACK_SAMPLES : 0;
}

/** The sample with that index, track_first() <= index < end. Valid until the next push. */
static inline const track_sample *track_at(const track *t, uint64_t index)
{
    return &t->ring[index % PIPELINE_TRACK_SAMPLES];
}

/** The newest sample of a track that is not empty. */
static inline const track_sample *track_last(const track *t)
{
    return track_at(t, t->end - 1);
}

#endif

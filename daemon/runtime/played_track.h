/* One device's recorded samples and the motion between them: position linear, orientation at a constant rate the short
 * way round. There is no pose in a gap, at an invalid sample or at a cut. Pure. */
#ifndef CLASHD_RUNTIME_PLAYED_TRACK_H
#define CLASHD_RUNTIME_PLAYED_TRACK_H

#include <clash/pose.h>

/** Samples further apart are not joined by a motion (the default of contact.max_gap_ms). */
#define TRACK_GAP_MAX_NS 100000000

typedef enum track_quality { TRACK_NO_POSE, TRACK_VALID, TRACK_TRACKED } track_quality;

typedef struct track_sample {
    int64_t time_ns;
    clash_pose pose;
    track_quality quality;
    bool cut; /* no motion from the previous sample to this one */
} track_sample;

/** Zero-initialise; track_finish frees. */
typedef struct track {
    track_sample *samples; /* with strictly increasing times */
    size_t count, capacity;
    bool cut_pending; /* the next sample starts a new motion */
} track;

/** Add a sample. At an equal time the later sample replaces the earlier one; a sample whose time goes back is dropped.
 *  An orientation that is no rotation, or a number that is not finite, becomes TRACK_NO_POSE. Returns 0, or -1 when out
 *  of memory. */
int track_add(track *t, track_sample sample);
/** Do not join the last sample added to the next one. */
void track_cut(track *t);
track_quality track_at(const track *t, int64_t time_ns, clash_pose *out_pose);
void track_finish(track *t);

#endif

/* One device's recorded samples, and its motion between them: position linear, orientation at a constant rate the short
 * way round. Where the recording says nothing sure (a gap, an invalid sample, a cut) there is no pose. Pure. */
#ifndef CLASHD_RUNTIME_PLAYED_TRACK_H
#define CLASHD_RUNTIME_PLAYED_TRACK_H

#include <clash/pose.h>

/** Samples further apart are not joined by a motion (what a recording that says nothing has for contact.max_gap_ms). */
#define TRACK_GAP_MAX_NS 100000000

typedef enum track_quality { TRACK_NO_POSE, TRACK_VALID, TRACK_TRACKED } track_quality;

typedef struct track_sample {
    int64_t time_ns;
    clash_pose pose;
    track_quality quality;
    bool cut; /* no motion from the sample before to this one */
} track_sample;

/** Zero-initialise; track_finish frees. */
typedef struct track {
    track_sample *samples; /* times strictly increasing */
    size_t count, capacity;
    bool cut_pending; /* the next sample begins anew */
} track;

/** Equal times: the later sample replaces the earlier one. A time that goes back: the sample is dropped. Orientations
 *  that are no rotation, and numbers that are not finite, become TRACK_NO_POSE. 0, or -1 when out of memory. */
int track_add(track *t, track_sample sample);
/** No motion from the last sample added to the next. */
void track_cut(track *t);
track_quality track_at(const track *t, int64_t time_ns, clash_pose *out_pose);
void track_finish(track *t);

#endif

/* The recorded motion of one device; see played_track.h. At a sample's own time it returns that sample's own bits. */
#include "played_track.h"
#include "cli/array.h"
#include <stdlib.h>

#define UNIT_TOLERANCE 0.01f /* the same as in the daemon's own tracks */

int track_add(track *t, track_sample sample)
{
    if (!clash_quat_is_unit(sample.pose.orientation, UNIT_TOLERANCE) || !clash_vec3_is_finite(sample.pose.position))
        sample.quality = TRACK_NO_POSE;
    sample.cut = sample.cut || t->cut_pending;
    if (t->count > 0) {
        track_sample *last = &t->samples[t->count - 1];
        if (sample.time_ns < last->time_ns)
            return 0;
        if (sample.time_ns == last->time_ns) {
            sample.cut = sample.cut || last->cut;
            *last = sample;
            t->cut_pending = false;
            return 0;
        }
    }
    if (!array_grow(&t->samples, t->count, &t->capacity, sizeof *t->samples))
        return -1;
    t->samples[t->count++] = sample;
    t->cut_pending = false;
    return 0;
}

void track_cut(track *t)
{
    t->cut_pending = true;
}

/* Return the number of samples at or before time_ns. */
static size_t count_until(const track *t, int64_t time_ns)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->samples[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

track_quality track_at(const track *t, int64_t time_ns, clash_pose *out_pose)
{
    size_t until = count_until(t, time_ns);
    if (until == 0)
        return TRACK_NO_POSE;
    const track_sample *from = &t->samples[until - 1];
    if (from->time_ns == time_ns || from->quality == TRACK_NO_POSE) {
        *out_pose = from->pose;
        return from->quality;
    }
    if (until == t->count)
        return TRACK_NO_POSE;
    const track_sample *to = from + 1;
    int64_t step_ns = to->time_ns - from->time_ns;
    if (to->cut || to->quality == TRACK_NO_POSE || step_ns > TRACK_GAP_MAX_NS)
        return TRACK_NO_POSE;
    clash_motion motion = {from->pose, to->pose};
    *out_pose = clash_motion_at(&motion, (double)(time_ns - from->time_ns) / (double)step_ns);
    return from->quality < to->quality ? from->quality : to->quality;
}

void track_finish(track *t)
{
    free(t->samples);
    *t = (track){0};
}

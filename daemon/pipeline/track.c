/* What enters a track and what cuts it. Rules in order: a late sample is refused whatever else it is; a sample without
 * a pose cuts, and its numbers are not looked at; a sample with unusable numbers is refused and changes nothing; only
 * then do guessed poses, gaps and teleports matter. */
#include "pipeline/track.h"
#include "ports/pose_rules.h"

#include <stdlib.h>

/* Use only the last samples, so that a device that became slower is joined again after a few. The ring always holds
 * these. */
static size_t track_sort_periods(const track *t, int64_t out_periods[TRACK_SMALL])
{
    uint64_t first = t->end > TRACK_SMALL ? t->end - TRACK_SMALL : 0;
    size_t count = 0, at;

    first = first > t->fed_from ? first : t->fed_from;
    for (uint64_t i = first + 1; i < t->end; i++) {
        const track_sample *from = track_at(t, i - 1), *to = track_at(t, i);
        int64_t period = to->time_ns - from->time_ns;

        if (from->segment != to->segment)
            continue;
        for (at = count++; at > 0 && out_periods[at - 1] > period; at--)
            out_periods[at] = out_periods[at - 1];
        out_periods[at] = period;
    }
    return count;
}

static int64_t track_max_gap(const track *t, const pipeline_settings *settings)
{
    int64_t periods[TRACK_SMALL];
    size_t count = settings->gap_by_rate ? track_sort_periods(t, periods) : 0;
    size_t middle = count / 2;
    double gap;

    if (count < TRACK_PERIODS_MIN)
        return settings->max_gap_ns;
    gap = TRACK_GAP_PERIODS * (double)periods[middle];
    if (gap >= (double)settings->max_gap_ns)
        return settings->max_gap_ns;
    return gap > (double)TRACK_GAP_LEAST_NS ? (int64_t)gap : TRACK_GAP_LEAST_NS;
}

/* A short gap needs no rate. */
static bool track_has_gap(const track *t, const pipeline_settings *settings, int64_t time_ns)
{
    int64_t last_ns = track_last(t)->time_ns;

    if (track_is_gap(last_ns, time_ns, settings->max_gap_ns))
        return true;
    return settings->gap_by_rate && track_is_gap(last_ns, time_ns, TRACK_GAP_LEAST_NS) &&
           track_is_gap(last_ns, time_ns, track_max_gap(t, settings));
}

void track_cut(track *t, pipeline_counters *counters)
{
    if (track_is_empty(t) || t->ended)
        return;
    t->ended = true;
    counters->cuts++;
}

void track_finish(track *t)
{
    free(t->ring);
    *t = (track){0};
}

bool track_is_short(const track *t)
{
    uint32_t limit = t->limit ? t->limit : PIPELINE_TRACK_SAMPLES;

    return t->end - track_first(t) == track_capacity(t) && track_capacity(t) < limit &&
           track_at(t, track_first(t) + 1)->time_ns > t->wanted_ns;
}

/* Double the ring. Out of memory it stays as it is and loses what it cannot hold. */
static void track_grow(track *t)
{
    uint32_t capacity = 2 * track_capacity(t);
    track_sample *ring = malloc(capacity * sizeof *ring);

    if (!ring)
        return;
    for (uint64_t i = track_first(t); i < t->end; i++)
        ring[i & (capacity - 1)] = *track_at(t, i);
    free(t->ring);
    t->ring = ring;
    t->capacity = capacity;
}

uint64_t track_find(const track *t, int64_t time_ns)
{
    uint64_t low = track_first(t), high = t->end;

    /* it is usually one of the last two */
    if (track_last(t)->time_ns <= time_ns)
        return t->end - 1;
    if (high - low >= 2 && track_at(t, high - 2)->time_ns <= time_ns)
        return high - 2;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (track_at(t, middle)->time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

/* Write a sample that passed every rule: over the last one if the times are equal, else after it. A sample of another
 * feed never replaces: up to it the motion is the old feed's, from it on the new one's. */
static void track_enter(track *t, int64_t time_ns, const pose_sample *sample, pipeline_counters *counters)
{
    bool is_other_feed = (sample->flags & POSE_OTHER_FEED) != 0;
    bool replaces = !is_other_feed && !track_is_empty(t) && track_last(t)->time_ns == time_ns;
    track_sample *slot;

    if (t->ended) {
        t->segment++;
        t->ended = false;
    }
    if (replaces) {
        counters->replaced++;
        counters->replaced_elsewhere += !pose_is_same(&track_last(t)->pose, &sample->pose);
    } else {
        if (track_is_short(t))
            track_grow(t);
        t->first += t->end - t->first == track_capacity(t);
        t->end++;
    }
    if (is_other_feed)
        t->fed_from = t->end - 1;
    slot = t->capacity ? &t->ring[(t->end - 1) & (t->capacity - 1)] : &t->small[(t->end - 1) & (TRACK_SMALL - 1)];
    slot->time_ns = time_ns;
    slot->pose = sample->pose;
    slot->segment = t->segment;
    slot->tracked = (sample->flags & POSE_TRACKED) != 0;
    counters->samples++;
}

track_result track_push(track *t, const pipeline_settings *settings, int64_t time_ns, const pose_sample *sample,
                        pipeline_counters *counters)
{
    pose_verdict verdict;

    if (!track_is_empty(t) && time_ns < track_last(t)->time_ns) {
        counters->refused_late++;
        return TRACK_REFUSED;
    }
    if (!(sample->flags & POSE_VALID)) {
        counters->invalid++;
        track_cut(t, counters);
        return TRACK_INVALID;
    }
    verdict = pose_check(sample);
    if (verdict != POSE_GOOD) {
        counters->refused_not_finite += verdict == POSE_NOT_FINITE;
        counters->refused_too_far += verdict == POSE_TOO_FAR;
        counters->refused_not_unit += verdict == POSE_NOT_UNIT;
        return TRACK_REFUSED;
    }
    if (!(sample->flags & POSE_TRACKED)) {
        counters->untracked++;
        if (settings->require_tracked) {
            track_cut(t, counters);
            return TRACK_UNTRACKED;
        }
    }
    if (sample->flags & POSE_TELEPORT ||
        (!(sample->flags & POSE_JOINED) && !track_is_empty(t) && track_has_gap(t, settings, time_ns)))
        track_cut(t, counters);
    track_enter(t, time_ns, sample, counters);
    return TRACK_ENTERED;
}

bool track_pose_at(const track *t, int64_t time_ns, clash_pose *out_pose)
{
    const track_sample *from, *to;
    uint64_t index;

    if (track_is_empty(t) || track_at(t, track_first(t))->time_ns > time_ns)
        return false;
    index = track_find(t, time_ns);
    from = track_at(t, index);
    *out_pose = from->pose;
    if (from->time_ns == time_ns)
        return true;
    if (index + 1 == t->end)
        return !t->ended;
    to = track_at(t, index + 1);
    if (from->segment != to->segment)
        return false;
    *out_pose = clash_motion_at(&(clash_motion){from->pose, to->pose},
                                (double)(time_ns - from->time_ns) / (double)(to->time_ns - from->time_ns));
    return true;
}

/* Change from one feeder to another; see feeds.h. The new one's first sample is its place where the old one ended or,
 * if it begins later, its own first; then comes what it has sent since. Devices that switch at once share frames. */
#include "feeds_private.h"

#include <stdio.h>

feed_rank feeds_choose(const feed *f)
{
    for (int rank = FEED_GAME; rank >= FEED_OWN; rank--)
        if (f->feeders[rank].usable.is_live)
            return (feed_rank)rank;
    return FEED_RANKS;
}

void feeds_deliver(scene *s, const pose_frame *frame)
{
    s->is_in_step = frame->more;
    pipeline_finish(s->pipeline); /* a frame comes after all events of the step before */
    if (s->sinks->frame)
        s->sinks->frame(s->sinks->context, frame);
    pipeline_frame(s->pipeline, frame);
}

static clash_feed_source source_of(const scene *s, feed_rank rank)
{
    return rank == FEED_GAME ? CLASH_SOURCE_GAME : rank == FEED_OWN ? s->own : CLASH_SOURCE_LAYER;
}

/* Load the active feeder's sample of that index, if there is one. */
static void load_next(feed *f, uint64_t index)
{
    const track *t = &f->feeders[f->active].track;
    const track_sample *from;

    f->has_next = index < t->end;
    if (!f->has_next)
        return;
    from = track_at(t, index);
    f->next_index = index + 1;
    f->next_ns = from->time_ns;
    f->sample = (pose_sample){
        .device = f->device, .pose = from->pose, .flags = POSE_VALID | (from->tracked ? POSE_TRACKED : 0u)};
    if (index > track_first(t) && track_at(t, index - 1)->segment != from->segment)
        f->sample.flags |= POSE_TELEPORT;
    else if (index > track_first(t) && from->time_ns - track_at(t, index - 1)->time_ns > TRACK_GAP_LEAST_NS)
        f->sample.flags |= POSE_JOINED; /* its own track joins them */
}

/* Load the first sample of the chosen feeder (perhaps the active one, after it waited for another in vain). If its
 * motion began before the old one's end, that is its place at that end. Return false if nothing has come since. */
static bool begin(scene *s, feed *f, feed_rank chosen)
{
    const track *t = &f->feeders[chosen].track;
    uint64_t index = track_first(t);
    clash_pose pose;
    bool is_other;

    while (index < t->end && track_at(t, index)->time_ns <= f->last_ns)
        index++;
    if (index == t->end)
        return false;
    is_other = f->active != chosen;
    f->active = chosen;
    load_next(f, index);
    if (!is_other)
        return true;
    if (f->had_samples && !(f->sample.flags & POSE_TELEPORT) && track_pose_at(t, f->last_ns, &pose)) {
        f->sample.pose = pose;
        f->next_ns = f->last_ns;
        f->next_index = index;
        if (!track_at(t, index - 1)->tracked)
            f->sample.flags &= ~(uint32_t)POSE_TRACKED;
    }
    f->sample.flags &= ~(uint32_t)POSE_JOINED;
    if (f->had_samples)
        f->sample.flags |= pose_other_feed(source_of(s, chosen));
    else
        pipeline_set_source(s->pipeline, f->device, source_of(s, chosen));
    s->feed_switches += f->had_samples;
    f->had_samples = true;
    return true;
}

static int64_t earliest(const scene *s)
{
    int64_t time_ns = INT64_MAX;

    for (const feed *f = s->feeds; f; f = f->next)
        if (f->has_next && f->next_ns < time_ns)
            time_ns = f->next_ns;
    return time_ns;
}

/* Deliver the loaded samples in the order of their times; with_rest: and all that follow in their feeders' tracks. */
static void deliver_next(scene *s, bool with_rest)
{
    pose_frame frame = {0};

    while ((frame.time_ns = earliest(s)) != INT64_MAX) {
        for (feed *f = s->feeds; f; f = f->next) {
            if (!f->has_next || f->next_ns != frame.time_ns)
                continue;
            if (frame.count == POSE_FRAME_SAMPLES_MAX) {
                frame.more = true;
                feeds_deliver(s, &frame);
                frame.count = 0;
            }
            frame.samples[frame.count++] = f->sample;
            f->last_ns = frame.time_ns;
            f->has_next = false;
            if (with_rest)
                load_next(f, f->next_index);
        }
        frame.more = false;
        feeds_deliver(s, &frame);
        frame.count = 0;
    }
}

void feeds_switch(scene *s)
{
    bool is_any = false;

    for (feed *f = s->feeds; f; f = f->next) {
        const feed_rank chosen = feeds_choose(f);

        f->is_switched = chosen != FEED_RANKS && begin(s, f, chosen);
        is_any |= f->is_switched;
    }
    if (!is_any)
        return;
    deliver_next(s, false);
    for (feed *f = s->feeds; f; f = f->next)
        if (f->is_switched)
            load_next(f, f->next_index);
    deliver_next(s, true);
}

void feeds_settle(scene *s, int64_t time_ns)
{
    feeds_switch(s);
    for (feed *f = s->feeds; f; f = f->next) {
        const bool is_lost = f->has_lost && feeds_choose(f) == FEED_RANKS;

        f->has_lost = false;
        if (!is_lost)
            continue;
        pipeline_lost(s->pipeline, f->device, time_ns, CLASH_TRACKING_LOST);
        if (!feeds_has_other(s, NULL, f->device))
            pipeline_set_source(s->pipeline, f->device, s->devices[f->device].is_sources ? s->own : CLASH_SOURCE_NONE);
        f->last_ns = time_ns > f->last_ns ? time_ns : f->last_ns;
    }
}

/* The walk: done_ns goes from sample time to sample time of either track. Between two of them is an interval, part of
 * one motion of each track. Across a cut there is no motion, so nothing is swept and an open contact ends. */
#include "pipeline/pairs.h"

#include "pipeline/blades.h"

/* Return how many of the two have a track to walk: a static target has none and is always there. */
static int walked(const pair_view *view)
{
    return view->tracks[1] ? 2 : 1;
}

static bool side_has_next(const pair *p, const pair_view *view, int side)
{
    return p->cursors[side] + 1 < view->tracks[side]->end;
}

/* Return whether the sample under the cursor is still in the ring. */
static bool side_is_held(const pair *p, const pair_view *view, int side)
{
    return p->cursors[side] >= track_first(view->tracks[side]);
}

static const track_sample *side_sample(const pair *p, const pair_view *view, int side, uint64_t ahead)
{
    return track_at(view->tracks[side], p->cursors[side] + ahead);
}

void pair_abandon(pair *p, const pair_view *view, clash_release_reason reason)
{
    contacts_abandon(&p->contact, view->output, &view->who, p->done_ns, reason);
}

static void pair_cut(pair *p, const pair_view *view)
{
    pair_abandon(p, view, CLASH_RELEASE_TRACK_CUT);
}

void pair_begin(pair *p, const pair_view *view, int64_t done_ns)
{
    *p = (pair){.done_ns = done_ns};
    for (int side = 0; side < walked(view); side++)
        p->cursors[side] = track_find(view->tracks[side], done_ns);
}

/* Move done_ns to where both tracks have begun, and each cursor to the last sample not after it. */
static void pair_settle(pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (side_is_held(p, view, side) && side_sample(p, view, side, 0)->time_ns > p->done_ns)
            p->done_ns = side_sample(p, view, side, 0)->time_ns;
    for (int side = 0; side < walked(view); side++)
        while (side_is_held(p, view, side) && side_has_next(p, view, side) &&
               side_sample(p, view, side, 1)->time_ns <= p->done_ns)
            p->cursors[side]++;
}

/* A teleport may replace a sample up to which the pair was swept: the cut is then behind the cursor. */
static void pair_check_segments(pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (side_is_held(p, view, side) && side_sample(p, view, side, 0)->segment != p->segments[side])
            pair_cut(p, view);
}

/* Step over a cut if it comes next on one of the tracks. Return whether it did. */
static bool pair_skip_cut(pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++) {
        const track_sample *sample = side_sample(p, view, side, 0);
        const track_sample *next = side_sample(p, view, side, 1);

        if (!side_is_held(p, view, side) || !side_has_next(p, view, side) || sample->segment == next->segment)
            continue;
        pair_cut(p, view);
        p->done_ns = next->time_ns;
        return true;
    }
    return false;
}

/* Return whether the walk has come to a track's last sample, after which the track was cut: what the other track has
 * beyond is not covered by both, so losing it does not matter. */
static bool pair_is_at_end(const pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (!side_has_next(p, view, side) && view->tracks[side]->ended)
            return true;
    return false;
}

/* The ring lost samples before the walk came to them: count the overrun and skip it. Return true if a cursor moved. */
static bool pair_skip_overrun(pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++) {
        if (side_is_held(p, view, side))
            continue;
        p->cursors[side] = track_first(view->tracks[side]);
        if (side_sample(p, view, side, 0)->time_ns > p->done_ns) {
            view->output->counters->overruns++;
            pair_cut(p, view);
            p->done_ns = side_sample(p, view, side, 0)->time_ns;
        }
        return true;
    }
    return false;
}

/* A motion's nanoseconds are far below 2^53, and all of it divides to exactly 1. */
static double motion_fraction(const track_sample *from, int64_t time_ns, int64_t motion_ns)
{
    return (double)(time_ns - from->time_ns) / (double)motion_ns;
}

static int64_t pair_next_ns(const pair *p, const pair_view *view)
{
    int64_t next_ns = INT64_MAX;

    for (int side = 0; side < walked(view); side++) {
        int64_t end_ns = side_sample(p, view, side, 1)->time_ns;

        next_ns = end_ns < next_ns ? end_ns : next_ns;
    }
    return next_ns;
}

/* Give the static target a motion that stays in place for the whole interval. */
static void stand_still(pair_interval *interval)
{
    const pipeline_target *target = interval->who.target;

    interval->motion_ns[1] = interval->to_ns - interval->from_ns;
    interval->motions[1] = (clash_motion){target->pose, target->pose};
    interval->input.colliders[1] = clash_collider_of_shape(&target->shape, &interval->motions[1]);
}

static clash_collider interval_collider(const pair_interval *interval, int side)
{
    if (side == 1 && interval->who.target)
        return clash_collider_of_shape(&interval->who.target->shape, &interval->motions[1]);
    return blade_collider(interval->who.blades[side], &interval->motions[side]);
}

static void pair_sweep_interval(pair *p, const pair_view *view)
{
    const pipeline_settings *settings = view->output->settings;
    pair_interval interval = {.from_ns = p->done_ns,
                              .to_ns = pair_next_ns(p, view),
                              .input = {.margin = settings->margin, .release_margin = settings->release_margin},
                              .who = view->who,
                              .tracked = true};

    for (int side = 0; side < walked(view); side++) {
        const track_sample *from = side_sample(p, view, side, 0);
        const track_sample *to = side_sample(p, view, side, 1);
        clash_collider *collider = &interval.input.colliders[side];

        interval.motion_ns[side] = to->time_ns - from->time_ns;
        interval.motions[side] = (clash_motion){from->pose, to->pose};
        *collider = interval_collider(&interval, side);
        collider->span = (clash_span){motion_fraction(from, interval.from_ns, interval.motion_ns[side]),
                                      motion_fraction(from, interval.to_ns, interval.motion_ns[side])};
        interval.tracked = interval.tracked && from->tracked && to->tracked;
        p->segments[side] = from->segment;
    }
    if (walked(view) < 2)
        stand_still(&interval);
    contacts_sweep(&p->contact, view->output, &interval);
    p->done_ns = interval.to_ns;
}

static bool pair_has_next(const pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (!side_has_next(p, view, side))
            return false;
    return true;
}

/* Take one step of the walk. Return false if it can go no further. */
static bool pair_step(pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (track_is_empty(view->tracks[side]))
            return false;
    pair_settle(p, view);
    pair_check_segments(p, view);
    if (pair_skip_cut(p, view))
        return true;
    if (pair_is_at_end(p, view)) {
        pair_cut(p, view);
        return false;
    }
    if (pair_skip_overrun(p, view))
        return true;
    if (!pair_has_next(p, view))
        return false;
    pair_sweep_interval(p, view);
    return true;
}

void pair_advance(pair *p, const pair_view *view)
{
    while (pair_step(p, view))
        continue;
}

bool pair_is_worth_keeping(const pair *p, const pair_view *view)
{
    for (int side = 0; side < walked(view); side++)
        if (p->done_ns > track_last(view->tracks[side])->time_ns)
            return true;
    return p->contact.state.touching;
}

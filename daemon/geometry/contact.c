/* The contact tracker: alternates between the two searches of a pair (first within, first beyond) through an interval.
 * Pure; knows nothing of time, names or events. */
#include <clash/contact.h>

#include "pair.h"

#define MIN_DISTANCE_RESOLUTION 1e-5

typedef struct limits {
    double start, end; /* m: touching from distance <= start on, until distance > end */
} limits;

static bool settings_are_valid(clash_contact_settings s)
{
    return s.margin >= 0.0f && s.release_margin >= 0.0f && isfinite(s.margin) && isfinite(s.release_margin);
}

static limits limits_of(clash_contact_settings settings, const clash_body *a, const clash_body *b)
{
    double start = (double)a->shape.radius + (double)b->shape.radius + (double)settings.margin;
    float hysteresis = settings.release_margin;

    if (hysteresis < CLASH_CONTACT_RELEASE_MIN)
        hysteresis = CLASH_CONTACT_RELEASE_MIN;
    return (limits){start, start + (double)hysteresis};
}

static void note_min_distance(clash_contact_state *state, const pair *p, double from, double to)
{
    float least = (float)pair_min_distance(p, from, to, MIN_DISTANCE_RESOLUTION);

    if (least < state->min_distance)
        state->min_distance = least;
}

/** Looks for the next change from *x on; moves *x there, or to the end. */
static bool next_change(clash_contact_state *state, const pair *p, limits l, double *x,
                        clash_contact_change *out_change)
{
    pair_search search;

    if (state->touching)
        pair_first_beyond(p, l.end, *x, 1.0, &search);
    else
        pair_first_within(p, l.start, *x, 1.0, &search);
    if (state->touching)
        note_min_distance(state, p, *x, search.found ? search.x : 1.0);
    *x = search.found ? search.x : 1.0;
    if (!search.found || !pair_contact(p, search.x, &search.state, &out_change->contact))
        return false;
    if (!state->touching)
        state->min_distance = out_change->contact.distance;
    out_change->kind = state->touching ? CLASH_CONTACT_END : CLASH_CONTACT_START;
    out_change->min_distance = state->min_distance;
    state->touching = !state->touching;
    return true;
}

size_t clash_contact_advance(clash_contact_state *state, clash_contact_settings settings, const clash_body *a,
                             clash_span span_a, const clash_body *b, clash_span span_b,
                             clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    size_t count = 0;
    double x = 0.0;
    limits l;
    pair p;

    if (!body_is_valid(a) || !body_is_valid(b) || !span_is_valid(span_a) || !span_is_valid(span_b) ||
        !settings_are_valid(settings))
        return 0;
    l = limits_of(settings, a, b);
    if (!state->touching && pair_spheres_apart(a, b, l.start))
        return 0;
    pair_prepare(&p, a, span_a, b, span_b);
    while (count < CLASH_CONTACT_CHANGES_MAX && next_change(state, &p, l, &x, &out_changes[count]))
        count++;
    return count;
}

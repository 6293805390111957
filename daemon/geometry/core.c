/* The core's entry points around the searches of pair_time_of_impact.h. CORE_NAME is the table's name in this
 * compilation. Pure. */
#include "core_unit.h"

static const clash_span whole = {0.0, 1.0};

static clash_sweep_result pair_time_of_impact(const clash_body *a, clash_span span_a, const clash_body *b,
                                              clash_span span_b, double limit, clash_contact *out_contact)
{
    pair p;
    pair_toi search;

    pair_prepare(&p, a, span_a, b, span_b);
    if (!pair_first_within(&p, limit, 0.0, 1.0, &search))
        return CLASH_SWEEP_APART;
    if (!contact_of(&p, search.x, &search.state, out_contact))
        return CLASH_SWEEP_INVALID;
    return search.x > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

static bool is_whole(clash_span span)
{
    return span.from == 0.0 && span.to == 1.0;
}

static clash_sweep_result sweep(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact)
{
    if (separation_proves_apart(a, b, limit))
        return CLASH_SWEEP_APART;
    return pair_time_of_impact(a, whole, b, whole, limit, out_contact);
}

clash_sweep_result CORE(sweep_near)(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact)
{
    return pair_time_of_impact(a, whole, b, whole, limit, out_contact);
}

/** Two colliders of one capsule each. */
typedef struct capsule_pair {
    clash_body a, b;
    clash_span span_a, span_b;
    double limit; /* of the axes' distance, m */
} capsule_pair;

static capsule_pair capsule_pair_of(const clash_toi_input *in)
{
    const clash_collider *a = &in->colliders[0], *b = &in->colliders[1];
    double radii = (double)a->capsules[0].radius + (double)b->capsules[0].radius;

    return (capsule_pair){body_of(a, 0), body_of(b, 0), a->span, b->span, radii + (double)in->margin};
}

static bool capsule_pair_is_apart(const capsule_pair *d)
{
    return is_whole(d->span_a) && is_whole(d->span_b) && separation_proves_apart(&d->a, &d->b, d->limit);
}

static clash_sweep_result capsule_pair_impact(const clash_toi_input *in, clash_toi_output *out)
{
    capsule_pair d = capsule_pair_of(in);
    clash_sweep_result result;

    if (capsule_pair_is_apart(&d))
        return CLASH_SWEEP_APART;
    result = pair_time_of_impact(&d.a, d.span_a, &d.b, d.span_b, d.limit, &out->contact);
    if (result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP)
        name_parts(out, 0, 0);
    return result;
}

/** Return the least distance over from..to by halving its range: each search either finds a smaller one or proves that
 *  there is none. Also ends if doubles are further apart than the resolution. */
static double min_distance(const pair *p, double from, double to)
{
    pair_state ends;
    double low = 0.0, high;

    pair_at(p, from, &ends);
    high = ends.distance;
    pair_at(p, to, &ends);
    high = min_of(high, ends.distance);
    while (is_range(low, high)) {
        pair_toi search;
        double middle = 0.5 * (low + high);

        if (middle <= low || middle >= high)
            break;
        if (pair_first_within(p, middle, from, to, &search))
            high = min_of(middle, search.state.distance);
        else
            low = middle;
    }
    return high;
}

/** Look for the next change from *x on; move *x there, or to the end. */
static bool next_change(clash_contact_state *state, const pair *p, double start_limit, double end_limit, double *x,
                        clash_contact_change *out_change)
{
    pair_toi search;
    bool found = state->touching
                     ? pair_first_beyond(p, end_after(start_limit, end_limit, p->tolerance), *x, 1.0, &search)
                     : pair_first_within(p, start_limit, *x, 1.0, &search);
    double until = found ? search.x : 1.0;

    if (state->touching)
        state->min_distance = (float)min_of((double)state->min_distance, min_distance(p, *x, until));
    *x = until;
    if (!found || !contact_of(p, search.x, &search.state, &out_change->impact.contact))
        return false;
    if (!state->touching)
        state->min_distance = out_change->impact.contact.distance;
    out_change->kind = state->touching ? CLASH_CONTACT_END : CLASH_CONTACT_START;
    out_change->min_distance = state->min_distance;
    name_parts(&out_change->impact, 0, 0);
    state->touching = !state->touching;
    return true;
}

/* If there are more changes than fit, their number is even and the state is as at the start: if that contradicts the
 * end of the interval, the next interval begins with the missing change. */
static size_t capsule_pair_advance(clash_contact_state *state, const clash_toi_input *in,
                                   clash_contact_change *out_changes)
{
    capsule_pair d = capsule_pair_of(in);
    double end_limit = d.limit + release_margin_of(in), x = 0.0;
    size_t count = 0;
    pair p;

    if (!state->touching && capsule_pair_is_apart(&d))
        return 0;
    pair_prepare(&p, &d.a, d.span_a, &d.b, d.span_b);
    while (count < CLASH_CONTACT_CHANGES_MAX && next_change(state, &p, d.limit, end_limit, &x, &out_changes[count]))
        count++;
    return count;
}

static bool is_capsule_pair(const clash_toi_input *in)
{
    return in->colliders[0].capsule_count == 1 && in->colliders[1].capsule_count == 1;
}

static clash_sweep_result time_of_impact(const clash_toi_input *in, clash_toi_output *out)
{
    return in->colliders[1].shape ? CORE(target_impact)(in, out)
           : is_capsule_pair(in)  ? capsule_pair_impact(in, out)
                                  : CORE(parts_impact)(in, out);
}

static clash_sweep_result contact_at(const clash_toi_input *in, double fraction, clash_toi_output *out)
{
    return in->colliders[1].shape ? CORE(target_contact_at)(in, fraction, out)
                                  : CORE(parts_contact_at)(in, fraction, out);
}

static size_t contact_advance(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes)
{
    return in->colliders[1].shape ? CORE(target_advance)(state, in, out_changes)
           : is_capsule_pair(in)  ? capsule_pair_advance(state, in, out_changes)
                                  : CORE(parts_advance)(state, in, out_changes);
}

const core CORE_NAME = {.sweep = sweep,
                        .sweep_near = CORE(sweep_near),
                        .time_of_impact = time_of_impact,
                        .contact_at = contact_at,
                        .contact_advance = contact_advance,
                        .spheres_apart_run = CORE(spheres_apart_run),
                        .eight_apart = CORE(eight_apart),
                        .sixteen_apart = CORE(sixteen_apart),
                        .sweep_many = CORE(sweep_many)};

/* The public sweep: checks what comes in, prepares the pair, searches, and words the answer. Pure. */
#include "pair.h"

#define WHOLE ((clash_span){0.0, 1.0})

static bool input_is_valid(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b, float margin)
{
    return body_is_valid(a) && body_is_valid(b) && span_is_valid(span_a) && span_is_valid(span_b) && margin >= 0.0f &&
           isfinite(margin);
}

clash_sweep_result clash_sweep_span(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b,
                                    float margin, clash_contact *out_contact)
{
    double limit = (double)a->shape.radius + (double)b->shape.radius + (double)margin;
    pair p;
    pair_search search;
    clash_contact contact;

    if (!input_is_valid(a, span_a, b, span_b, margin))
        return CLASH_SWEEP_INVALID;
    if (pair_spheres_apart(a, b, limit))
        return CLASH_SWEEP_APART;
    pair_prepare(&p, a, span_a, b, span_b);
    pair_first_within(&p, limit, 0.0, 1.0, &search);
    if (!search.found)
        return CLASH_SWEEP_APART;
    if (!pair_contact(&p, search.x, &search.state, &contact))
        return CLASH_SWEEP_INVALID;
    if (out_contact)
        *out_contact = contact;
    return search.x > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

clash_sweep_result clash_sweep(const clash_body *a, const clash_body *b, clash_contact *out_contact)
{
    return clash_sweep_span(a, WHOLE, b, WHOLE, 0.0f, out_contact);
}

clash_sweep_result clash_sweep_at(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b,
                                  float margin, double fraction, clash_contact *out_contact)
{
    double limit = (double)a->shape.radius + (double)b->shape.radius + (double)margin;
    pair p;
    pair_state state;
    clash_contact contact;

    if (!input_is_valid(a, span_a, b, span_b, margin) || !(fraction >= 0.0 && fraction <= 1.0))
        return CLASH_SWEEP_INVALID;
    pair_prepare(&p, a, span_a, b, span_b);
    pair_at(&p, fraction, &state);
    if (!pair_contact(&p, fraction, &state, &contact))
        return CLASH_SWEEP_INVALID;
    if (out_contact)
        *out_contact = contact;
    return state.distance <= limit + p.tolerance ? CLASH_SWEEP_OVERLAP : CLASH_SWEEP_APART;
}

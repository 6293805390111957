/* The public sweep: checks what comes in, tries the cheap proof, and leaves the rest to the core. Pure. */
#include "core.h"
#include "validate.h"

static const clash_span whole = {0.0, 1.0};

static bool input_is_valid(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b, float margin)
{
    return body_is_valid(a) && body_is_valid(b) && span_is_valid(span_a) && span_is_valid(span_b) &&
           margin_is_valid(margin);
}

static double limit_of(const clash_body *a, const clash_body *b, float margin)
{
    return (double)a->shape.radius + (double)b->shape.radius + (double)margin;
}

clash_sweep_result clash_sweep_span(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b,
                                    float margin, clash_contact *out_contact)
{
    double limit = limit_of(a, b, margin);

    if (!input_is_valid(a, span_a, b, span_b, margin))
        return CLASH_SWEEP_INVALID;
    return core_get()->sweep(a, span_a, b, span_b, limit, out_contact);
}

clash_sweep_result clash_sweep(const clash_body *a, const clash_body *b, clash_contact *out_contact)
{
    return clash_sweep_span(a, whole, b, whole, 0.0f, out_contact);
}

clash_sweep_result clash_sweep_at(const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b,
                                  float margin, double fraction, clash_contact *out_contact)
{
    if (!input_is_valid(a, span_a, b, span_b, margin) || !(fraction >= 0.0 && fraction <= 1.0))
        return CLASH_SWEEP_INVALID;
    return core_get()->at(a, span_a, b, span_b, limit_of(a, b, margin), fraction, out_contact);
}

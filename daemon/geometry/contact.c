/* The contact tracker's public face: checks what comes in, sets the limits, and leaves the rest to the core. Pure; knows
 * nothing of time, names or events. */
#include "core.h"
#include "validate.h"

size_t clash_contact_advance(clash_contact_state *state, clash_contact_settings settings, const clash_body *a,
                             clash_span span_a, const clash_body *b, clash_span span_b,
                             clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    double start = (double)a->shape.radius + (double)b->shape.radius + (double)settings.margin;

    if (!body_is_valid(a) || !body_is_valid(b) || !span_is_valid(span_a) || !span_is_valid(span_b) ||
        !settings_are_valid(settings))
        return 0;
    return core_get()->follow(state, start, start + settings_release_margin(settings), a, span_a, b, span_b,
                              out_changes);
}

size_t clash_parts_advance(clash_contact_state *state, clash_contact_settings settings, const clash_parts *a,
                           clash_span span_a, const clash_parts *b, clash_span span_b,
                           clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    double start = (double)settings.margin;

    if (a->count == 1 && b->count == 1) {
        clash_body one = {a->capsules[0], a->motion}, other = {b->capsules[0], b->motion};

        return clash_contact_advance(state, settings, &one, span_a, &other, span_b, out_changes);
    }
    if (!parts_are_valid(a, span_a) || !parts_are_valid(b, span_b) || !settings_are_valid(settings))
        return 0;
    return core_get()->parts_follow(state, start, start + settings_release_margin(settings), a, span_a, b, span_b,
                                    out_changes);
}

clash_sweep_result clash_parts_at(const clash_parts *a, clash_span span_a, const clash_parts *b, clash_span span_b,
                                  float margin, double fraction, clash_contact *out_contact, uint32_t out_parts[2])
{
    uint32_t parts[2];

    if (!parts_are_valid(a, span_a) || !parts_are_valid(b, span_b) || !margin_is_valid(margin) ||
        !(fraction >= 0.0 && fraction <= 1.0))
        return CLASH_SWEEP_INVALID;
    return core_get()->parts_at(a, span_a, b, span_b, (double)margin, fraction, out_contact,
                                out_parts ? out_parts : parts);
}

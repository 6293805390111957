/* The contact tracker's public face: checks what comes in, sets the limits, and leaves the rest to the core. Pure; knows
 * nothing of time, names or events. */
#include "core.h"
#include "validate.h"

#include <math.h>

static bool settings_are_valid(clash_contact_settings s)
{
    return s.margin >= 0.0f && s.release_margin >= 0.0f && isfinite(s.margin) && isfinite(s.release_margin);
}

size_t clash_contact_advance(clash_contact_state *state, clash_contact_settings settings, const clash_body *a,
                             clash_span span_a, const clash_body *b, clash_span span_b,
                             clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    double start = (double)a->shape.radius + (double)b->shape.radius + (double)settings.margin;
    float hysteresis = settings.release_margin;

    if (!body_is_valid(a) || !body_is_valid(b) || !span_is_valid(span_a) || !span_is_valid(span_b) ||
        !settings_are_valid(settings))
        return 0;
    if (hysteresis < CLASH_CONTACT_RELEASE_MIN)
        hysteresis = CLASH_CONTACT_RELEASE_MIN;
    return core_get()->follow(state, start, start + (double)hysteresis, a, span_a, b, span_b, out_changes);
}

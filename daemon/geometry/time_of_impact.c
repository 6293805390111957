/* The public sweep, time of impact and contact tracker: check the input and leave the rest to the core. Pure; knows
 * nothing of time, names or events. */
#include "core.h"
#include "validate.h"

/* m: more than hands tremble. */
#define RELEASE_MARGIN 0.005f

clash_toi_input clash_toi_input_default(void)
{
    const clash_collider none = {.span = {0.0, 1.0}};

    return (clash_toi_input){.colliders = {none, none}, .release_margin = RELEASE_MARGIN};
}

clash_sweep_result clash_sweep(const clash_body *a, const clash_body *b, clash_contact *out_contact)
{
    double limit = (double)a->shape.radius + (double)b->shape.radius;

    if (!body_is_valid(a) || !body_is_valid(b))
        return CLASH_SWEEP_INVALID;
    return core_get()->sweep(a, b, limit, out_contact);
}

clash_sweep_result clash_time_of_impact(const clash_toi_input *input, clash_toi_output *out)
{
    clash_toi_output unwanted;

    if (!toi_input_is_valid(input))
        return CLASH_SWEEP_INVALID;
    return core_get()->time_of_impact(input, out ? out : &unwanted);
}

clash_sweep_result clash_contact_at(const clash_toi_input *input, double fraction, clash_toi_output *out)
{
    clash_toi_output unwanted;

    if (!toi_input_is_valid(input) || !(fraction >= 0.0 && fraction <= 1.0))
        return CLASH_SWEEP_INVALID;
    return core_get()->contact_at(input, fraction, out ? out : &unwanted);
}

size_t clash_contact_advance(clash_contact_state *state, const clash_toi_input *input,
                             clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    if (!toi_input_is_valid(input) || !margin_is_valid(input->release_margin))
        return 0;
    return core_get()->contact_advance(state, input, out_changes);
}

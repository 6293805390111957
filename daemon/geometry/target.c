/* The public face of sweeping blades with targets: checks what comes in, and leaves the rest to the core. Pure. */
#include "core.h"
#include "validate.h"

static clash_parts parts_of(const clash_body *blade)
{
    return (clash_parts){&blade->shape, 1, blade->motion};
}

static bool input_is_valid(const clash_parts *blade, clash_span span_blade, const clash_target *target,
                           clash_span span_target)
{
    return parts_are_valid(blade, span_blade) && span_is_valid(span_target) &&
           target_is_valid(&target->shape, &target->motion);
}

clash_sweep_result clash_sweep_target(const clash_body *blade, clash_span span_blade, const clash_target *target,
                                      clash_span span_target, float margin, clash_surface_contact *out_contact)
{
    clash_parts parts = parts_of(blade);

    if (!input_is_valid(&parts, span_blade, target, span_target) || !margin_is_valid(margin))
        return CLASH_SWEEP_INVALID;
    return core_get()->target_sweep(&parts, span_blade, target, span_target, (double)margin, out_contact);
}

clash_sweep_result clash_target_at(const clash_body *blade, clash_span span_blade, const clash_target *target,
                                   clash_span span_target, float margin, double fraction,
                                   clash_surface_contact *out_contact)
{
    clash_parts parts = parts_of(blade);

    return clash_surface_at(&parts, span_blade, target, span_target, margin, fraction, out_contact, NULL);
}

size_t clash_surface_advance(clash_contact_state *state, clash_contact_settings settings, const clash_parts *blade,
                             clash_span span_blade, const clash_target *target, clash_span span_target,
                             clash_surface_change out_changes[CLASH_CONTACT_CHANGES_MAX])
{
    double start = (double)settings.margin;

    if (!input_is_valid(blade, span_blade, target, span_target) || !settings_are_valid(settings))
        return 0;
    return core_get()->target_follow(state, start, start + settings_release_margin(settings), blade, span_blade, target,
                                     span_target, out_changes);
}

clash_sweep_result clash_surface_at(const clash_parts *blade, clash_span span_blade, const clash_target *target,
                                    clash_span span_target, float margin, double fraction,
                                    clash_surface_contact *out_contact, uint32_t *out_part)
{
    uint32_t part;

    if (!input_is_valid(blade, span_blade, target, span_target) || !margin_is_valid(margin) ||
        !(fraction >= 0.0 && fraction <= 1.0))
        return CLASH_SWEEP_INVALID;
    return core_get()->target_moment(blade, span_blade, target, span_target, (double)margin, fraction, out_contact,
                                     out_part ? out_part : &part);
}

/* The time of impact as most tests ask for it: of two bodies, of two blades of parts, of a blade and a moving shape,
 * each with its span. Only builds the input. */
#ifndef CLASHD_TESTS_IMPACT_H
#define CLASHD_TESTS_IMPACT_H

#include <clash/broad.h>
#include <clash/contact.h>
#include <string.h>

/** Capsules on one device. */
typedef struct impact_parts {
    const clash_capsule *capsules;
    size_t count;
    clash_motion motion;
} impact_parts;

typedef struct impact_target {
    clash_shape shape;
    clash_motion motion;
} impact_target;

typedef struct impact_settings {
    float margin, release_margin;
} impact_settings;

static inline clash_collider impact_with_span(clash_collider collider, clash_span span)
{
    collider.span = span;
    return collider;
}

static inline clash_collider impact_body(const clash_body *body, clash_span span)
{
    return impact_with_span(clash_collider_of_capsules(&body->shape, 1, &body->motion), span);
}

static inline clash_collider impact_blade(const impact_parts *parts, clash_span span)
{
    return impact_with_span(clash_collider_of_capsules(parts->capsules, parts->count, &parts->motion), span);
}

static inline clash_collider impact_shape(const impact_target *target, clash_span span)
{
    return impact_with_span(clash_collider_of_shape(&target->shape, &target->motion), span);
}

static inline clash_toi_input impact_bodies(const clash_body *a, clash_span span_a, const clash_body *b,
                                            clash_span span_b, impact_settings s)
{
    return (clash_toi_input){{impact_body(a, span_a), impact_body(b, span_b)}, s.margin, s.release_margin};
}

static inline clash_toi_input impact_blades(const impact_parts *a, clash_span span_a, const impact_parts *b,
                                            clash_span span_b, impact_settings s)
{
    return (clash_toi_input){{impact_blade(a, span_a), impact_blade(b, span_b)}, s.margin, s.release_margin};
}

static inline clash_toi_input impact_blade_target(const impact_parts *a, clash_span span_a, const impact_target *b,
                                                  clash_span span_b, impact_settings s)
{
    return (clash_toi_input){{impact_blade(a, span_a), impact_shape(b, span_b)}, s.margin, s.release_margin};
}

static inline clash_toi_input impact_body_target(const clash_body *a, clash_span span_a, const impact_target *b,
                                                 clash_span span_b, float margin)
{
    return (clash_toi_input){{impact_body(a, span_a), impact_shape(b, span_b)}, margin, 0};
}

/** Return only the contact, unchanged if nothing is written. Not inline, because out may be uninitialised. */
__attribute__((noinline, unused)) static clash_sweep_result impact_sweep(const clash_body *a, clash_span span_a,
                                                                         const clash_body *b, clash_span span_b,
                                                                         float margin, clash_contact *out)
{
    clash_toi_input in = impact_bodies(a, span_a, b, span_b, (impact_settings){margin, 0});
    clash_toi_output found;
    clash_sweep_result result;

    if (!out)
        return clash_time_of_impact(&in, NULL);
    found.contact = *out;
    result = clash_time_of_impact(&in, &found);
    *out = found.contact;
    return result;
}

__attribute__((noinline, unused)) static clash_sweep_result impact_at(const clash_body *a, clash_span span_a,
                                                                      const clash_body *b, clash_span span_b,
                                                                      float margin, double fraction, clash_contact *out)
{
    clash_toi_input in = impact_bodies(a, span_a, b, span_b, (impact_settings){margin, 0});
    clash_toi_output found;
    clash_sweep_result result;

    found.contact = *out;
    result = clash_contact_at(&in, fraction, &found);
    *out = found.contact;
    return result;
}

static inline size_t impact_advance(clash_contact_state *state, impact_settings s, const clash_body *a,
                                    clash_span span_a, const clash_body *b, clash_span span_b,
                                    clash_contact_change *out_changes)
{
    clash_toi_input in = impact_bodies(a, span_a, b, span_b, s);

    return clash_contact_advance(state, &in, out_changes);
}

static inline size_t impact_advance_blades(clash_contact_state *state, impact_settings s, const impact_parts *a,
                                           clash_span span_a, const impact_parts *b, clash_span span_b,
                                           clash_contact_change *out_changes)
{
    clash_toi_input in = impact_blades(a, span_a, b, span_b, s);

    return clash_contact_advance(state, &in, out_changes);
}

static inline size_t impact_advance_target(clash_contact_state *state, impact_settings s, const impact_parts *blade,
                                           clash_span span_blade, const impact_target *target, clash_span span_target,
                                           clash_contact_change *out_changes)
{
    clash_toi_input in = impact_blade_target(blade, span_blade, target, span_target, s);

    return clash_contact_advance(state, &in, out_changes);
}

static inline clash_sweep_result impact_sweep_target(const clash_body *blade, clash_span span_blade,
                                                     const impact_target *target, clash_span span_target, float margin,
                                                     clash_toi_output *out)
{
    clash_toi_input in = impact_body_target(blade, span_blade, target, span_target, margin);

    return clash_time_of_impact(&in, out);
}

static inline clash_sweep_result impact_target_at(const clash_body *blade, clash_span span_blade,
                                                  const impact_target *target, clash_span span_target, float margin,
                                                  double fraction, clash_toi_output *out)
{
    clash_toi_input in = impact_body_target(blade, span_blade, target, span_target, margin);

    return clash_contact_at(&in, fraction, out);
}

/** Of two blades of parts; which they are of goes into out_parts. */
__attribute__((noinline, unused)) static clash_sweep_result impact_blades_at(const clash_toi_input *in, double fraction,
                                                                             clash_contact *out, uint32_t out_parts[2])
{
    clash_toi_output found;
    clash_sweep_result result;

    found.contact = *out;
    result = clash_contact_at(in, fraction, &found);
    *out = found.contact;
    if (result != CLASH_SWEEP_INVALID && out_parts)
        memcpy(out_parts, found.parts, sizeof found.parts);
    return result;
}

static inline clash_bounds impact_body_bounds(const clash_body *body, float margin)
{
    clash_collider collider = impact_body(body, (clash_span){0, 1});

    return clash_collider_bounds(&collider, margin);
}

static inline clash_bounds impact_blade_bounds(const impact_parts *parts, float margin)
{
    clash_collider collider = impact_blade(parts, (clash_span){0, 1});

    return clash_collider_bounds(&collider, margin);
}

static inline clash_bounds impact_target_bounds(const impact_target *target, float margin)
{
    clash_collider collider = impact_shape(target, (clash_span){0, 1});

    return clash_collider_bounds(&collider, margin);
}

#endif

/* The contact tracker: follows one pair of capsules, or of blades made of several, through consecutive intervals and finds
 * where each touching starts and ends. Starts at `distance <= radii + margin`, ends at `distance > radii + margin +
 * release_margin` (hysteresis). Pure, no allocation; the caller owns the state; one thread a state. */
#ifndef CLASH_CONTACT_H
#define CLASH_CONTACT_H

#include <clash/sweep.h>

CLASH_BEGIN_DECLS

typedef struct clash_contact_settings {
    float margin;         /**< m, >= 0, added to the sum of the radii */
    float release_margin; /**< m, >= 0, hysteresis; below CLASH_CONTACT_RELEASE_MIN that is used instead */
} clash_contact_settings;

/** The least hysteresis (m): without any, a pair that rests exactly at the limit would start and end without limit. Where
 *  blades are so far beyond CLASH_COORDINATE_MAX that touching is uncertain by more, four times that is used. */
#define CLASH_CONTACT_RELEASE_MIN 1e-6f

/** Zero-initialise: apart. */
typedef struct clash_contact_state {
    bool touching;
    float min_distance;  /**< smallest axis distance since the contact started, m, to within 0.01 mm; while touching */
    float min_clearance; /**< of clash_parts_advance: smallest distance less radii, by the parts of min_distance */
} clash_contact_state;

typedef enum clash_contact_change_kind { CLASH_CONTACT_START, CLASH_CONTACT_END } clash_contact_change_kind;

typedef struct clash_contact_change {
    clash_contact_change_kind kind;
    clash_contact contact; /**< at the change; `fraction` is of the shared interval */
    float min_distance;    /**< of the contact so far, m, to within 0.01 mm */
    uint32_t parts[2];     /**< which capsule of each body `contact` is of; 0 where there is but one */
} clash_contact_change;

/** The most changes reported for one interval. A pair that starts and ends more often than that within one interval
 *  has the rest of it left out; its state at the end of the interval is right all the same. */
#define CLASH_CONTACT_CHANGES_MAX 16

/** Advances `state` over one interval in which `a` goes through `span_a` and `b` through `span_b`, and writes the changes
 *  in order of time. Intervals must follow each other; after a cut zero the state. An odd number of changes flips
 *  `state->touching`. Returns how many were written; invalid input (see CLASH_SWEEP_INVALID) writes none, leaves the state
 *  as it was and returns 0. */
CLASH_API size_t clash_contact_advance(clash_contact_state *state, clash_contact_settings settings, const clash_body *a,
                                       clash_span span_a, const clash_body *b, clash_span span_b,
                                       clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX]);

/** A blade made of several capsules that are fixed to one device: a guard, a curved blade as a polyline. */
typedef struct clash_parts {
    const clash_capsule *capsules; /**< in the device's frame; the caller's */
    size_t count;                  /**< 1 .. CLASH_PARTS_MAX */
    clash_motion motion;
} clash_parts;

/** As clash_contact_advance, for blades made of parts. The clearance of two parts is the distance of their axes less their
 *  radii; the blades touch as their closest parts do: one contact, from where the first two parts come within `margin`
 *  until all are beyond `margin + release_margin`, however many touch and hand over to each other in between. A change's
 *  geometry is of the two parts with the least clearance at that time (of equal ones the first of `a`, then of `b`), its
 *  min_distance of those with the least clearance of the contact. With one part each it gives what clash_contact_advance
 *  does, bit for bit. Parts that hand over more than CLASH_PARTS_TURNS_MAX times within one interval count as touching
 *  until its end. */
CLASH_API size_t clash_parts_advance(clash_contact_state *state, clash_contact_settings settings, const clash_parts *a,
                                     clash_span span_a, const clash_parts *b, clash_span span_b,
                                     clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX]);

#define CLASH_PARTS_TURNS_MAX 64

/** As clash_sweep_at, of the two parts with the least clearance then; which they are goes into out_parts, unless NULL. */
CLASH_API clash_sweep_result clash_parts_at(const clash_parts *a, clash_span span_a, const clash_parts *b,
                                            clash_span span_b, float margin, double fraction,
                                            clash_contact *out_contact, uint32_t out_parts[2]);

typedef struct clash_surface_change {
    clash_contact_change_kind kind;
    clash_surface_contact contact; /**< at the change; contact.contact.fraction is of the shared interval */
    float min_distance;            /**< of the contact so far, m, to within 0.01 mm: from the axis to the shape */
    uint32_t part;                 /**< which capsule of the blade; 0 where there is but one */
} clash_surface_change;

/** As clash_parts_advance, of a blade (made of one part or several) and a target. */
CLASH_API size_t clash_surface_advance(clash_contact_state *state, clash_contact_settings settings,
                                       const clash_parts *blade, clash_span span_blade, const clash_target *target,
                                       clash_span span_target,
                                       clash_surface_change out_changes[CLASH_CONTACT_CHANGES_MAX]);

/** As clash_target_at, of the part with the least clearance then; which it is goes into out_part, unless NULL. */
CLASH_API clash_sweep_result clash_surface_at(const clash_parts *blade, clash_span span_blade,
                                              const clash_target *target, clash_span span_target, float margin,
                                              double fraction, clash_surface_contact *out_contact, uint32_t *out_part);

CLASH_END_DECLS

#endif

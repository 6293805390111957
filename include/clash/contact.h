/* The contact tracker: follows two colliders through consecutive intervals and finds when each contact starts and ends. It
 * starts at `distance <= radii + margin` and ends at `distance > radii + margin + release_margin` (hysteresis).
 *
 *     clash_contact_state state = {0};
 *     clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
 *     ...                                                              in every frame: change the motions, then
 *     size_t count = clash_contact_advance(&state, &in, changes);
 *
 * Pure, no allocation; the caller owns the state; one thread a state. */
#ifndef CLASH_CONTACT_H
#define CLASH_CONTACT_H

#include <clash/time_of_impact.h>

CLASH_BEGIN_DECLS

/** The least hysteresis (m), used if the release margin is less: without any, a pair that rests exactly at the limit
 *  would start and end again and again. For blades so far beyond CLASH_COORDINATE_MAX that touching is uncertain by
 *  more, four times that uncertainty is used. */
#define CLASH_CONTACT_RELEASE_MIN 1e-6f

/** Zero-initialise: apart. */
typedef struct clash_contact_state {
    bool touching;
    float min_distance;  /**< smallest axis distance since the contact started, m, to within 0.01 mm; while touching */
    float min_clearance; /**< with several capsules, or a shape: smallest distance minus radii, of the same parts as
                          min_distance */
} clash_contact_state;

typedef enum clash_contact_change_kind { CLASH_CONTACT_START, CLASH_CONTACT_END } clash_contact_change_kind;

typedef struct clash_contact_change {
    clash_contact_change_kind kind;
    clash_toi_output impact; /**< at the change; `contact.fraction` is relative to the spans */
    float min_distance; /**< of the contact so far, m, to within 0.01 mm: of the axes, or from the axis to the shape */
} clash_contact_change;

/** The most changes reported for one interval. If a pair starts and ends more often, the rest is left out; the state at
 *  the end of the interval is still right. */
#define CLASH_CONTACT_CHANGES_MAX 16

/** Colliders whose parts take over from each other more often than this in one interval count as touching until its
 *  end. */
#define CLASH_PARTS_TURNS_MAX 64

/** Advance `state` over the interval in which the two colliders go through their spans, and write the changes in order
 *  of time. Intervals must follow each other; after a cut zero the state. However many parts touch, and take over from
 *  each other, it is one contact: from when the first two come within `margin` until all are beyond `margin +
 *  release_margin`. An odd number of changes flips `state->touching`. Returns how many were written; invalid input (see
 *  CLASH_SWEEP_INVALID) writes none, leaves the state unchanged and returns 0. */
CLASH_API size_t clash_contact_advance(clash_contact_state *state, const clash_toi_input *input,
                                       clash_contact_change out_changes[CLASH_CONTACT_CHANGES_MAX]);

CLASH_END_DECLS

#endif

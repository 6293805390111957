/* Time of impact (TOI), the heart of continuous collision detection (CCD): when two moving colliders touch first, and how
 * they lie to each other then or at any other time.
 *
 *     clash_toi_input in = clash_toi_input_default();
 *     clash_toi_output hit;
 *
 *     in.colliders[0] = clash_collider_of_capsules(&saber, 1, &saber_motion);
 *     in.colliders[1] = clash_collider_of_shape(&shield, &shield_motion);
 *     if (clash_time_of_impact(&in, &hit) == CLASH_SWEEP_HIT)
 *         spark(hit.contact.midpoint, hit.contact.fraction);
 *
 * What comes out, clash_toi_output, stands in shape.h: a distance that nothing moves has it too. What touching means, and how exactly, says sweep.h. To follow a contact over many frames: contact.h. Pure: no clock, no
 * allocation, no global state; thread-safe; the same bits for the same input in every build. */
#ifndef CLASH_TIME_OF_IMPACT_H
#define CLASH_TIME_OF_IMPACT_H

#include <clash/sweep.h>

CLASH_BEGIN_DECLS

/** What moves as one: capsules fixed to one device, or a shape. What it points to is the caller's and must outlive the
 *  call. */
typedef struct clash_collider {
    const clash_capsule *capsules; /**< in the device's frame; NULL: `shape` is used */
    size_t capsule_count;          /**< 1 .. CLASH_PARTS_MAX; 0 with a shape */
    const clash_shape *shape;      /**< in the device's frame; NULL: `capsules` are used */
    const clash_motion *motion;    /**< of the device; it is static if from and to are equal */
    clash_span span;               /**< of the motion; both colliders go through their spans in the same time */
} clash_collider;

/** Return a collider with the whole motion as its span. */
static inline clash_collider clash_collider_of_capsules(const clash_capsule *capsules, size_t count,
                                                        const clash_motion *motion)
{
    clash_collider collider = {capsules, count, NULL, motion, {0.0, 1.0}};

    return collider;
}

static inline clash_collider clash_collider_of_shape(const clash_shape *shape, const clash_motion *motion)
{
    clash_collider collider = {NULL, 0, shape, motion, {0.0, 1.0}};

    return collider;
}

/** Two colliders. The first consists of capsules, the second of capsules or a shape. */
typedef struct clash_toi_input {
    clash_collider colliders[2];
    float margin;         /**< m, >= 0, added to the sum of the radii */
    float release_margin; /**< m, >= 0; of clash_contact_advance only: hysteresis, see there */
} clash_toi_input;

/** Return no margin, a release margin of 5 mm, and colliders that must be set: as it is, it is not valid. */
CLASH_API clash_toi_input clash_toi_input_default(void);

/** Find the first time at which the two touch. `out` (may be NULL) is written for CLASH_SWEEP_HIT and
 *  CLASH_SWEEP_OVERLAP. CLASH_SWEEP_INVALID means a number that is not finite, a zero quaternion, a negative size or
 *  margin, a span outside 0..1, no capsule or too many, a shape as the first collider, a mesh or terrain that is NULL,
 *  or a result too large for float. */
CLASH_API clash_sweep_result clash_time_of_impact(const clash_toi_input *input, clash_toi_output *out);

/** Find the contact of the two at `fraction` (0..1) of their spans. CLASH_SWEEP_OVERLAP if they touch,
 *  CLASH_SWEEP_APART if not; `out` (may be NULL) is written in both cases. Else CLASH_SWEEP_INVALID. */
CLASH_API clash_sweep_result clash_contact_at(const clash_toi_input *input, double fraction, clash_toi_output *out);

CLASH_END_DECLS

#endif

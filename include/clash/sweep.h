/* The sweep: the time of impact (TOI) of two capsules over two rigid motions, and of many pairs at once. For blades of
 * several capsules, other shapes, parts of motions and margins: time_of_impact.h.
 *
 * Touching means that the distance between the axes is at most the sum of the radii (plus the margin, if there is
 * one), to within 1 nanometre (plus 1e-14 of the sizes and distances involved). No contact of the exact motion is
 * missed, however short, and none is invented. Pure: no clock, no allocation, no global state; thread-safe; the same
 * bits for the same input in every build. */
#ifndef CLASH_SWEEP_H
#define CLASH_SWEEP_H

#include <clash/pose.h>
#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** A capsule fixed to a moving device. */
typedef struct clash_body {
    clash_capsule shape;
    clash_motion motion;
} clash_body;

typedef enum clash_sweep_result {
    CLASH_SWEEP_APART,   /**< never closer than the sum of the radii; the contact is not written */
    CLASH_SWEEP_HIT,     /**< apart at the start; the contact is at the first touch */
    CLASH_SWEEP_OVERLAP, /**< touching at fraction 0 already; the contact is there */
    CLASH_SWEEP_INVALID /**< a non-finite number, a zero quaternion, a negative radius or margin, a span outside 0..1, or
                              a result beyond the range of float; the contact is not written */
} clash_sweep_result;

/** Find the first contact of `a` with `b` while both go through their whole motions. `out_contact` may be NULL. At most
 *  CLASH_SWEEP_STEPS_MAX distance evaluations; see there for what a sweep that long means. */
CLASH_API clash_sweep_result clash_sweep(const clash_body *a, const clash_body *b, clash_contact *out_contact);

/** Do `pair_count` sweeps: pairs[i] holds two indices into `bodies` (before C23 see clash_pairs, base.h). out_results[i] and out_contacts[i] are those of
 *  clash_sweep, bit for bit. `out_contacts` may be NULL. */
CLASH_API void clash_sweep_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count,
                                 clash_sweep_result *out_results, clash_contact *out_contacts);

/** Find which of `pair_count` pairs certainly stay apart by more than `margin` (m, >= 0) throughout their whole
 *  motions. True is proven: clash_time_of_impact with that margin finds nothing. False says nothing: sweep that pair.
 *  Much cheaper than sweeping, and true for nearly all pairs that are apart. Invalid bodies prove nothing, nor do up to
 *  seven neighbours in their batch. */
CLASH_API void clash_pairs_apart(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count, float margin,
                                 bool *out_apart);

/** The limit of distance evaluations in one sweep; ten are many. Only blades that stay within a nanometre or two of the
 *  limit for a whole long swing come near it. From half of it on, or if rounding leaves nothing of a step, the
 *  tolerance of 1 nm grows (it doubles with every 128 further evaluations), so that the sweep ends with a contact whose
 *  gap is that small rather than with a miss. */
#define CLASH_SWEEP_STEPS_MAX 16384

CLASH_END_DECLS

#endif

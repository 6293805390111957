/* The broad phase: which pairs of many moving colliders can touch at all. Bounding boxes (AABB) of whole motions are
 * hashed into a grid; the cost grows with the number of bodies and of overlapping pairs, not with the square. */
#ifndef CLASH_BROAD_H
#define CLASH_BROAD_H

#include <clash/time_of_impact.h>

CLASH_BEGIN_DECLS

/** An axis-aligned box in stage space, m. */
typedef struct clash_bounds {
    clash_vec3 low, high;
} clash_bounds;

/** Return a box that holds the collider throughout its whole motion, whatever its span, widened by `margin` (m, >= 0)
 *  on every side. Conservative: it never cuts off what rounding moved. An invalid collider (see CLASH_SWEEP_INVALID)
 *  gives a box that overlaps nothing (low > high). */
CLASH_API clash_bounds clash_collider_bounds(const clash_collider *collider, float margin);

/** Return the smallest box that holds both. */
CLASH_API clash_bounds clash_bounds_union(clash_bounds a, clash_bounds b);

/** Working memory of a broad phase, which grows as needed and is kept: calls with no more bodies and pairs than before
 *  allocate nothing. Opaque; one thread at a time. */
typedef struct clash_broad clash_broad;

/** Create working memory. Return NULL when out of memory. */
CLASH_API clash_broad *clash_broad_create(void);
CLASH_API void clash_broad_destroy(clash_broad *broad);

/** Find every pair of overlapping boxes, once each, smaller index first, in an order that depends on the boxes alone.
 *  Pairs of the same group (a device, say) are left out; `groups` may be NULL. `*out_pairs` belongs to the broad phase
 *  and is valid until the next call. Boxes that are empty or not finite pair with nothing. Returns 0, or -1 when out of
 *  memory. */
CLASH_API int clash_broad_find(clash_broad *broad, const clash_bounds *boxes, const uint32_t *groups, uint32_t count,
                               const uint32_t (**out_pairs)[2], size_t *out_pair_count);

CLASH_END_DECLS

#endif

/* Broad phase: which pairs of blades a step must sweep. Leaves out pairs whose boxes are apart and, eight pairs at a
 * time, those that a quick bound proves apart. Working memory belongs to the struct and grows only when a step has more
 * to do than any before. */
#ifndef CLASHD_PIPELINE_CANDIDATES_H
#define CLASHD_PIPELINE_CANDIDATES_H

#include "pipeline/active_pairs.h"
#include "swept_aabb.h"

typedef struct candidate {
    uint64_t order;     /* blades_pair_order() */
    uint32_t blades[2]; /* slots; the first was added earlier */
} candidate;

typedef struct candidates {
    candidate *found, *spare; /* spare: as large as `found`, for sorting */
    size_t count, capacity;
    uint32_t (*whole)[2]; /* slots of pairs that both go through one whole motion over the same time */
    bool *apart;
    size_t whole_count, whole_capacity;
    clash_bounds *windows; /* by slot */
    uint32_t window_capacity;
    clash_broad *broad;
} candidates;

/** What the search reads besides its own memory. */
typedef struct candidates_scene {
    const devices *devices;
    const blades *blades;
    const swept_aabbs *swept_aabbs;
    const active_pairs *active_pairs;
    float margin; /* m */
    pipeline_counters *counters;
} candidates_scene;

/** Return false when out of memory. */
bool candidates_init(candidates *c);
void candidates_finish(candidates *c);

/** Empty the list. */
void candidates_begin(candidates *c);
/** Put a pair on the list. Return false when out of memory. */
bool candidates_add(candidates *c, const blades *b, uint32_t slot, uint32_t other);
/** Find all pairs that a motion of this step may bring into contact and that are not in `active_pairs`. Puts them on
 *  the list, or in `whole`, for candidates_prove. Return false when out of memory: some are then missing. */
bool candidates_find(candidates *c, const candidates_scene *scene);
/** Put those of `count` pairs of `whole`, from `first` on, on the list that are not proved apart. Return false when out
 *  of memory. */
bool candidates_prove(candidates *c, const candidates_scene *scene, size_t first, size_t count);
/** Sort the list by the pairs' order. */
void candidates_sort(candidates *c);

#endif

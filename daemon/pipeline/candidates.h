/* Which pairs of blades have to be swept in a step: those that boxes cannot keep apart, less those that one look at eight
 * pairs at a time can. Working memory is active, and grows only where a step has more to do than any before it. */
#ifndef CLASHD_PIPELINE_CANDIDATES_H
#define CLASHD_PIPELINE_CANDIDATES_H

#include "pipeline/active_pairs.h"
#include "swept_aabb.h"

typedef struct candidate {
    uint64_t order;     /* blades_pair_order() */
    uint32_t blades[2]; /* slots; the first was added earlier */
} candidate;

typedef struct candidates {
    candidate *found, *spare; /* spare: as large, for sorting */
    size_t count, capacity;
    uint32_t (*whole)[2]; /* slots of pairs that go through one whole motion each, at the same time */
    bool *apart;
    size_t whole_count, whole_capacity;
    clash_bounds *windows; /* by slot */
    uint32_t window_capacity;
    clash_broad *broad;
} candidates;

/** What the search reads beside its own memory. */
typedef struct candidates_scene {
    const devices *devices;
    const blades *blades;
    const swept_aabbs *swept_aabbs;
    const active_pairs *active_pairs;
    float margin; /* m */
    pipeline_counters *counters;
} candidates_scene;

/** False when out of memory. */
bool candidates_init(candidates *c);
void candidates_finish(candidates *c);

/** Empties the list. */
void candidates_begin(candidates *c);
/** Puts a pair on the list. False when out of memory. */
bool candidates_add(candidates *c, const blades *b, uint32_t slot, uint32_t other);
/** Finds all pairs that a motion of this step may bring into contact and that are not in `active_pairs`: puts them on the list,
 *  or in `whole`, of which candidates_prove takes each once. False when out of memory: they are then not all. */
bool candidates_find(candidates *c, const candidates_scene *scene);
/** Of `count` pairs of `whole`, beginning with `first`, puts those on the list that are not proved to be apart. False when out of
 *  memory. */
bool candidates_prove(candidates *c, const candidates_scene *scene, size_t first, size_t count);
/** Puts the list in the pairs' order. */
void candidates_sort(candidates *c);

#endif

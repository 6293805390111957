/* The pairs kept from step to step: those in contact, and few others. Found by their two blades. */
#ifndef CLASHD_PIPELINE_ACTIVE_PAIRS_H
#define CLASHD_PIPELINE_ACTIVE_PAIRS_H

#include "pipeline/lookup.h"
#include "pipeline/pairs.h"

typedef struct active_pair {
    uint32_t blades[2]; /* slots; the first was added earlier */
    pair pair;
} active_pair;

typedef struct active_pairs {
    active_pair *all; /* in no order */
    uint32_t count, capacity;
    lookup index;
} active_pairs;

/** Return false when out of memory; finish it all the same. */
bool active_pairs_init(active_pairs *a);
void active_pairs_finish(active_pairs *a);

/** Return the pair, or NULL if it is not kept. Valid until the next one is added or removed. */
active_pair *active_pairs_find(const active_pairs *a, const uint32_t slots[2]);
/** Keep a pair that is not kept yet; copied. Return NULL when out of memory. */
active_pair *active_pairs_add(active_pairs *a, const uint32_t slots[2], const pair *from);
void active_pairs_remove(active_pairs *a, active_pair *gone);

#endif

/* When each pair parted last, by the names of the two, so that it outlives both the contact and a blade that is defined anew.
 * Of more than PIPELINE_PARTINGS_MAX pairs those that parted last. Knows nothing of contacts. */
#ifndef CLASHD_PIPELINE_PARTINGS_H
#define CLASHD_PIPELINE_PARTINGS_H

#include "pipeline/lookup.h"
#include "pipeline/pipeline.h"

typedef struct parting {
    char names[2][PIPELINE_BLADE_NAME_MAX];
    int64_t time_ns;
    uint32_t older, newer; /* neighbours in the order of noting; LOOKUP_NONE: none */
} parting;

typedef struct partings {
    parting *all;
    uint32_t count, capacity;
    uint32_t oldest, newest; /* LOOKUP_NONE: none */
    lookup index;
} partings;

/** `p` stays where it is until partings_finish(). */
void partings_init(partings *p);
void partings_finish(partings *p);

/** When the two, in whatever order, parted last. False where they never have, or it is forgotten. */
bool partings_find(const partings *p, const char *const names[2], int64_t *out_time_ns);
/** They part now. Out of memory a pair that is new is not kept. */
void partings_note(partings *p, const char *const names[2], int64_t time_ns);

#endif

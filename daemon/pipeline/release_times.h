/* When each pair parted last, by the names of the two, so that it outlives both the contact and a blade that is defined anew.
 * Of more than PIPELINE_RELEASES_MAX pairs those that parted last. Knows nothing of contacts. */
#ifndef CLASHD_PIPELINE_RELEASE_TIMES_H
#define CLASHD_PIPELINE_RELEASE_TIMES_H

#include "pipeline/lookup.h"
#include "pipeline/pipeline.h"

typedef struct release_time {
    char names[2][PIPELINE_BLADE_NAME_MAX];
    int64_t time_ns;
    uint32_t older, newer; /* neighbours in the order of noting; LOOKUP_NONE: none */
} release_time;

typedef struct release_times {
    release_time *all;
    uint32_t count, capacity;
    uint32_t oldest, newest; /* LOOKUP_NONE: none */
    lookup index;
} release_times;

/** `p` stays where it is until release_times_finish(). */
void release_times_init(release_times *p);
void release_times_finish(release_times *p);

/** When the two, in whatever order, parted last. False if they never have, or it is forgotten. */
bool release_times_find(const release_times *p, const char *const names[2], int64_t *out_time_ns);
/** They part now. Out of memory a pair that is new is not kept. */
void release_times_note(release_times *p, const char *const names[2], int64_t time_ns);

#endif

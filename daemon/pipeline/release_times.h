/* When each pair was last released, by the two names, so that it outlives the contact and a blade that is defined
 * again. Remembers the latest PIPELINE_RELEASES_MAX pairs. Knows nothing of contacts. */
#ifndef CLASHD_PIPELINE_RELEASE_TIMES_H
#define CLASHD_PIPELINE_RELEASE_TIMES_H

#include "pipeline/lookup.h"
#include "pipeline/pipeline.h"

typedef struct release_time {
    char names[2][PIPELINE_BLADE_NAME_MAX];
    int64_t time_ns;
    bool is_cut;           /* the two did not separate: a track was cut, or one of them was removed */
    uint32_t older, newer; /* neighbours in the order of release; LOOKUP_NONE: none */
} release_time;

typedef struct release_times {
    release_time *all;
    uint32_t count, capacity;
    uint32_t oldest, newest; /* LOOKUP_NONE: none */
    lookup index;
} release_times;

/** Begin empty; do not move `p` before release_times_finish(). */
void release_times_init(release_times *p);
void release_times_finish(release_times *p);

/** Return the last release of the two, in either order; NULL if there never was one, or it is forgotten. Valid until the
 *  next is noted. */
const release_time *release_times_find(const release_times *p, const char *const names[2]);
/** Note a release now. Out of memory a new pair is not kept. */
void release_times_note(release_times *p, const char *const names[2], int64_t time_ns, bool is_cut);

#endif

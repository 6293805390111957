/* What the contacts of two players are called, alike on both their machines: by the two blades and the time, on the room's clock, at which
 * they first touch. Pure. */
#ifndef CLASHD_SOURCES_PEER_ROOM_IDS_H
#define CLASHD_SOURCES_PEER_ROOM_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Starts count as the same as far as they are within one step of that length. Both machines compute them from the same samples, and differ by
 *  what they round: a start that close to a step's end, some nanoseconds in 20 ms, gets two ids. */
#define ROOM_ID_STEP_NS INT64_C(20000000)
/** Pairs whose last contact is remembered. */
#define ROOM_ID_PAIRS 1024

/** Zero-initialise. */
typedef struct room_ids {
    struct {
        uint64_t pair; /* 0: none */
        uint64_t contact;
        int64_t step;
    } last[ROOM_ID_PAIRS];
} room_ids;

/** Return a number of the two blades, in either order; never 0. */
uint64_t room_ids_pair(const char *const blades[2]);
/** Return the id of the contact of two blades, "PLAYER/BLADE" each, in either order, that began at that time of the room. `contact` is what
 *  it is called here. A new one of the same pair within a step that has one gets the next free step's, and keeps it, whatever the room's time
 *  of its start is later taken to be. 1 to 2^53 - 1. */
int64_t room_ids_find(room_ids *ids, const char *const blades[2], uint64_t contact, int64_t start_ns, bool is_new);

#endif

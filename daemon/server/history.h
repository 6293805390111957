/* The session's latest events, kept for clients that reconnect: a ring of fixed size in which each event owns copies of
 * its names. HISTORY_EVENTS_MAX events, at most 23 MiB together, which is more than 60 s at 800 events a second; memory
 * is taken as it fills and then kept. Knows nothing of clients. */
#ifndef CLASHD_SERVER_HISTORY_H
#define CLASHD_SERVER_HISTORY_H

#include "ports/pose_source.h"

#define HISTORY_CHUNK_EVENTS ((size_t)512)
#define HISTORY_CHUNKS 96
#define HISTORY_EVENTS_MAX (HISTORY_CHUNK_EVENTS * HISTORY_CHUNKS)

typedef struct history_entry {
    clash_event event;                                          /* its strings point below */
    char names[POSE_DEVICE_NAME_MAX + 2 * CLASH_PART_NAME_MAX]; /* of both blades and their parts, or of the device */
} history_entry;

_Static_assert(sizeof(history_entry) * HISTORY_EVENTS_MAX <= (23u << 20), "the ring's bound is documented");

/** Zero-initialise: empty. Indices count every event ever added. */
typedef struct history {
    uint64_t first, end; /* index of the oldest one kept, and past the newest */
    history_entry *chunks[HISTORY_CHUNKS];
} history;

void history_finish(history *h);
/** Copy an event into the ring, over the oldest one if full. Out of memory, nothing is kept. `seq` never falls; a late
 *  event has that of the event before it. */
void history_add(history *h, const clash_event *event);
/** Return the index of the oldest kept event whose seq is at least `seq`; `end` if there is none. */
uint64_t history_index(const history *h, uint64_t seq);
/** Return an event, or NULL if it is not kept or not there yet. Valid until the next one is added. */
const clash_event *history_at(const history *h, uint64_t index);

#endif

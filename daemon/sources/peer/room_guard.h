/* What one player may send: so many messages and bytes a second. Who sends much that is refused is not listened to for a while. Pure. */
#ifndef CLASHD_SOURCES_PEER_ROOM_GUARD_H
#define CLASHD_SOURCES_PEER_ROOM_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_MESSAGES_HZ 250
#define ROOM_BYTES_HZ (1 << 20)
/** How many refusals within what time are too many; how long the player is muted then, at first and at most. */
#define ROOM_REFUSALS_MAX 50
#define ROOM_REFUSALS_NS INT64_C(10000000000)
#define ROOM_MUTE_NS INT64_C(10000000000)
#define ROOM_MUTE_MAX_NS INT64_C(300000000000)

/** Zero-initialise. */
typedef struct room_guard {
    bool has_begun;
    int64_t filled_ns;
    double messages, bytes; /* that may still come now */
    uint64_t refusals;
    int64_t refusals_ns; /* since when */
    int64_t mute_ns;     /* how long it was muted last; 0: never */
    int64_t muted_until_ns;
} room_guard;

/** Return whether a message of that length may be looked at. */
bool room_guard_take(room_guard *g, size_t length, int64_t now_ns);
/** Count a refusal. Return whether the player is muted from now on. */
bool room_guard_refuse(room_guard *g, int64_t now_ns);
bool room_guard_is_muted(const room_guard *g, int64_t now_ns);

#endif

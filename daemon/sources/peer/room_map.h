/* The room's time at each time of one player's session: straight lines between knots. Knots are made ahead of time and never change, so
 * that all who have them place a player's samples alike, to the nanosecond. Integers alone; pure. */
#ifndef CLASHD_SOURCES_PEER_ROOM_MAP_H
#define CLASHD_SOURCES_PEER_ROOM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_KNOTS_MAX 16
/** Between two knots. */
#define ROOM_KNOT_NS INT64_C(1000000000)
#define ROOM_KNOT_MAX_NS (60 * ROOM_KNOT_NS)
/** By how many millionths the room's time may run faster or slower than a session's, and when it makes good what it was wrong by. */
#define ROOM_RATE_PPM 1000
#define ROOM_SLEW_PPM 800
#define ROOM_LEAP_NS INT64_C(50000000)

typedef struct room_knot {
    int64_t session_ns, room_ns;
} room_knot;

/** Zero-initialise: not known yet. */
typedef struct room_map {
    size_t count; /* 0, or at least 2 */
    room_knot knots[ROOM_KNOTS_MAX];
} room_map;

/** Return NULL if these are the knots of a map, else what is wrong with them. */
const char *room_map_check(const room_knot *knots, size_t count);
/** Return the room's time at a time of the session, rounded down; beyond its ends the map goes on straight, up to ROOM_KNOT_MAX_NS. The map
 *  must be known. */
int64_t room_map_forward(const room_map *m, int64_t session_ns);
/** Return the session's time at a time of the room, likewise. */
int64_t room_map_back(const room_map *m, int64_t room_ns);

/** Return the same of one's own map, however long it has not been extended: beyond its end the room's time runs as the session's. */
int64_t room_map_ahead(const room_map *m, int64_t session_ns);

/** Begin: the room's time is the session's plus offset_ns, which grows by drift_ppb thousandths of a millionth. */
void room_map_begin(room_map *m, int64_t now_ns, int64_t offset_ns, int64_t drift_ppb);
/** Add knots until the map reaches beyond now_ns by at least ROOM_KNOT_NS. The offset at now_ns, and how it grows, are as they are estimated
 *  now: the map comes to be that as fast as ROOM_SLEW_PPM allows. */
void room_map_extend(room_map *m, int64_t now_ns, int64_t offset_ns, int64_t drift_ppb);
/** Return whether a map of the same player's with these knots says nothing else than this one: the knots of both are the same, and none of
 *  the other's is further off than knots between them that did not come can explain. */
bool room_map_agrees(const room_map *m, const room_map *other);
/** Copy the knots that a map of the times from..to needs, with those before and behind. */
void room_map_cut(const room_map *m, int64_t from_ns, int64_t to_ns, room_map *out);

#endif

/* Which contacts of this player's blades with another player's both machines have found: what was found here, held against what the other
 * one says. Each player has one. Pure: deadlines are ns of this session, starts of the room. */
#ifndef CLASHD_SOURCES_PEER_ROOM_AGREE_H
#define CLASHD_SOURCES_PEER_ROOM_AGREE_H

#include <clash/event.h>

/** How many contacts are remembered: found here and not yet told to the end, or told by the other player first. */
#define ROOM_AGREE_FOUND_MAX 32
#define ROOM_AGREE_HEARD_MAX 16
/** How far apart the starts of one contact may be on two machines, which compute them from the same samples unless some
 *  were lost. */
#define ROOM_AGREE_NEAR_NS INT64_C(20000000)

/** A contact that was found here. */
typedef struct room_found {
    uint64_t contact; /* what it is called here; 0: the place is free */
    uint64_t pair;    /* see room_ids_pair */
    int64_t start_ns;
    int64_t until_ns; /* no later than then it is decided */
    bool is_second;   /* this player waits for the decision before it tells of it */
    clash_agreement agreed;
    int64_t room_id; /* once it is agreed: what the other one calls it */
} room_found;

/** Zero-initialise. */
typedef struct room_agree {
    size_t waiting; /* are not decided */
    room_found found[ROOM_AGREE_FOUND_MAX];
    size_t next_heard;
    struct {
        bool is_open; /* not matched with a contact found here yet */
        uint64_t pair;
        int64_t start_ns, room_id;
    } heard[ROOM_AGREE_HEARD_MAX];
} room_agree;

/** Note a contact found here; it is decided at once if the other player told of it before. Return NULL if there are too
 *  many: it is not remembered then. */
const room_found *room_agree_found(room_agree *a, const room_found *found);
/** Note a contact that the other player has found. Return whether that decides one found here. */
bool room_agree_heard(room_agree *a, uint64_t pair, int64_t start_ns, int64_t room_id);
/** NULL: nothing is known of it. */
const room_found *room_agree_find(const room_agree *a, uint64_t contact);
/** Decide it as not agreed, unless it is decided. Return whether that was needed. */
bool room_agree_give_up(room_agree *a, uint64_t contact);
/** Decide likewise all whose time is over. Return how many. */
size_t room_agree_expire(room_agree *a, int64_t now_ns);
/** Forget it: everything about it has been told. */
void room_agree_end(room_agree *a, uint64_t contact);
/** Return when the next one's time is over; INT64_MAX: nothing waits. */
int64_t room_agree_due(const room_agree *a);

#endif

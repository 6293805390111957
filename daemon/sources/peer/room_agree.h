/* Which contacts of this player's blades with another player's both machines have found: what was found here, held against what the other
 * one says. Each player has one. Pure: deadlines are ns of this session, starts of the room. */
#ifndef CLASHD_SOURCES_PEER_ROOM_AGREE_H
#define CLASHD_SOURCES_PEER_ROOM_AGREE_H

#include <clash/event.h>

/** Contacts of which something may still be told, and what the other one said before it was found here. */
#define ROOM_AGREE_FOUND_MAX 32
#define ROOM_AGREE_HEARD_MAX 16
/** Starts of one contact are that close on both machines: they compute them from the same samples, unless some were lost. */
#define ROOM_AGREE_NEAR_NS INT64_C(20000000)

/** A contact that was found here. */
typedef struct room_found {
    uint64_t contact; /* what it is called here; 0: the place is free */
    uint64_t pair;    /* see room_ids_pair */
    int64_t start_ns;
    int64_t until_ns; /* no later than then it is decided */
    bool is_second;   /* this player tells of it only when it is decided */
    clash_agreement agreed;
    int64_t room_id; /* once it is agreed: what the other one calls it */
} room_found;

/** Zero-initialise. */
typedef struct room_agree {
    size_t waiting; /* are not decided */
    room_found found[ROOM_AGREE_FOUND_MAX];
    size_t next_heard;
    struct {
        bool is_open; /* nothing that was found here goes with it yet */
        uint64_t pair;
        int64_t start_ns, room_id;
    } heard[ROOM_AGREE_HEARD_MAX];
} room_agree;

/** It was found here, and is not decided, unless the other one has said it before. Return NULL if there are too many: nothing is known of it then. */
const room_found *room_agree_found(room_agree *a, const room_found *found);
/** The other one says that it has found it. Return whether that decides one that was found here. */
bool room_agree_heard(room_agree *a, uint64_t pair, int64_t start_ns, int64_t room_id);
/** NULL: nothing is known of it. */
const room_found *room_agree_find(const room_agree *a, uint64_t contact);
/** It is decided, for no, if it was not. Return whether it was not. */
bool room_agree_give_up(room_agree *a, uint64_t contact);
/** So is all whose time is over. Return how many. */
size_t room_agree_expire(room_agree *a, int64_t now_ns);
/** All that there was to tell of it has been told. */
void room_agree_end(room_agree *a, uint64_t contact);
/** Return when the next one's time is over; INT64_MAX: nothing waits. */
int64_t room_agree_due(const room_agree *a);

#endif

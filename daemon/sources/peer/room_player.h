/* Another player, as far as its messages tell: which samples are new, in what order, where they are on this session's clock and with which
 * blades. Pure: times are arguments, ns of this session. */
#ifndef CLASHD_SOURCES_PEER_ROOM_PLAYER_H
#define CLASHD_SOURCES_PEER_ROOM_PLAYER_H

#include "protocol/messages/room_message.h"
#include "room_agree.h"
#include "room_clock.h"
#include "room_guard.h"

/** How many samples wait for their blades, and how long. */
#define ROOM_WAITING_MAX 512
#define ROOM_WAIT_NS INT64_C(500000000)
/** How long samples wait for earlier ones, in a message that they overtook; then those count as lost. */
#define ROOM_GAP_NS INT64_C(50000000)
/** Versions of `peer` whose first sample has not come yet. */
#define ROOM_VERSIONS_MAX 4
/** How far ahead of the clock, and behind it, a sample may be. */
#define ROOM_AHEAD_NS INT64_C(100000000)
#define ROOM_BEHIND_NS INT64_C(2000000000)

/** A sample that is to be delivered. */
typedef struct room_sample {
    uint64_t number, version;
    int64_t time_ns;                /* in this session */
    int64_t arrived_ns;             /* likewise */
    bool is_outside;                /* too old, or of no known time: only its number counts */
    char device[PROTOCOL_NAME_MAX]; /* as the player calls it */
    room_message_sample is;
} room_sample;

typedef struct room_counts {
    uint64_t messages, samples, repeated, lost, refused, unplaced, outside, over_rate;
} room_counts;

void room_counts_add(room_counts *to, const room_counts *more);

typedef struct room_player {
    struct room_player *next;
    char name[ROOM_PLAYER_MAX];
    bool is_online, has_peer;
    room_message_peer peer;                         /* the newest one */
    room_message_peer *versions[ROOM_VERSIONS_MAX]; /* in order, of which samples are to come */
    size_t version_count;
    room_message_peer *current; /* whose blades are there now; NULL: none */
    bool has_next;
    uint64_t next_number; /* of the sample after the last one delivered, or passed over */
    room_map map;
    char clock[ROOM_SESSION_MAX]; /* that the map is of */
    int64_t error_ns;
    int64_t heard_ns, last_ns; /* when a message came; time of the last sample */
    int64_t delay_ns;          /* from the time of the newest sample until it was here */
    bool is_silent;
    bool is_away;       /* it was muted, and its blades are gone */
    bool is_wrong;      /* the log said so */
    const char *unlike; /* the contact setting that is another one there, as the log said; NULL: none */
    room_passed_over passed_over;
    room_guard guard;
    room_agree agree;
    room_counts counts;
    room_sample *waiting; /* ROOM_WAITING_MAX, from `first_waiting` on, by number */
    size_t first_waiting, waiting_count;
} room_player;

/** What a message of samples means. */
typedef enum room_verdict {
    ROOM_TAKEN,   /* its new samples wait */
    ROOM_LEFT,    /* cannot be used now, with nothing wrong: another clock, or unknown blades */
    ROOM_AGAIN,   /* its knots contradict earlier ones: drop all that came before, and take it again */
    ROOM_REFUSED, /* nothing was taken */
} room_verdict;

/** Return NULL when out of memory. */
room_player *room_player_create(const char *name);
void room_player_destroy(room_player *p);
/** Take what it says of itself. Return whether all that came of it before is void: it is another session. */
bool room_player_take_peer(room_player *p, const room_message_peer *peer);
/** Take samples that come now. `why` says what is wrong with them if they are refused. */
room_verdict room_player_take(room_player *p, const room_clock *clock, const room_message_samples *from, int64_t now_ns,
                              failure *why);
/** Return the next sample that can be delivered, or NULL; valid until it is dropped. *out_begins: with it another version of `peer` begins,
 *  the first one that waits. */
const room_sample *room_player_next(room_player *p, int64_t now_ns, bool *out_begins);
void room_player_drop(room_player *p);
/** The first version that waits is the current one from now on. Return the one before, for the caller to free, or NULL. */
room_message_peer *room_player_begin(room_player *p);
/** Forget samples and versions. */
void room_player_void(room_player *p);

#endif

/* The room's time here: whose clock it is, what it is asked, and this player's map. Pure: times are arguments, ns of the session. */
#ifndef CLASHD_SOURCES_PEER_ROOM_CLOCK_H
#define CLASHD_SOURCES_PEER_ROOM_CLOCK_H

#include "protocol/messages/room_message.h"
#include "room_estimate.h"
#include "room_map.h"

#define ROOM_PLAYER_MAX 64
/** How long to listen for others before this player's clock becomes the room's. */
#define ROOM_LISTEN_NS INT64_C(1000000000)
/** Pauses between questions: for the first few, as many as the second number says; while the error is not small; later. */
#define ROOM_ASK_FIRST_NS INT64_C(10000000)
#define ROOM_ASK_FIRST 200
#define ROOM_ASK_MORE_NS INT64_C(50000000)
#define ROOM_ASK_NS INT64_C(250000000)
/** Up to this many others who ask the same player the pauses stay; twice as many double them. */
#define ROOM_ASK_TOGETHER 8
/** How long after the first answer the map begins while the error is not small: it corrects its start only slowly. */
#define ROOM_BEGIN_NS INT64_C(1000000000)
/** How long a player may leave questions unanswered; for how long it then counts as one without a clock: twice as long each time, up to
 *  the last, which is forgotten after as long again. */
#define ROOM_SILENT_NS INT64_C(5000000000)
#define ROOM_PASSED_OVER_NS INT64_C(10000000000)
#define ROOM_PASSED_OVER_MAX_NS INT64_C(300000000000)
/** How many leaps of a clock within that time are too many: a machine that sleeps leaps now and then. */
#define ROOM_LEAPS_MAX 3
#define ROOM_LEAPS_NS INT64_C(60000000000)
/** Take an estimate that is further off for another clock: a machine slept. */
#define ROOM_STEP_NS INT64_C(50000000)
/** Questions whose answers may be on their way. */
#define ROOM_ASKED_MAX 256

/** Until when somebody is not asked, and for how long it was. Zero-initialise. */
typedef struct room_passed_over {
    int64_t until_ns, for_ns;
} room_passed_over;

/** Someone whose clock could be the room's. */
typedef struct room_candidate {
    const char *name, *session, *clock; /* "": has not got the room's time */
    bool is_referee;
    room_passed_over *passed_over;
} room_candidate;

typedef struct room_clock {
    char name[ROOM_PLAYER_MAX], session[ROOM_SESSION_MAX];
    bool is_referee;
    bool is_joined; /* there is a broker, since: */
    int64_t joined_ns;
    char id[ROOM_SESSION_MAX];       /* as `clock` of messages; "": the room's time is not known */
    char reference[ROOM_PLAYER_MAX]; /* who is asked; "": nobody */
    bool is_reference;
    room_estimate estimate;
    bool has_answered; /* the reference: until then the estimate is of the one before */
    room_map map;
    room_offset offset;         /* as it was estimated last */
    int64_t error_ns, bound_ns; /* of the map: see room_offset */
    size_t others;              /* who are in the room */
    uint64_t steps;             /* how often the map began anew */
    uint64_t number, asked, answered, refused;
    uint64_t leaps; /* of the reference's clock, since: */
    int64_t leaps_ns;
    int64_t asked_ns, answered_ns; /* last; since the reference was chosen */
    int64_t ticked_ns;
    int64_t first_ns; /* .. the first answer; 0: none */
    struct {
        uint64_t number;
        int64_t sent_ns;
    } pending[ROOM_ASKED_MAX];
} room_clock;

/** The session's id and the player's name are copied. */
void room_clock_init(room_clock *c, const char *name, const char *session, bool is_referee);
/** Note that the others can be reached, or no more. */
void room_clock_join(room_clock *c, bool is_joined, int64_t now_ns);
/** Choose whose clock it is, ask, and keep the map ahead. Return whether *out_ask is to be sent to c->reference, which the caller does at
 *  once. */
bool room_clock_tick(room_clock *c, const room_candidate *others, size_t count, int64_t now_ns,
                     room_message_clock *out_ask);
/** Return how long until it is to be called again, ns. */
int64_t room_clock_pause(const room_clock *c);
/** Take an answer. Return NULL, or what is wrong with it. */
const char *room_clock_answered(room_clock *c, const char *player, const room_message_clock *answer, int64_t come_ns);
/** Fill in the answer to a question that came at that time; `now_ns`: when it goes. Return false if the room's time is
 *  not known here. */
bool room_clock_answer(const room_clock *c, const room_message_clock *ask, int64_t come_ns, int64_t now_ns,
                       room_message_clock *out);
static inline bool room_clock_is_known(const room_clock *c)
{
    return c->map.count > 0;
}

#endif

/* A room of players on several machines: shares this player's samples, takes in those of the others as devices of its own, keeps the room's
 * time. What carries the messages, and what the samples go into, are its user's: see room_user. Times are of the session, ns since its
 * epoch; reads no clock. Loop's thread. */
#ifndef CLASHD_SOURCES_PEER_ROOM_H
#define CLASHD_SOURCES_PEER_ROOM_H

#include "ports/counter.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "protocol/messages/room_message.h"
#include "room_clock.h"

#define ROOM_PLAYERS_MAX 512
/** The shortest time between two messages of samples. */
#define ROOM_SHARE_NS INT64_C(10000000)
/** How long a player may be silent before its devices count as lost. */
#define ROOM_QUIET_NS INT64_C(500000000)
typedef struct room room;
typedef struct room_player room_player;

/** What the room needs of others. All are called from within its functions. */
typedef struct room_user {
    void *context;
    logger log;
    /** Send a line, its newline left out, to all, or to one player (NULL: all). Return false if it cannot go now. */
    bool (*publish)(void *context, room_message_kind kind, const char *to, const char *line, size_t length);
    /** Fill in this player's own blades. Return how many there are. */
    size_t (*own_blades)(void *context, clash_blade_definition *out, size_t most);
    void (*contact)(void *context, protocol_contact_settings *out);
    /** Others' blades and samples, as the scene takes them; `owner` is theirs. Devices have ids when a blade is on them. */
    int (*define)(void *context, const void *owner, int64_t time_ns, const clash_blade *blade,
                  protocol_error *out_error);
    void (*remove)(void *context, const void *owner, int64_t time_ns, const char *blade);
    void (*gone)(void *context, const void *owner, int64_t time_ns);
    uint32_t (*device)(void *context, const void *owner, const char *name);
    /** Times of frames and of when they came are the session's too. */
    void (*frame)(void *context, const void *owner, const pose_frame *frame, int64_t arrived_ns);
    void (*lost)(void *context, const void *owner, int64_t time_ns);
    /** All frames of a message are in. */
    void (*settled)(void *context);
    /** Asks for room_flush() in that many ms; not from within this call. */
    void (*flush_in)(void *context, uint64_t ms);
} room_user;

/** Strings are copied. */
typedef struct room_settings {
    const char *player, *session;
    bool shares;                /* its samples */
    bool is_referee;            /* sweeps other players' blades against each other too */
    const char *const *players; /* whose samples are taken; count 0: all players' */
    size_t player_count;
    clash_pose room_from_stage;
    int64_t
        agree_ns; /* how long the player whose blade is second waits for the other one to find a contact; 0: nobody waits */
} room_settings;

/** Return NULL when out of memory. */
room *room_create(const room_settings *settings, const room_user *user);
/** Others' blades go. Accepts NULL. */
void room_destroy(room *r, int64_t now_ns);
/** Note that the broker is there, or gone. */
void room_join(room *r, bool is_joined, int64_t now_ns);
/** Note another place of this player's stage in the room, or other contact settings, and tell all. */
void room_move(room *r, const clash_pose *room_from_stage, int64_t now_ns);
/** Take a player's message. An empty one says that there is none of that kind any more. */
void room_take(room *r, const char *player, room_message_kind kind, const char *text, size_t length, int64_t now_ns);
/** Note that a player is there, or gone. If that is this one, which others believe to be gone, it tells of itself anew. */
void room_online(room *r, const char *player, bool is_online, int64_t now_ns);
/** Return in how many ms it wants to be called again. */
uint64_t room_tick(room *r, int64_t now_ns);

/** As a sink: what happens here. Frames' and events' times count from `epoch_ns`. */
void room_on_frame(room *r, const pose_frame *frame, const device_names *names, int64_t epoch_ns, int64_t now_ns);
void room_on_event(room *r, const clash_event *event, int64_t epoch_ns, int64_t now_ns);
/** Note that a blade came, went or changed, or that the contact settings did. */
void room_on_blades(room *r);
/** Fill in what a clash, hold or release of two players has of the room; `owners` are the blades', as `define` had them. Tells the other one of
 *  a new contact, if both do so. */
void room_note_event(room *r, clash_event *event, const void *const owners[2], int64_t epoch_ns, int64_t now_ns);
/** Fill in whether the other player has found the contact of an event too, before the event is told. Return false if
 *  that is not decided yet: the event has to wait. The release ends it. */
bool room_judge_event(room *r, clash_event *event);
/** That contact waits no longer. */
void room_give_up(room *r, uint64_t contact);
/** Decide what has waited until now. */
void room_decide(room *r, int64_t now_ns);
/** Return when to call room_decide() next; INT64_MAX: nothing waits. */
int64_t room_due(const room *r);
/** Send what is new, unless the last message is too young. */
void room_flush(room *r, int64_t now_ns);

void room_list_counters(const room *r, int64_t now_ns, counter_list *out);
/** Fill in the other players, at most so many. Return how many. Their names live until one of them goes. */
size_t room_list_players(const room *r, int64_t now_ns, protocol_status_player *out, size_t most);
const room_clock *room_clock_of(const room *r);

#endif

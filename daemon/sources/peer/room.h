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
/** A message of samples at most so often. */
#define ROOM_SHARE_NS INT64_C(10000000)
/** A player of whom nothing comes for so long is lost until it goes on. */
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
    /** room_flush() is to be called in that many ms: not from within this call. */
    void (*flush_in)(void *context, uint64_t ms);
} room_user;

/** Strings are copied. */
typedef struct room_settings {
    const char *player, *session;
    bool shares;                /* its samples */
    bool is_referee;            /* sweeps those of others against each other too */
    const char *const *players; /* of whom samples are taken; count 0: of all */
    size_t player_count;
    clash_pose room_from_stage;
    int64_t
        agree_ns; /* how long the player whose blade is second waits for the other one to find a contact; 0: nobody waits */
} room_settings;

/** Return NULL when out of memory. */
room *room_create(const room_settings *settings, const room_user *user);
/** Others' blades go. Accepts NULL. */
void room_destroy(room *r, int64_t now_ns);
/** There is a broker from now on, or none. */
void room_join(room *r, bool is_joined, int64_t now_ns);
/** This player's stage is elsewhere in the room, or contacts are judged otherwise: all are told. */
void room_move(room *r, const clash_pose *room_from_stage, int64_t now_ns);
/** A message of a player came; or that it is there, or gone. An empty one says that there is none of that kind any more. */
void room_take(room *r, const char *player, room_message_kind kind, const char *text, size_t length, int64_t now_ns);
void room_online(room *r, const char *player, bool is_online, int64_t now_ns);
/** Return in how many ms it wants to be called again. */
uint64_t room_tick(room *r, int64_t now_ns);

/** What happens here; `epoch_ns` is what the frames' and events' times begin with. */
void room_on_frame(room *r, const pose_frame *frame, const device_names *names, int64_t epoch_ns, int64_t now_ns);
void room_on_event(room *r, const clash_event *event, int64_t epoch_ns, int64_t now_ns);
/** Some blade came, went or changed, or the contact settings did. */
void room_on_blades(room *r);
/** Fill in what a clash, hold or release of two players has of the room; `owners` are the blades', as `define` had them. Tells the other one of
 *  a new contact, if both do so. */
void room_note_event(room *r, clash_event *event, const void *const owners[2], int64_t epoch_ns, int64_t now_ns);
/** Fill in whether the other player has found the contact of an event too, before the event is told. Return false if that is not decided yet
 *  and the event is to wait; it is told with the release that no more comes of it. */
bool room_judge_event(room *r, clash_event *event);
/** That contact waits no longer. */
void room_give_up(room *r, uint64_t contact);
/** What has waited until now waits no longer. */
void room_decide(room *r, int64_t now_ns);
/** When that is to be called next; INT64_MAX: nothing waits. */
int64_t room_due(const room *r);
/** Send what is new, unless the last message is too young. */
void room_flush(room *r, int64_t now_ns);

void room_list_counters(const room *r, int64_t now_ns, counter_list *out);
/** Fill in the other players, at most so many. Return how many. Their names live until one of them goes. */
size_t room_list_players(const room *r, int64_t now_ns, protocol_status_player *out, size_t most);
const room_clock *room_clock_of(const room *r);

#endif

/* What the parts of a room share: room.c (its life and what it shares), room_take.c (what others send) and room_others.c (who they are and
 * where their samples go). Nobody else includes it. */
#ifndef CLASHD_SOURCES_PEER_ROOM_PRIVATE_H
#define CLASHD_SOURCES_PEER_ROOM_PRIVATE_H

#include "room.h"
#include "room_ids.h"
#include "room_log.h"
#include "room_player.h"

struct room {
    room_user user;
    bool shares, is_referee;
    room_ids ids;
    char (*players)[ROOM_PLAYER_MAX];
    size_t player_count;
    clash_pose room_from_stage;
    room_clock clock;
    room_log log;
    room_message_peer own;  /* as it was told last */
    room_message_peer next; /* as it is */
    bool is_told;           /* the first of them */
    int64_t sent_ns;        /* the last samples */
    room_player *others;
    size_t other_count;
    struct {
        uint64_t hash; /* of its name: each message looks for its player */
        room_player *player;
    } index[ROOM_PLAYERS_MAX]; /* other_count of them, in no order */
    room_counts gone;          /* of players that are */
    int64_t agree_ns;          /* how long a contact of two players waits for the other one; 0: not at all */
    uint64_t published, too_many, steps, agreed, disagreed, untold;
    bool has_said_name, has_said_full;
    room_message message; /* that is being read or written */
    char line[PROTOCOL_LINE_MAX];
};

/** The player of that name, made if there is none yet; NULL if there are too many. */
room_player *room_make_player(room *r, const char *name);
/** Remove a player's blades, and what they touch. */
void room_void_blades(room *r, room_player *p, int64_t now_ns);
/** Hand on what has come of a player, in frames of one time each. */
void room_deliver(room *r, room_player *p, int64_t now_ns);
/** Log what is wrong with a player, the first time. */
void room_say_wrong(room *r, room_player *p, const char *what);
/** Log whether the player finds contacts by other settings than this machine, when that has changed. */
void room_compare_settings(room *r, room_player *p);
/** Begin a player's devices anew: its blades are what they were, on devices without samples. */
void room_clear_player(room *r, room_player *p, int64_t now_ns);
/** Forget a player altogether. */
void room_forget_player(room *r, room_player *p, int64_t now_ns);
/** Tell of oneself if that changed. */
void room_tell(room *r);

/** "anna/saber" of a blade. */
#define ROOM_WHOLE_MAX (ROOM_PLAYER_MAX + CLASH_BLADE_NAME_MAX)
/** Return whether players that do so too are told which contacts are found here. */
bool room_agrees(const room *r);
/** A new contact with a blade of the player's, the one of `whole` at `theirs`, was found, and its event is filled in. */
void room_found_contact(room *r, room_player *p, const clash_event *event, const char *const whole[2], size_t theirs,
                        int64_t start_ns, int64_t now_ns);
void room_take_contact(room *r, room_player *p, const room_message_contact *m);

#endif

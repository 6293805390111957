/* What the parts of a room share: room.c (its life and what it shares) and room_others.c (what it takes in). Nobody else includes it. */
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
    room_counts gone; /* of players that are */
    int64_t agree_ns; /* how long a contact of two players waits for the other one; 0: not at all */
    uint64_t published, too_many, steps, agreed, disagreed, untold;
    bool has_said_name, has_said_full;
    room_message message; /* that is being read or written */
    char line[PROTOCOL_LINE_MAX];
};

/** Begin a player's devices anew: its blades are what they were, on devices without samples. */
void room_clear_player(room *r, room_player *p, int64_t now_ns);
/** Forget a player altogether. */
void room_forget_player(room *r, room_player *p, int64_t now_ns);
/** Tell of oneself where that changed. */
void room_tell(room *r);

/** "anna/saber" of a blade. */
#define ROOM_WHOLE_MAX (ROOM_PLAYER_MAX + CLASH_BLADE_NAME_MAX)
/** Whether players that do so too are told which contacts are found here. */
bool room_agrees(const room *r);
/** A new contact with a blade of the player's, the one of `whole` at `theirs`, was found, and its event is filled in. */
void room_found_contact(room *r, room_player *p, const clash_event *event, const char *const whole[2], size_t theirs,
                        int64_t start_ns, int64_t now_ns);
void room_take_contact(room *r, room_player *p, const room_message_contact *m);

#endif

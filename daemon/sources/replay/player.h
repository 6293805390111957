/* Plays recording items: reports what each of them says to a pose listener. Pure: no clock, no file, no loop. The replay source
 * paces it, and daemon/offline drives it as fast as possible: both give the same reports in the same order. */
#ifndef CLASHD_SOURCES_REPLAY_PLAYER_H
#define CLASHD_SOURCES_REPLAY_PLAYER_H

#include "ports/pose_source.h"
#include "protocol/recording/recording.h"

/** Begins as {.listener = ..}. */
typedef struct player {
    pose_listener listener; /* but for `jumped`, `equipment` and `ended` */
    bool is_in_step;        /* the last frame promised more of its time */
    bool is_stopped;        /* set it from within a report: the rest of the item is not reported */
} player;

/** Return whether items of that kind say anything to a listener. Events do not, as they come anew from the poses; nor do gaps: a
 *  long one cuts the tracks by itself. */
bool player_takes(recording_item_kind kind);
/** Report an item, of any kind, as of time_ns. Returns how many frames it gave. */
uint64_t player_play(player *p, const recording_item *item, int64_t time_ns);
/** Report that what the item defines or removes (see recording_is_change) is gone. */
void player_remove(player *p, const recording_item *item, int64_t time_ns);

#endif

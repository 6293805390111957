/* Plays recording items: reports what each of them says to a pose listener. Pure: no clock, no file, no loop. The replay source
 * paces it, and daemon/offline drives it as fast as it goes: both give the same reports in the same order. */
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

/** Who hears of poses. */
typedef struct player_frames {
    void *context;
    uint32_t (*device)(void *context, const char *name); /* as a pose_listener's */
    void (*frame)(void *context, const pose_frame *frame);
    const bool *is_stopped; /* set from within `frame`: no more of them. NULL: never */
} player_frames;

/** Poses of one time, recorded or pushed, as frames: of at most POSE_FRAME_SAMPLES_MAX samples, all but the last of which say that
 *  there is more, as that one does where `more`. What is not valid is not tracked either. Returns how many frames. */
uint64_t player_split(const protocol_own_pose *poses, size_t count, int64_t time_ns, bool more,
                      const player_frames *to);

/** Whether items of that kind say anything to a listener. Events do not, as they come anew from the poses; nor do gaps: a
 *  long one cuts the tracks by itself. */
bool player_takes(recording_item_kind kind);
/** Reports an item, of any kind, as of time_ns. Returns how many frames it gave. */
uint64_t player_play(player *p, const recording_item *item, int64_t time_ns);
/** Reports that what the item defines or removes (see recording_is_change) is gone. */
void player_remove(player *p, const recording_item *item, int64_t time_ns);

#endif

/* What the parts of the replay source share: replay.c (its life), pace.c (when) and seek.c (going elsewhere). What an item says
 * is the player's. Included by nobody else. */
#ifndef CLASHD_SOURCES_REPLAY_REPLAY_PRIVATE_H
#define CLASHD_SOURCES_REPLAY_REPLAY_PRIVATE_H

#include "cli/failure.h"
#include "clock.h"
#include "player.h"
#include "replay.h"

#include "protocol/recording/index.h"

/* Between two passes of a loop, or if it would otherwise run back, time goes on by so much. */
#define REPLAY_SEAM_NS INT64_C(10000000)
/* Of a file or its text, read on the way to an item: some ms of work. Then others come first. */
#define REPLAY_READ_BUDGET ((uint64_t)1 << 20)
/* On the wire times are numbers below 2^53. */
#define REPLAY_TIME_MAX_NS ((INT64_C(1) << 53) - 1)

/* What the loop holds; outlives the source until both have closed. */
typedef struct replay_handles {
    uv_timer_t timer;
    uv_idle_t idle;
    int open;
} replay_handles;

typedef struct replay {
    pose_source source;
    replay_settings settings;
    uv_loop_t *loop;
    logger log;
    char *path;
    recording *file;
    recording_index *index;
    uint64_t damage_named;
    player player;
    replay_handles *handles; /* NULL: stopped */
    bool started_before, ended;
    bool is_held;           /* the listener is not ready for what comes next.. */
    uint64_t held_since_ns; /* .. since then */
    bool is_waiting;        /* for its turn: nothing is delivered, but time goes on */
    replay_clock clock;     /* of the file's times */
    int64_t shift_ns;
    bool has_delivered;   /* since the start */
    int64_t delivered_ns; /* the last item, as its time stands in the file.. */
    int64_t wire_ns;      /* .. and the latest that the listener was told */
    int64_t end_ns;       /* of the file, as far as known */
    uint64_t frames, passes;
    uint64_t pass_frames; /* of this pass: one without any does not begin another */
    uint64_t steps_left;  /* to be taken while it is paused */
    size_t changes;       /* of blades and targets, delivered: see index.h */
    bool is_seeking;
    int64_t target_ns;
    bool is_landing;               /* the next item is the first one of what is played from here on */
    bool is_reading;               /* on the way to an item.. */
    recording_place place;         /* .. that is behind here */
    recording_item_kind next_kind; /* LATER: it is yet to be read */
    recording_item next;           /* read ahead */
} replay;

/* replay.c */

/** The next item that is played, and the next one to be delivered; or a part of the way to it: next_kind is LATER then. */
void replay_read_ahead(replay *r);
/** The next item of any kind by `read`, noted in the index, or LATER. */
recording_item_kind replay_read(replay *r, recording_item_kind (*read)(recording *, recording_item *));
/** Reading goes on elsewhere. Return 0, or -1 if the file cannot be sought in. */
int replay_go(replay *r, const recording_place *place);
void replay_deliver_next(replay *r);
/** A time of the file as the listener is told it. */
int64_t replay_wire_ns(const replay *r, int64_t file_ns);
void replay_notify_changed(replay *r);

/* pace.c */

void replay_begin(replay *r);
/** Set the handles for what is to be done next. */
void replay_schedule(replay *r);
/** The port's hold. */
void replay_wait(pose_source *source, bool is_held);

/* seek.c */

/** The first item of what is played from here on is there, if there is one. */
void replay_arrive(replay *r);

/** Return 0, or -1 with a message. */
int replay_seek_begin(replay *r, int64_t target_ns, failure *out_failure);
/** A stretch of the way, some milliseconds at most. */
void replay_seek_go_on(replay *r);

#endif

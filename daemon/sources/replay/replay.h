/* Source: plays a recording, at its own speed, N times, or as fast as possible. The frames are the same whatever the
 * speed; damaged lines are named in the log and skipped. It can be paused, go on frame by frame, and go to any place, and
 * begin again at its end. Knows the recording's format only through protocol/recording/recording.h. */
#ifndef CLASHD_SOURCES_REPLAY_REPLAY_H
#define CLASHD_SOURCES_REPLAY_REPLAY_H

#include "cli/failure.h"
#include "ports/log.h"
#include "ports/pose_source.h"

#include <uv.h>

/** As fast as the listener takes them; the loop still turns between batches. */
#define REPLAY_SPEED_MAX 0.0

typedef struct replay_settings {
    const char *path;
    double speed;     /* file seconds a second, > 0, or REPLAY_SPEED_MAX */
    int64_t epoch_ns; /* added to the file's times */
    bool loops;       /* at the end it begins again, for ever */
    void *context;
    /** What replay_source_get_state says is different now, but for the position. From the loop. May be NULL. */
    void (*changed)(void *context);
} replay_settings;

/** Open the recording and read its header; not started. Settings are copied, the loop and the logger's context outlive the
 *  source. If `speed` is not 0 the first item is delivered at once and the others at the distance of their times.
 *  ended() is called once all has been delivered. start() after stop() begins again. After stop() or destroy() the
 *  loop must run once more before it is closed. Return NULL with a message in out_failure. */
pose_source *replay_source_create(const replay_settings *settings, uv_loop_t *loop, logger log, failure *out_failure);

/** Deliver nothing until it is held no more, and meanwhile no time passes for the recording. Also from within a report; what an item
 *  that is under way defines besides is still reported. */
void replay_source_hold(pose_source *source, bool is_held);

typedef enum replay_action {
    REPLAY_PAUSE,
    REPLAY_RESUME, /* at the end: from the beginning */
    REPLAY_STEP,   /* `count` frames further, and pauses */
    REPLAY_SEEK,   /* to the first poses not before `time_ns`; while it is paused that frame is delivered */
    REPLAY_SPEED   /* `speed` */
} replay_action;

typedef struct replay_command {
    replay_action action;
    uint64_t count;  /* at least 1 */
    int64_t time_ns; /* as times stand in the file */
    double speed;    /* as in the settings */
} replay_command;

/** Not from within a report. If it goes elsewhere, jumped() comes at once and the rest later. Return 0, or -1 with a message in
 *  out_failure: then nothing has changed. */
int replay_source_command(pose_source *source, const replay_command *command, failure *out_failure);

typedef struct replay_state {
    const char *file;  /* the source's */
    const char *state; /* "waiting", "running", "paused", "seeking", "ended" */
    bool is_paused, loops;
    double speed;
    int64_t position_ns; /* of what was delivered last, as times stand in the file; on its way, if it goes */
    int64_t first_ns;    /* the earliest poses */
    int64_t last_ns;     /* the latest, as far as known */
    int64_t shift_ns;    /* added to the file's times, besides the epoch, so that time never runs back */
    uint64_t frames;     /* delivered */
    uint64_t passes;     /* how often it has begun again at its end */
    uint64_t damaged;    /* lines, each once */
} replay_state;

void replay_source_get_state(const pose_source *source, replay_state *out_state);

#endif

/* Source: plays a recording, at its own speed, N times, or as fast as possible. The frames are the same whatever the
 * speed; damaged lines are named in the log and skipped. Knows the recording's format only through protocol/recording.h. */
#ifndef CLASHD_SOURCES_REPLAY_H
#define CLASHD_SOURCES_REPLAY_H

#include "ports/log.h"
#include "ports/pose_source.h"

#include <uv.h>

/** As fast as the listener takes them; the loop still turns between batches. */
#define REPLAY_SPEED_MAX 0.0

typedef struct replay_settings {
    const char *path;
    double speed;     /* file seconds a second, > 0, or REPLAY_SPEED_MAX */
    int64_t epoch_ns; /* added to the file's times */
} replay_settings;

/** Opens the recording and reads its header; not started. Settings are copied, the loop and the logger's context outlive the
 *  source. Where `speed` is not 0 the first item is delivered at once and the others at the distance of their times.
 *  ended() is called once all has been delivered. start() after stop() begins again. After stop() or destroy() the
 *  loop must run once more before it is closed. NULL with a message in out_error, error_size bytes. */
pose_source *replay_source_create(const replay_settings *settings, uv_loop_t *loop, logger log, char *out_error,
                                  size_t error_size);

#endif

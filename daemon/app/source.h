/* Picks the pose source that flags and settings ask for. The only place in app that knows them one by one. */
#ifndef CLASHD_APP_SOURCE_H
#define CLASHD_APP_SOURCE_H

#include "cli/failure.h"
#include "config/config.h"
#include "config/options.h"
#include "ports/haptic_output.h"

#include <uv.h>

typedef struct app_source_request {
    uv_loop_t *loop;
    const app_config *config;
    const app_options *options;
    int64_t epoch_ns; /* of the session, CLOCK_MONOTONIC */
    logger log;
    void *context;
    void (*replay_changed)(void *context); /* see sources/replay.h */
} app_source_request;

/** What clashd's own source is, as devices say it; NONE: there is none. */
clash_feed_source app_source_is(const app_options *options);
/** Not started yet. *out_haptics is all zero where nothing can vibrate.
 *  0, or -1 with a message in out_failure. */
int app_source_create(const app_source_request *request, pose_source **out_source, haptic_output *out_haptics,
                      failure *out_failure);

#endif

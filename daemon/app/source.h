/* Create the pose source that flags and settings ask for: each kind in config/sources.h has its create_NAME here. */
#ifndef CLASHD_APP_SOURCE_H
#define CLASHD_APP_SOURCE_H

#include "cli/failure.h"
#include "config/config.h"
#include "config/options.h"
#include "ports/haptic_output.h"

#include <uv.h>

typedef struct app_source_request {
    uv_loop_t *loop;
    const config_values *config;
    const config_options *options;
    int64_t epoch_ns; /* of the session, CLOCK_MONOTONIC */
    logger log;
    void *context;
    void (*replay_changed)(void *context); /* see sources/replay.h */
} app_source_request;

/** Create it, not started. *out_haptics is all zero if nothing can vibrate. Return 0, or -1 with a message in
 *  out_failure. */
int app_source_create(const app_source_request *request, pose_source **out_source, haptic_output *out_haptics,
                      failure *out_failure);

#endif

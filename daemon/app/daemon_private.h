/* What the halves of the daemon share: daemon.c (its life) and daemon_status.c (what it says of itself). Included by nobody
 * else. */
#ifndef CLASHD_APP_DAEMON_PRIVATE_H
#define CLASHD_APP_DAEMON_PRIVATE_H

#include "daemon.h"
#include "push.h"
#include "session.h"
#include "signals.h"
#include "sinks/fanout.h"
#include "sinks/haptics.h"
#include "sinks/recorder.h"
#include "sinks/socket.h"

#define DAEMON_COUNTERS_MAX 64

typedef struct app_daemon {
    const app_config *config;
    const app_options *options;
    logger log;
    uv_loop_t loop;
    app_session session;
    app_signals signals;
    pipeline *pipeline;
    pose_source *source;
    int64_t last_ns; /* of what the source reported last */
    bool source_started;
    bool failed;    /* the source cannot start */
    bool finishing; /* clients get what waits for them before the end */
    recorder *recorder;
    socket_sink *socket;
    haptics haptics;
    haptics_blade haptics_blades[APP_BLADES_MAX];
    push *push;
    uv_timer_t silence; /* runs while a client owns something */
    protocol_blade blades[APP_BLADES_MAX + PUSH_ALL_BLADES_MAX];
    fanout fanout;
    event_sink sinks; /* the fan-out's port */
    protocol_status_device devices[PIPELINE_DEVICES_MAX];
    protocol_counter counters[DAEMON_COUNTERS_MAX];
} app_daemon;

/** What `status` says; strings and arrays are the daemon's, valid until the next call. */
void daemon_describe_status(app_daemon *d, protocol_status *out_status);

#endif

/* What the parts of the daemon share: daemon.c (its life), load.c (what it waits for), daemon_server.c (its clients),
 * record.c (its recording), reload.c (changed settings), daemon_replay.c (its replay) and status.c (its status). Nobody
 * else includes it. */
#ifndef CLASHD_APP_DAEMON_PRIVATE_H
#define CLASHD_APP_DAEMON_PRIVATE_H

#include "cli/failure.h"
#include "config/listing.h"
#include "daemon.h"
#include "metrics/latency.h"
#include "pipeline/depenetrator.h"
#include "recorder/record_file.h"
#include "recorder/recorder.h"
#include "scene/event_outbox.h"
#include "scene/feeds.h"
#include "scene/inbox.h"
#include "scene/outlets.h"
#include "scene/outlines.h"
#include "scene/push.h"
#include "scene/room_link.h"
#include "scene/scene.h"
#include "scene/target_load.h"
#include "scene/targets.h"
#include "server/server.h"
#include "service/activation.h"
#include "service/service.h"
#include "service/session.h"
#include "service/signals.h"
#include "sinks/haptics/haptics.h"

typedef struct app_daemon {
    scene scene; /* comes first: its listener's context is the daemon */
    config_settings *settings;
    config_values *config; /* part of the settings, changed in place by a reload: others point to it */
    const config_options *options;
    const web_assets *assets;
    log_output *output; /* gets the level that the settings say */
    logger log;         /* the port of `output` */
    uv_loop_t loop;
    service_session session;
    service_signals signals;
    service service;
    activation activation;
    pipeline *pipeline;         /* the scene's */
    depenetrator *depenetrator; /* of that pipeline */
    surface_loader *loader;
    target_load *load;                  /* of the start; NULL: none */
    char load_error[CONFIG_ERROR_MAX];  /* "": no error */
    struct app_reload *reload;          /* in progress; NULL: none */
    config_listing listing;             /* as `config` reports them, */
    char default_path[CONFIG_PATH_MAX]; /* with this */
    pose_source *source;
    latency to_queue, to_write;
    protocol_latency latency; /* as `status` reports it */
    bool source_started;
    bool failed;                       /* the source cannot start */
    bool lost_lines;                   /* at the recording's end */
    bool stopping;                     /* on a signal */
    bool hung_up;                      /* SIGHUP came before the start was complete */
    bool finishing;                    /* before the end, while clients get what waits for them */
    bool ending;                       /* everything is being closed */
    recorder *recorder;                /* NULL: none */
    char recorded_to[RECORD_PATH_MAX]; /* the file that was logged last */
    bool had_terminal;                 /* clashd was started on a terminal */
    server *server;
    outlets outlets;
    room_link room;
    haptics haptics;
    haptic_output pulses; /* of the source; zeroed: it has none */
    haptics_blade haptics_blades[CONFIG_BLADES_MAX];
    push *push;
    inbox *inbox;        /* for everything that changes the scene */
    uv_timer_t silence;  /* runs while a client owns something, or the source passes on what it is sent */
    clash_blade *blades; /* of all there are, for whom they are listed */
    size_t blade_capacity;
    const char *set_aside[CONFIG_BLADES_MAX];
    const clash_target_definition *target_list[CONFIG_TARGETS_MAX + PUSH_ALL_TARGETS_MAX];
    size_t blades_before[CONFIG_TARGETS_MAX + PUSH_ALL_TARGETS_MAX];
    outlines_page outlines; /* asked for last */
    /* where poses come from: see protocol_equipment */
    char runtime[PROTOCOL_NAME_MAX];
    char controller_names[POSE_CONTROLLERS_MAX][2][PROTOCOL_NAME_MAX];
    protocol_controller controllers[POSE_CONTROLLERS_MAX];
    size_t controller_count;
    uint64_t reloads, reloads_refused;
    session_outbox outbox;
    event_sink sinks;             /* the outbox's port */
    protocol_replay_state replay; /* as `status` reports it */
    protocol_status_device devices[PIPELINE_DEVICES_MAX];
    protocol_status_player players[PROTOCOL_STATUS_PLAYERS_MAX];
    counter_list counters;
    protocol_counter status_counters[COUNTERS_MAX]; /* likewise, for `status` */
} app_daemon;

/** Fill in `status`; strings and arrays are the daemon's, valid until the next call. */
void daemon_describe_status(app_daemon *d, protocol_status *out_status);

/** Fill d->devices. Return how many there are. */
size_t daemon_list_devices(app_daemon *d);

/** The callback of service_open. */
void daemon_describe_service(void *context, service_state *out_state);

/** Create the scene with all that the settings define; waits for its targets. Return 0, or -1 with a message in
 *  out_failure, or without one if d->stopping. */
int daemon_load_scene(app_daemon *d, failure *out_failure);
/** Start the source, once; if it cannot start, the daemon ends. */
void daemon_start_source(app_daemon *d);
/** Listen as the settings say. Return 0, or -1 with a message in out_failure. */
int daemon_open_socket(app_daemon *d, failure *out_failure);
/** What sends to others by the network. Return 0, or -1 with a message in out_failure. */
int daemon_open_outlets(app_daemon *d, failure *out_failure);
/** Open those anew whose settings change. The same. */
int daemon_change_outlets(app_daemon *d, const config_values *next, failure *out_failure);
/** Fill the outbox anew with all sinks; not from within an event. */
void daemon_join_sinks(app_daemon *d);
/** Fill in what Prometheus asks for. */
void daemon_make_metrics(app_daemon *d, server_metrics *out_metrics);
/** All events caused by poses of that time are in the queues, or will be when the step is finished. */
void daemon_settle(app_daemon *d, int64_t sample_ns);
/** The same of other players' poses: they came late, so nothing is learnt of latency. */
void daemon_settle_room(void *daemon);
/** From now on devices may fall silent. */
void daemon_watch_silence(app_daemon *d);
/** Call before there are clients or sources. Return 0, or -1 when out of memory. */
int daemon_open_inbox(app_daemon *d);
/** The callback `done` of push. */
void daemon_on_pushed(void *context, const void *client, const protocol_error *error);
/** Handle SERVER_NOTIFY_WRITTEN. */
void daemon_on_written(app_daemon *d, int64_t sample_ns);

/** Return the time now, ns since the session's epoch. */
int64_t daemon_session_ns(void *daemon);
/** The callback `session` of the server and of the recorder. */
void daemon_describe_session(void *context, protocol_session *out_session);
device_names daemon_names(app_daemon *d);

/** Open the recorder if the settings want one. Return 0, or -1 with a message in out_failure. */
int daemon_open_recorder(app_daemon *d, failure *out_failure);
/** Carry out a client's `record`. Return 0 with the file's path in *out_file, or -1 with out_error. */
int daemon_record(app_daemon *d, const protocol_record *what, const char **out_file, protocol_error *out_error);
/** The callback `equipment` of pose_listener. */
void daemon_take_equipment(void *context, const pose_equipment *equipment);
/** Carry out a client's `replay`. Return 0, or -1 with out_error. */
int daemon_replay(app_daemon *d, const protocol_replay *what, protocol_error *out_error);
/** Hold the replay while its targets wait for their files, or let it go on. */
void daemon_hold_replay(void *context, bool is_held);
/** Tell those who subscribed that the replay's state changed. */
void daemon_replay_changed(void *context);
/** Describe the replay. Return false if no recording is played. */
bool daemon_describe_replay(app_daemon *d, protocol_replay_state *out_state);

/** Start to read the settings again, in place of a reading in progress. Once they and everything they need are read,
 *  either all changes apply or none; the log says which and names `cause`, and the service manager is told that clashd
 *  is ready again. */
void daemon_reload(app_daemon *d, const char *cause);
/** The same for a client, which gets its answer by server_reloaded. Return 0, or -1 with out_error. */
int daemon_reload_for(app_daemon *d, protocol_error *out_error);
/** Fill in `config`; strings and arrays are the daemon's, valid until the next call. */
void daemon_describe_config(app_daemon *d, protocol_config *out_config);
/** Abandon a reload in progress. */
void daemon_cancel_reload(app_daemon *d);
/** Warn if nothing in the settings can ever clash. */
void daemon_warn_no_clash(app_daemon *d);
/** A client feeds a device no longer: let those ask again that were refused. `context` is the daemon. */
void daemon_on_feed_end(void *context);
/** Tell the haptics sink which blades are the settings': only these are felt. */
void daemon_name_haptics(app_daemon *d);

/** Handle SIGHUP. Return whether clashd goes on. */
bool daemon_hangup(void *context);

#endif

/* What the parts of the daemon share: daemon.c (its life), load.c (what it waits for), daemon_socket.c (its clients), record.c (its recording),
 * reload.c (changed settings), daemon_replay.c (its replay), and
 * status.c (what it says of itself). Included by nobody else. */
#ifndef CLASHD_APP_DAEMON_PRIVATE_H
#define CLASHD_APP_DAEMON_PRIVATE_H

#include "cli/failure.h"
#include "config/listing.h"
#include "daemon.h"
#include "metrics/latency.h"
#include "pipeline/resolver.h"
#include "recorder/record_file.h"
#include "recorder/recorder.h"
#include "scene/fanout.h"
#include "scene/feeds.h"
#include "scene/outlets.h"
#include "scene/pending_targets.h"
#include "scene/push.h"
#include "scene/scene.h"
#include "scene/target_load.h"
#include "scene/targets.h"
#include "scene/turns.h"
#include "server/socket.h"
#include "service/activation.h"
#include "service/service.h"
#include "service/signals.h"
#include "session.h"
#include "sinks/haptics/haptics.h"

typedef struct app_daemon {
    scene scene; /* first: the source reports to it */
    app_settings *settings;
    app_config *config; /* theirs, changed in place by a reload: others point into it */
    const app_options *options;
    const web_assets *assets;
    app_log *output; /* what the settings say of the log is for it */
    logger log;      /* its port */
    uv_loop_t loop;
    app_session session;
    app_signals signals;
    service service;
    activation activation;
    pipeline *pipeline; /* the scene's */
    resolver *resolver; /* of that pipeline */
    surface_loader *loader;
    target_load *load;               /* of the start; NULL: none */
    char load_error[APP_ERROR_MAX];  /* "": none */
    struct app_reload *reload;       /* that has begun; NULL: none */
    config_listing listing;          /* as `config` says it.. */
    char default_path[APP_PATH_MAX]; /* .. with this */
    pose_source *source;
    latency to_queue, to_write;
    protocol_latency latency; /* as status says it */
    bool source_started;
    bool failed;                       /* the source cannot start */
    bool lost_lines;                   /* of the recording's end */
    bool stopping;                     /* a signal has said so */
    bool hung_up;                      /* SIGHUP came before the start was over */
    bool finishing;                    /* clients get what waits for them before the end.. */
    bool ending;                       /* .. which this is */
    recorder *recorder;                /* NULL: none */
    char recorded_to[RECORD_PATH_MAX]; /* as the log said last */
    bool had_terminal;                 /* clashd was started on one */
    socket_sink *socket;
    outlets outlets;
    haptics haptics;
    haptic_output pulses; /* the source's; zeroed: it has none */
    haptics_blade haptics_blades[APP_BLADES_MAX];
    push *push;
    turns *turns;       /* of all that changes the scene */
    int64_t settle_ns;  /* of the step that is left unfinished; 0: none that a frame began */
    const void *pusher; /* whose push began it; NULL: none's */
    uv_timer_t silence; /* runs while a client owns something */
    clash_blade blades[APP_BLADES_MAX + PUSH_ALL_BLADES_MAX];
    const clash_target_definition *target_list[APP_TARGETS_MAX + PUSH_ALL_TARGETS_MAX];
    size_t blades_before[APP_TARGETS_MAX + PUSH_ALL_TARGETS_MAX];
    /* What poses come from: see protocol_equipment. */
    char runtime[PROTOCOL_NAME_MAX];
    char controller_names[POSE_CONTROLLERS_MAX][2][PROTOCOL_NAME_MAX];
    protocol_controller controllers[POSE_CONTROLLERS_MAX];
    size_t controller_count;
    uint64_t reloads, reloads_refused;
    fanout fanout;
    event_sink sinks;             /* the fan-out's port */
    protocol_replay_state replay; /* as status says it */
    protocol_status_device devices[PIPELINE_DEVICES_MAX];
    counter_list counters;
    protocol_counter status_counters[COUNTERS_MAX]; /* the same, for `status` */
} app_daemon;

/** What `status` says; strings and arrays are the daemon's, valid until the next call. */
void daemon_describe_status(app_daemon *d, protocol_status *out_status);

/** Fills d->devices. How many. */
size_t daemon_list_devices(app_daemon *d);

/** service_open's. */
void daemon_describe_service(void *context, service_state *out_state);

/** With all that the settings define; waits for their targets. 0, or -1 with a message in out_failure, or where
 *  d->stopping none. */
int daemon_load_scene(app_daemon *d, failure *out_failure);
/** Once; a source that cannot start ends the daemon. */
void daemon_start_source(app_daemon *d);
/** Listens where the settings want it. 0, or -1 with a message in out_failure. */
int daemon_open_socket(app_daemon *d, failure *out_failure);
/** What sends to others by the network. 0, or -1 with a message in out_failure. */
int daemon_open_outlets(app_daemon *d, failure *out_failure);
/** The same for Prometheus. */
void daemon_make_metrics(app_daemon *d, socket_metrics *out_metrics);
/** All events that poses of that time caused are in the queues, or will be when the step is finished. */
void daemon_settle(app_daemon *d, int64_t sample_ns);
/** Before there are clients or sources. 0, or -1 when out of memory. */
int daemon_open_turns(app_daemon *d);
/** push's done. */
void daemon_on_pushed(void *context, const void *client, const protocol_error *error);
/** SOCKET_NOTIFY_WRITTEN. */
void daemon_on_written(app_daemon *d, int64_t sample_ns);

/** socket_sink's session, and recorder's. */
void daemon_describe_session(void *context, protocol_session *out_session);
device_names daemon_names(app_daemon *d);

/** Where the settings want it. 0, or -1 with a message in out_failure. */
int daemon_open_recorder(app_daemon *d, failure *out_failure);
/** A client's. 0 and in *out_file which file that is, or -1 with out_error. */
int daemon_record(app_daemon *d, const protocol_record *what, const char **out_file, protocol_error *out_error);
/** pose_listener's equipment. */
void daemon_take_equipment(void *context, const pose_equipment *equipment);
/** A client's. 0, or -1 with out_error. */
int daemon_replay(app_daemon *d, const protocol_replay *what, protocol_error *out_error);
/** Targets of the recording wait for their files, and its poses with them, or no more. */
void daemon_hold_replay(void *context, bool is_held);
/** Tells who wants to know that something about the replay is different. */
void daemon_replay_changed(void *context);
/** False if no recording is played. */
bool daemon_describe_replay(app_daemon *d, protocol_replay_state *out_state);

/** Begins to read the settings again, in the place of a reading that is not over yet; when they are there with all that they
 *  take, what has changed applies, or all is refused; the log says which, naming `cause`, and the service manager that clashd is
 *  ready again. */
void daemon_reload(app_daemon *d, const char *cause);
/** The same for a client, which socket_sink_reloaded tells. 0, or -1 with out_error. */
int daemon_reload_for(app_daemon *d, protocol_error *out_error);
/** What `config` says; strings and arrays are the daemon's, valid until the next call. */
void daemon_describe_config(app_daemon *d, protocol_config *out_config);
/** Gives up what is being read. */
void daemon_cancel_reload(app_daemon *d);
/** Says so where nothing of the settings can ever clash. */
void daemon_warn_no_clash(app_daemon *d);
/** The blades that are felt are those of the settings. */
void daemon_name_haptics(app_daemon *d);

/** Whether clashd's own terminal is there; nothing else is asked of it. */
bool daemon_has_terminal(void);
/** SIGHUP: whether that was all, and clashd goes on. */
bool daemon_hangup(void *context);

#endif

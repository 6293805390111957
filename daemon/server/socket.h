/* Sink: send events and poses to the clients of a socket, as each subscribed, and answer their requests. Owns the
 * listener and the peers. An event is serialised once, and only if somebody wants it. Knows the requests, but not what
 * `hello` and `status` contain: app provides that. All on the loop's thread. */
#ifndef CLASHD_SERVER_SOCKET_H
#define CLASHD_SERVER_SOCKET_H

#include "cli/failure.h"
#include "ipc/endpoint.h"
#include "ipc/listener.h"
#include "ports/counter.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "ports/pose_resolver.h"
#include "ports/web_asset.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/encode_config.h"

#include <uv.h>

#define SOCKET_SINK_ENDPOINTS 2
typedef struct socket_sink socket_sink;

/** What the sink asks its owner, or only reports to it. */
typedef enum socket_ask_kind {
    SOCKET_ASK_SESSION,  /* what `hello` says, and which blades may be subscribed to: fills reply's session */
    SOCKET_ASK_STATUS,   /* what `status` says except `clients`: fills reply's status */
    SOCKET_ASK_CONFIG,   /* the settings in force: fills reply's config */
    SOCKET_ASK_OUTLINES, /* a page of targets' outlines, as the request says: fills reply's outlines */
    SOCKET_ASK_METRICS,  /* the page for Prometheus: fills reply's metrics */
    SOCKET_ASK_REQUEST,  /* carry out a client's blade, target, remove, feed, poses, record, replay or reload; may send
                           events from within */
    SOCKET_NOTIFY_SUBSCRIBED, /* a client has subscribed, and its `ok` is on its way */
    SOCKET_NOTIFY_GONE, /* a client will push nothing more, or is gone; may come twice; may send events from within */
    SOCKET_NOTIFY_WRITTEN, /* a write brought lines to a client that a frame of sample_ns caused, see
                              socket_sink_settled; must not call back */
    SOCKET_NOTIFY_OVER     /* after socket_sink_close or socket_sink_finish: the sink is gone */
} socket_ask_kind;

typedef struct socket_ask {
    socket_ask_kind kind;
    const void *client;              /* identified by its address until it is gone */
    const protocol_request *request; /* of REQUEST and OUTLINES */
    int64_t sample_ns;               /* of WRITTEN */
} socket_ask;

/** On the heap, the sink frees it; NULL: there is no memory. */
typedef struct socket_metrics {
    char *text;
    size_t length;
    const char *content_type;
} socket_metrics;

/** By what was asked. Strings and arrays are the owner's, valid until it is asked again. */
typedef union socket_reply {
    protocol_session session;
    protocol_status status;
    protocol_config config;
    protocol_outlines outlines;
    socket_metrics metrics;
    const char *file;     /* of `record`: the file's path */
    protocol_error error; /* of a SOCKET_REFUSED request, OUTLINES too */
} socket_reply;

/** What becomes of a request; DONE for any other question. */
typedef enum socket_answer {
    SOCKET_DONE,
    SOCKET_REFUSED,
    SOCKET_LATER, /* socket_sink_pushed or socket_sink_reloaded answers it */
    SOCKET_BUSY   /* no time now: socket_sink_serve asks again */
} socket_answer;

typedef struct socket_sink_settings {
    uv_loop_t *loop;
    const char *path;                                   /* copied */
    int passed_fd;                                      /* see listener.h */
    const passed_socket *passed[SOCKET_SINK_ENDPOINTS]; /* see endpoint.h; NULL: none; copied */
    bool make_directory;                                /* the default path, see listener.h */
    const char *addresses[SOCKET_SINK_ENDPOINTS];       /* by endpoint_kind; see ipc/address.h; NULL: none; copied */
    bool require_token;                                 /* for TCP and WebSocket; its file is beside the socket, see
                                                           ipc/token.h */
    const char *token_file;                             /* a file that keeps it across restarts; NULL: none; copied */
    handshake_rules rules;                              /* of WebSocket; the token is filled in here */
    uint32_t wait_ms;                                   /* for a handshake; 0: default */
    size_t max_clients;                                 /* the next one gets an `error` with code `limit` and is
                                                           closed */
    size_t queue_bytes;                                 /* of each client */
    size_t reply_bytes;                                 /* 0: default, see peer.h */
    uint32_t stall_ms;                                  /* 0: 5000 */
    int64_t epoch_ns;                                   /* of the session, CLOCK_MONOTONIC */
    device_names names;
    pose_resolver resolver; /* zeroed: none; then nobody is told where pictures should stop */
    logger log;
    bool has_pages;           /* to plain requests of HTTP: SOCKET_ASK_METRICS is answered, and there are.. */
    const web_assets *assets; /* .. these; NULL: none */
    /* What these point to may change from one request to the next; NULL or "": none. */
    const char *log_directories[2]; /* of the first that is one the recordings are at /logs */
    const char *overlay_css;        /* a file that is /overlay.css */
    void *context;
    socket_answer (*ask)(void *context, const socket_ask *ask, socket_reply *out_reply);
} socket_sink_settings;

/** Open and listen; results and out_failure as in listener_open. */
listener_result socket_sink_open(const socket_sink_settings *settings, socket_sink **out_sink, failure *out_failure);
/** Return it as a sink, valid until it is closed. */
event_sink socket_sink_port(socket_sink *s);
/** The last frame has had all its events: what is sent until the next frame is not because of it. */
void socket_sink_settled(socket_sink *s);
/** Describe where it listens besides the path, and how one gets in there, for people; "" if nowhere. */
void socket_sink_describe(const socket_sink *s, endpoint_kind kind, char *out_text, size_t size);
/** Answer a client's SOCKET_LATER request: carried out, or refused with `error`. Then carry out what the client asked
 *  since. Not from within a request. */
void socket_sink_pushed(socket_sink *s, const void *which, const protocol_error *error);
/** Answer every client whose `reload` was SOCKET_LATER. */
void socket_sink_reloaded(socket_sink *s, const protocol_error *error);
/** Ask again for the SOCKET_BUSY request that has waited longest. Return whether others wait; false also if none did.
 *  Not from within a request. */
bool socket_sink_serve(socket_sink *s);
/** Send to all that subscribed to `recorder`. */
void socket_sink_notify_recorder(socket_sink *s, const protocol_recorder *now);
/** Send to all that subscribed to `replay`. */
void socket_sink_notify_replay(socket_sink *s, const protocol_replay_state *now);
/** Send to that client, unless it has not read what it was sent before: a late pulse is worse than none. */
void socket_sink_notify_haptic(socket_sink *s, const void *which, const protocol_haptic *haptic);
/** Return how many clients are connected. */
size_t socket_sink_clients(const socket_sink *s);
void socket_sink_list_counters(const socket_sink *s, counter_list *out);
/** Stop listening, close every client, remove the socket; frees itself once the loop has closed its handles. Calls only
 *  SOCKET_NOTIFY_OVER from now on. Accepts NULL. */
void socket_sink_close(socket_sink *s);
/** The same, but every client first gets what waits for it, unless it stalls. */
void socket_sink_finish(socket_sink *s);
/** After socket_sink_finish and before SOCKET_NOTIFY_OVER: drop what clients have not got yet. Accepts NULL. */
void socket_sink_hurry(socket_sink *s);

#endif

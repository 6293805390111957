/* Sink: send events and poses to the clients of a socket, as each subscribed, and answer their requests. Owns the
 * listener and the peers. An event is serialised once, and only if somebody wants it. Knows the requests, but not what
 * `hello` and `status` contain: app provides that. All on the loop's thread. */
#ifndef CLASHD_SERVER_SERVER_H
#define CLASHD_SERVER_SERVER_H

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

#define SERVER_ENDPOINTS 2
typedef struct server server;

/** What the server asks its owner, or only reports to it. */
typedef enum server_ask_kind {
    SERVER_ASK_SESSION,  /* what `hello` says, and which blades may be subscribed to: fills reply's session */
    SERVER_ASK_STATUS,   /* what `status` says except `clients`: fills reply's status */
    SERVER_ASK_CONFIG,   /* the settings in force: fills reply's config */
    SERVER_ASK_OUTLINES, /* a page of targets' outlines, as the request says: fills reply's outlines */
    SERVER_ASK_METRICS,  /* the page for Prometheus: fills reply's metrics */
    SERVER_ASK_REQUEST,  /* carry out a client's blade, target, remove, feed, poses, record, replay or reload; may send
                           events from within */
    SERVER_NOTIFY_SUBSCRIBED, /* a client has subscribed, and its `ok` is on its way */
    SERVER_NOTIFY_GONE, /* a client will push nothing more, or is gone; may come twice; may send events from within */
    SERVER_NOTIFY_WRITTEN, /* a write brought lines to a client that a frame of sample_ns caused, see
                              server_settled; must not call back */
    SERVER_NOTIFY_OVER     /* after server_close or server_finish: the server is gone */
} server_ask_kind;

typedef struct server_ask {
    server_ask_kind kind;
    const void *client;              /* identified by its address until it is gone */
    const protocol_request *request; /* of REQUEST and OUTLINES */
    int64_t sample_ns;               /* of WRITTEN */
} server_ask;

/** On the heap, the server frees it; NULL: there is no memory. */
typedef struct server_metrics {
    char *text;
    size_t length;
    const char *content_type;
} server_metrics;

/** By what was asked. Strings and arrays are the owner's, valid until it is asked again. */
typedef union server_reply {
    protocol_session session;
    protocol_status status;
    protocol_config config;
    protocol_outlines outlines;
    server_metrics metrics;
    const char *file;     /* of `record`: the file's path */
    double max_gap_ms;    /* of a `feed` that is DONE or LATER */
    protocol_error error; /* of a SERVER_REFUSED request, OUTLINES too */
} server_reply;

/** What becomes of a request; DONE for any other question. */
typedef enum server_answer {
    SERVER_DONE,
    SERVER_REFUSED,
    SERVER_LATER, /* server_pushed or server_reloaded answers it */
    SERVER_BUSY   /* not now: the owner calls server_serve for this client later */
} server_answer;

typedef struct server_settings {
    uv_loop_t *loop;
    const char *path;                              /* copied */
    int passed_fd;                                 /* see listener.h */
    const passed_socket *passed[SERVER_ENDPOINTS]; /* see endpoint.h; NULL: none; copied */
    bool make_directory;                           /* the default path, see listener.h */
    const char *addresses[SERVER_ENDPOINTS];       /* by endpoint_kind; see ipc/address.h; NULL: none; copied */
    bool require_token;                            /* for TCP and WebSocket; its file is beside the socket, see
                                                           ipc/token.h */
    const char *token_file;                        /* a file that keeps it across restarts; NULL: none; copied */
    handshake_rules rules;                         /* of WebSocket; the token is filled in here */
    uint32_t wait_ms;                              /* for a handshake; 0: default */
    size_t max_clients;                            /* the next one gets an `error` with code `limit` and is
                                                           closed */
    size_t queue_bytes;                            /* of each client */
    size_t reply_bytes;                            /* 0: default, see peer.h */
    uint32_t stall_ms;                             /* 0: 5000 */
    int64_t epoch_ns;                              /* of the session, CLOCK_MONOTONIC */
    device_names names;
    pose_resolver resolver; /* zeroed: none; then nobody is told where pictures should stop */
    logger log;
    bool has_pages;           /* to plain requests of HTTP: SERVER_ASK_METRICS is answered, and there are.. */
    const web_assets *assets; /* .. these; NULL: none */
    /* What these point to may change from one request to the next; NULL or "": none. */
    const char *log_directories[2]; /* of the first that is one the recordings are at /logs */
    const char *overlay_css;        /* a file that is /overlay.css */
    void *context;
    server_answer (*ask)(void *context, const server_ask *ask, server_reply *out_reply);
} server_settings;

/** Open and listen; results and out_failure as in listener_open. */
listener_result server_open(const server_settings *settings, server **out_server, failure *out_failure);
/** Return it as a sink, valid until it is closed. */
event_sink server_port(server *s);
/** The last frame has had all its events: what is sent until the next frame is not because of it. */
void server_settled(server *s);
/** Describe where it listens besides the path, and how one gets in there, for people; "" if nowhere. */
void server_describe(const server *s, endpoint_kind kind, char *out_text, size_t size);
/** Answer a client's SERVER_LATER request: carried out, or refused with `error`. Then carry out what the client asked
 *  since. Not from within a request. */
void server_pushed(server *s, const void *which, const protocol_error *error);
/** Answer every client whose `reload` was SERVER_LATER. */
void server_reloaded(server *s, const protocol_error *error);
/** Ask again for the client's request that was SERVER_BUSY, and carry out what it asked since. Not from within a request. */
void server_serve(server *s, const void *which);
/** Send to all that subscribed to `recorder`. */
void server_notify_recorder(server *s, const protocol_recorder *now);
/** Send to all that subscribed to `replay`. */
void server_notify_replay(server *s, const protocol_replay_state *now);
/** Send to that client, unless it has not read what it was sent before: a late pulse is worse than none. */
void server_notify_haptic(server *s, const void *which, const protocol_haptic *haptic);
/** Send to the clients whose last `feed` was refused because another client feeds: it has ended. */
void server_notify_feed_free(server *s);
/** Return how many clients are connected. */
size_t server_clients(const server *s);
void server_list_counters(const server *s, counter_list *out);
/** Stop listening, close every client, remove the socket; frees itself once the loop has closed its handles. Calls only
 *  SERVER_NOTIFY_OVER from now on. Accepts NULL. */
void server_close(server *s);
/** The same, but every client first gets what waits for it, unless it stalls. */
void server_finish(server *s);
/** After server_finish and before SERVER_NOTIFY_OVER: drop what clients have not got yet. Accepts NULL. */
void server_hurry(server *s);

#endif

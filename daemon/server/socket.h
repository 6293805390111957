/* Sink: events and poses to the clients of a socket, each as it subscribed, and the replies to what they ask. Owns the
 * listener and the peers. An event is serialised once, and only if somebody wants it. Knows the requests, not where
 * `hello` and `status` come from: app says that. All on the loop's thread. */
#ifndef CLASHD_SERVER_SOCKET_H
#define CLASHD_SERVER_SOCKET_H

#include "ipc/entrance.h"
#include "ipc/listener.h"
#include "ports/counter.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "ports/pose_resolver.h"
#include "protocol/messages/codec.h"

#include <uv.h>

#define SOCKET_SINK_ENTRANCES 2
#define SOCKET_SINK_PAGE "/metrics"
/** A push that is answered by socket_sink_pushed. */
#define SOCKET_SINK_LATER 1
/** A push, or what steers recording and replay, for which there is no time now: it is asked again by socket_sink_serve. */
#define SOCKET_SINK_BUSY 2

typedef struct socket_sink socket_sink;

typedef struct socket_sink_settings {
    uv_loop_t *loop;
    const char *path;                                   /* copied */
    int passed_fd;                                      /* see listener.h */
    const passed_socket *passed[SOCKET_SINK_ENTRANCES]; /* see entrance.h; NULL: none; copied */
    bool make_directory;                                /* the default path, see listener.h */
    const char *addresses[SOCKET_SINK_ENTRANCES];       /* by entrance_kind; see ipc/address.h; NULL: none; copied */
    bool require_token;                                 /* there; its file is beside the socket, see ipc/token.h */
    handshake_rules rules;                              /* of WebSocket; its token is filled in here */
    uint32_t wait_ms;                                   /* for a handshake; 0: default */
    size_t max_clients;                                 /* one more gets an `error` with code `limit` and is closed */
    size_t queue_bytes;                                 /* of each client */
    size_t reply_bytes;                                 /* 0: default, see peer.h */
    uint32_t stall_ms;                                  /* 0: 5000 */
    int64_t epoch_ns;                                   /* of the session, CLOCK_MONOTONIC */
    device_names names;
    pose_resolver resolver; /* zeroed: none, and nobody is told where pictures should stop */
    logger log;
    void *context; /* of the functions below */
    /** What `hello` says, and which blades may be subscribed to. Strings and arrays are the callee's, valid until its
     *  next call. */
    void (*session)(void *context, protocol_session *out_session);
    /** Likewise what `status` says; `counters` may be taken from socket_sink_list_counters, `clients` is filled here. */
    void (*status)(void *context, protocol_status *out_status);
    /** Now, ns since the epoch, for `ok`. */
    int64_t (*time_ns)(void *context);
    /** A client has subscribed, and its `ok` is on its way. May be NULL. */
    void (*subscribed)(void *context);
    /** A client's blade, target, remove, feed or poses; `client` stands for it until `gone`. 0, SOCKET_SINK_LATER, SOCKET_SINK_BUSY, or
     *  -1 with
     *  out_error: it is refused. May be NULL, then there is no pushing. */
    int (*push)(void *context, const void *client, const protocol_request *request, protocol_error *out_error);
    /** Steers the recording. 0 and in *out_file which file that is, SOCKET_SINK_BUSY, or -1 with out_error. May be NULL. */
    int (*record)(void *context, const protocol_record *what, const char **out_file, protocol_error *out_error);
    /** Steers the replay. 0, SOCKET_SINK_BUSY, or -1 with out_error. May be NULL. Events may be sent from within. */
    int (*replay)(void *context, const protocol_replay *what, protocol_error *out_error);
    /** A client will push nothing more, or has gone; it may be told twice. May be NULL. Events may be sent from within both. */
    void (*gone)(void *context, const void *client);
    /** The page at SOCKET_SINK_PAGE of the WebSocket's port. May be NULL: there is none. */
    void (*page)(void *context, entrance_page *out_page);
    /** A write has brought lines to a client that a frame of that time caused: see socket_sink_settled. Must not call
     *  back. May be NULL. */
    void (*written)(void *context, int64_t sample_ns);
    /** After socket_sink_close or socket_sink_finish: it is no more. May be NULL. */
    void (*over)(void *context);
} socket_sink_settings;

/** Listens from now on; results and out_error as in listener_open. */
listener_result socket_sink_open(const socket_sink_settings *settings, socket_sink **out_sink, char *out_error,
                                 size_t error_size);
/** As a sink, valid until it is closed. */
event_sink socket_sink_port(socket_sink *s);
/** The last frame has had all its events: what is sent from now on until the next frame is not because of it. */
void socket_sink_settled(socket_sink *s);
/** Where it listens besides the path, and how one gets in there, for people; "" where nowhere. */
void socket_sink_describe(const socket_sink *s, entrance_kind kind, char *out_text, size_t size);
/** Answers the client's push that was SOCKET_SINK_LATER: carried out, or refused with `error`. What it has asked since, it is
 *  answered after this. Not from within its push. */
void socket_sink_pushed(socket_sink *s, const void *which, const protocol_error *error);
/** Asks again for the client whose request has waited longest since SOCKET_SINK_BUSY. Whether others wait; false also where none
 *  did. Not from within a request. */
bool socket_sink_serve(socket_sink *s);
/** To all that subscribed to `recorder`. */
void socket_sink_tell_recorder(socket_sink *s, const protocol_recorder *now);
/** To all that subscribed to `replay`. */
void socket_sink_tell_replay(socket_sink *s, const protocol_replay_state *now);
/** Connected now. */
size_t socket_sink_clients(const socket_sink *s);
void socket_sink_list_counters(const socket_sink *s, counter_list *out);
/** Stops listening, closes every client, removes the socket; frees itself when the loop has run until all its handles
 *  are closed. Calls nothing of app any more, but for `over`. Accepts NULL. */
void socket_sink_close(socket_sink *s);
/** The same in peace: every client first gets what waits for it, unless it stalls. */
void socket_sink_finish(socket_sink *s);
/** After that and before `over`: who has not got all by now gets no more. Accepts NULL. */
void socket_sink_hurry(socket_sink *s);

#endif

/* One client on a stream socket, Unix or TCP. Reads its lines or frames, and sends it lines from a bounded queue
 * without ever delaying another client. Lines are sent or dropped whole. A slow client loses events and receives
 * `lagged` when it reads again; a client that makes no progress at all is closed. Knows lines, but not requests.
 * Everything runs on the loop's thread; sending never calls a callback. */
#ifndef CLASHD_IPC_PEER_H
#define CLASHD_IPC_PEER_H

#include "ipc/outbox.h"
#include "ports/log.h"
#include "wire_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#define PEER_STALL_MS_DEFAULT 5000
#define PEER_REPLY_BYTES_DEFAULT 65536

typedef struct peer peer;

typedef enum peer_end {
    PEER_END_GONE,    /* the client closed its end, or the connection broke */
    PEER_END_STALLED, /* the client did not read the data waiting for it; already logged with pid, command and drops */
    PEER_END_FOREIGN, /* its first byte cannot begin a message */
    PEER_END_CLOSED   /* peer_close or peer_finish */
} peer_end;

typedef struct peer_settings {
    size_t queue_bytes; /* limit for waiting events; in addition one batch of at most 80 KiB may be in flight */
    size_t reply_bytes; /* pause reading while more bytes of replies than this wait; 0: PEER_REPLY_BYTES_DEFAULT */
    uint32_t stall_ms;  /* 0: PEER_STALL_MS_DEFAULT */
    const char
        *from; /* its address, for the log; copied. NULL: identify it by its process, which a Unix socket provides */
    bool websocket;  /* messages are in frames, after the upgrade */
    bool first_byte; /* end the peer at once if its first byte cannot begin a message, as in an HTTP request */
    outbox *outbox;  /* must outlive the peer, except for its closing */
    logger log;
} peer_settings;

/** Sums over all peers of one owner. */
typedef struct peer_counters {
    uint64_t lines_sent;      /* accepted whole by the kernel */
    uint64_t events_dropped;  /* from full queues */
    uint64_t lagged;          /* `lagged` lines sent */
    uint64_t poses_conflated; /* `poses` lines replaced by newer ones */
    uint64_t stalled;         /* peers closed because they stalled */
    uint64_t reads_paused;    /* times that reading from a peer paused because its replies piled up */
    /** Called for every write in which the kernel accepted a stamped line, with the first such stamp. Must not call
     *  back. May be NULL. */
    void (*written)(void *context, int64_t stamp_ns);
    void *context;
} peer_counters;

typedef struct peer_listener {
    void *context;
    /** One line, without its newline, or one WebSocket message. Valid during the call, which may send to and close the
     *  peer. */
    void (*line)(void *context, peer *p, const char *line, size_t length);
    /** A line exceeded PROTOCOL_LINE_MAX and was dropped. */
    void (*too_long)(void *context, peer *p);
    /** The client closed its sending side but may still read. Return whether to keep it; otherwise it is closed once
     *  all waiting data has been sent. */
    bool (*half_closed)(void *context, peer *p);
    /** The last callback for this peer, from the loop; the peer is freed when it returns. */
    void (*ended)(void *context, peer *p, peer_end end);
} peer_listener;

/** Take ownership of a connected, non-blocking stream socket (also on failure) and start reading. `counters` are shared
 *  and outlive the peer; `data` is the owner's. Return NULL when out of memory or when libuv refuses. */
peer *peer_create(uv_loop_t *loop, int fd, const peer_settings *settings, const peer_listener *listener,
                  peer_counters *counters, void *data);

void *peer_data(const peer *p);
/** Describe the client for the log: "pid 12 (game)" or an address. */
void peer_describe(const peer *p, char *out_text, size_t size);
/** Return the number of events dropped for this peer so far. */
uint64_t peer_dropped(const peer *p);

/** Send an event; takes its own reference. It is sent before the loop iteration ends, together with the iteration's
 *  other events, or sooner if the batch is full. When the queue is full the oldest events are dropped, and a `lagged`
 *  line precedes the next event sent. Does nothing if the peer is closing. */
void peer_send_event(peer *p, wire_line *line, uint64_t seq);
/** Return whether the client has not read all data sent to it: some still waits for the kernel. */
bool peer_is_behind(const peer *p);
/** Return the bytes of the waiting events, which could still be dropped. */
size_t peer_waiting(const peer *p);
/** Return the number of these events. */
size_t peer_waiting_events(const peer *p);
/** Send a `poses` line; it replaces a `poses` line that still waits. */
void peer_send_poses(peer *p, wire_line *line);
/** Send a reply (copied). Replies are never dropped. */
void peer_send_reply(peer *p, const char *bytes, size_t length);

/** Stop or resume reading and delivering lines to the owner; WebSocket messages already read are still delivered. Hold
 *  only within the `line` callback, release only outside of it. */
void peer_hold(peer *p, bool is_held);

/** Close at once; data waiting for the client is lost. The loop calls `ended` later. */
void peer_close(peer *p);
/** Stop reading, send all waiting data, then close. */
void peer_finish(peer *p);

#endif

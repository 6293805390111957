/* One client on a stream socket, Unix or TCP: reads its lines or frames, and sends it lines from a bounded queue without
 * ever making anyone else wait. Whole lines are dropped or sent, never a part of one; a peer that stops reading loses events, is told so when it
 * reads again, and is closed when it makes no progress at all. Knows lines, not what clients ask for.
 * Everything here is on the loop's thread; no callback is ever called from within a send. */
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
    PEER_END_GONE,    /* it closed its end, or the connection broke */
    PEER_END_STALLED, /* did not read what waits for it; logged already with pid, command and drops */
    PEER_END_FOREIGN, /* its first byte cannot begin a message */
    PEER_END_CLOSED   /* peer_close or peer_finish */
} peer_end;

typedef struct peer_settings {
    size_t queue_bytes; /* of events that wait; one batch, at most 80 KiB, may be under way besides */
    size_t reply_bytes; /* replies waiting above which nothing more is read; 0: PEER_REPLY_BYTES_DEFAULT */
    uint32_t stall_ms;  /* 0: PEER_STALL_MS_DEFAULT */
    const char *from;   /* its address, for the log; copied. NULL: by its process, as a Unix socket tells */
    bool websocket;     /* messages in frames, after the upgrade */
    bool first_byte;    /* a first byte that cannot begin a message ends it at once: what HTTP looks like */
    outbox *outbox;     /* outlives the peer, but for its closing */
    logger log;
} peer_settings;

/** What all peers of one owner add up to. */
typedef struct peer_counters {
    uint64_t lines_sent;      /* handed to the kernel whole */
    uint64_t events_dropped;  /* from full queues */
    uint64_t lagged;          /* `lagged` lines sent */
    uint64_t poses_conflated; /* `poses` lines replaced by newer ones */
    uint64_t stalled;         /* peers closed for it */
    uint64_t reads_paused;    /* times that a peer was not read because its replies piled up */
    /** Told of every write that brought a line with a stamp to the kernel, of the first of them. Must not call back. May be
     *  NULL. */
    void (*written)(void *context, int64_t stamp_ns);
    void *context;
} peer_counters;

typedef struct peer_listener {
    void *context;
    /** One line, without newline, or one message of WebSocket; valid during the call, which may send to and close the peer. */
    void (*line)(void *context, peer *p, const char *line, size_t length);
    /** A line was over PROTOCOL_LINE_MAX and has been dropped. */
    void (*too_long)(void *context, peer *p);
    /** It will send nothing more but may still read. Returns whether to keep it; else it is closed once what waits has
     *  been sent. */
    bool (*half_closed)(void *context, peer *p);
    /** The last call about this peer, from the loop; it is freed when this returns. */
    void (*ended)(void *context, peer *p, peer_end end);
} peer_listener;

/** Take a connected, non-blocking stream socket (also when it fails) and begin to read. `counters` are shared, and
 *  outlive the peer. Return NULL when out of memory or libuv refuses. `data` is the owner's. */
peer *peer_create(uv_loop_t *loop, int fd, const peer_settings *settings, const peer_listener *listener,
                  peer_counters *counters, void *data);

void *peer_data(const peer *p);
/** Who it is, for the log: "pid 12 (game)" or an address. */
void peer_describe(const peer *p, char *out_text, size_t size);
/** Events dropped for this peer so far. */
uint64_t peer_dropped(const peer *p);

/** An event: takes a reference of its own. It goes out before the loop's turn ends, with all others of the turn, unless
 *  they get so many that it is sooner. When the queue is full the oldest events go, and a `lagged` line precedes the
 *  next one that is sent. Sending to a peer that is closing does nothing. */
void peer_send_event(peer *p, wire_line *line, uint64_t seq);
/** It has not read all that it was sent: something waits for the kernel. */
bool peer_is_behind(const peer *p);
/** Bytes of events that wait and could still be dropped. */
size_t peer_waiting(const peer *p);
/** Events that wait, likewise. */
size_t peer_waiting_events(const peer *p);
/** A `poses` line: takes the place of the one still waiting, if there is one. */
void peer_send_poses(peer *p, wire_line *line);
/** A reply (copied): never dropped. */
void peer_send_reply(peer *p, const char *bytes, size_t length);

/** Stop, or go on, reading and handing lines to the owner; messages of WebSocket that have been read already still
 *  come. Hold only within a line's call, and let go only outside of one. */
void peer_hold(peer *p, bool is_held);

/** Close at once; what waits for it to read is lost. `ended` follows from the loop. */
void peer_close(peer *p);
/** Read nothing more, send what waits, then close. */
void peer_finish(peer *p);

#endif

/* Shared by the two halves of a peer: peer.c (life cycle and reading) and peer_write.c (sending, and the watch for
 * stalled clients). Internal to these. */
#ifndef CLASHD_IPC_PEER_PRIVATE_H
#define CLASHD_IPC_PEER_PRIVATE_H

#include "ipc/peer.h"
#include "ipc/send_queue.h"
#include "ipc/websocket.h"
#include "protocol/messages/framing.h"

/** Lines in one writev, and the bytes at which it is full (the last line may exceed this). The kernel counts a write as
 *  read only when all of it was read, so with large writes a slow client would look like a stalled one. */
#define PEER_BATCH_LINES 64
#define PEER_BATCH_BYTES 16384
/** Bytes per read: small, to limit the replies that one read can cause. */
#define PEER_INPUT_BYTES 8192
/** Bytes of these that are parsed at once as frames: frame parsing cannot pause in between. */
#define PEER_FRAME_BYTES 512
/** A peer is stalled after this many ticks of its watch without progress. */
#define PEER_STALL_TICKS 5
/** When the loop iteration has taken this long, a peer with more input waits for the next one, so that other clients
 *  are served in between. */
#define PEER_TURN_MS 4

/* The fields used for sending an event are first: with a thousand peers the cache then holds only those. */
struct peer {
    int fd; /* the pipe's descriptor */
    bool closing, finishing;
    bool in_flight;       /* libuv is writing the batch's first lines */
    bool corked;          /* collect the replies to one read into one write */
    websocket *websocket; /* NULL if framing is set */
    peer_counters *counters;
    outbox *outbox;
    outbox_item turn; /* in the outbox while the batch may grow, until the loop iteration ends */
    send_queue queue; /* lines that arrive while the batch is in flight */
    size_t batch_count, batch_bytes, lines_in_flight;
    wire_line *batch[PEER_BATCH_LINES]; /* these lines cannot be dropped any more */

    uv_pipe_t pipe;   /* libuv handles any stream socket as a pipe */
    uv_timer_t watch; /* runs while a write is in flight, or after a half close */
    uv_idle_t again;  /* runs while input waits for the next loop iteration */
    uv_write_t write;
    unsigned handles_open;
    peer_settings settings;
    peer_listener listener;
    void *data;
    pid_t pid;
    char from[64];   /* "": describe the client by its pid */
    bool first_byte; /* the first byte is still to be received and checked */

    framing *framing; /* NULL if websocket is set */
    bool reading;
    bool is_held;
    bool owed;        /* the replies exceeded their limit when input was last checked */
    bool half_closed; /* end of file was received */

    bool said_goodbye; /* the WebSocket close frame was sent */
    bool quiet;        /* creation failed: do not call `ended` */
    peer_end end;
    unsigned stalled_ticks;
    size_t unread_before; /* at the last tick: bytes that the client had not read */

    size_t input_start, input_end;
    char input[PEER_INPUT_BYTES]; /* input_start .. input_end was read but not yet parsed */
};

/** Send the waiting data as far as the kernel accepts it, the rest when it can; close a finishing peer when all is
 *  sent. */
void peer_flush(peer *p);
void peer_release_batch(peer *p);
/** The outbox item's flush. */
void peer_on_turn_end(outbox_item *turn);
/** Call when a write has ended or input may resume: processes waiting input, and starts or stops reading as needed. */
void peer_pump(peer *p);
void peer_watch_start(peer *p);
void peer_end_now(peer *p, peer_end end);
/** Send a complete frame. */
void peer_send_frame(peer *p, const char *frame, size_t length);
/** Return whether the client has closed both directions. */
bool peer_hung_up(const peer *p);
/** Return whether its replies exceed their limit: then its requests must wait. */
bool peer_owes_too_much(const peer *p);

#endif

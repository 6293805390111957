/* What the two halves of a peer share: peer.c (its life, and reading) and peer_write.c (sending, and the watch over a
 * peer that does not read). Included by nobody else. */
#ifndef CLASHD_IPC_PEER_PRIVATE_H
#define CLASHD_IPC_PEER_PRIVATE_H

#include "ipc/peer.h"
#include "ipc/send_queue.h"
#include "ipc/websocket.h"
#include "protocol/messages/framing.h"

/** Lines in one writev, and the bytes at which it is full (the last line may go over). The kernel counts a write as read
 *  only when all of it has been, so large ones would make a slow reader look like one that has stopped. */
#define PEER_BATCH_LINES 64
#define PEER_BATCH_BYTES 16384
/** Read at once: so little that what one read makes us answer stays small. */
#define PEER_INPUT_BYTES 8192
/** Of these, how much is parsed at once when frames are read: parsing them cannot stop in between. */
#define PEER_FRAME_BYTES 512
/** A peer is stalled after this many ticks of its watch without progress. */
#define PEER_STALL_TICKS 5
/** When the loop's turn has taken so long, a peer with more input waits for the next one, so that others are served between. */
#define PEER_TURN_MS 4

/* What sending an event needs comes first: with a thousand peers the cache then has to hold no more than that. */
struct peer {
    int fd; /* the pipe's */
    bool closing, finishing;
    bool in_flight;       /* libuv has the batch's first lines */
    bool corked;          /* replies to one read go out together */
    websocket *websocket; /* NULL if framing is not */
    peer_counters *counters;
    outbox *outbox;
    outbox_item turn; /* in the outbox while the batch may grow, until the turn ends */
    send_queue queue; /* what comes while the batch is in flight */
    size_t batch_count, batch_bytes, lines_in_flight;
    wire_line *batch[PEER_BATCH_LINES]; /* cannot be dropped any more */

    uv_pipe_t pipe;   /* libuv reads and writes any stream socket as one */
    uv_timer_t watch; /* runs while a write is under way, or after a half close */
    uv_idle_t again;  /* runs while input waits for the loop's next turn */
    uv_write_t write;
    unsigned handles_open;
    peer_settings settings;
    peer_listener listener;
    void *data;
    pid_t pid;
    char from[64];   /* "": described by its pid */
    bool first_byte; /* the first byte has not come yet, and will be checked */

    framing *framing; /* NULL if websocket is not */
    bool reading;
    bool is_held;
    bool owed;        /* too many replies waited when input was last looked at */
    bool half_closed; /* its end of file was seen */

    bool said_goodbye; /* the close frame of WebSocket */
    bool quiet;        /* could not be created: `ended` is not called */
    peer_end end;
    unsigned stalled_ticks;
    size_t unread_before; /* at the last tick: bytes not yet taken by the other side */

    size_t input_start, input_end;
    char input[PEER_INPUT_BYTES]; /* input_start .. input_end has been read and not yet been looked at */
};

/** Send what waits as far as the kernel takes it, the rest when it does; close a finishing peer when nothing is left. */
void peer_flush(peer *p);
void peer_release_batch(peer *p);
/** The outbox' call. */
void peer_on_turn_end(outbox_item *turn);
/** A write has ended or input may go on: looks at input that waits, and starts or stops reading as it should be. */
void peer_pump(peer *p);
void peer_watch_start(peer *p);
void peer_end_now(peer *p, peer_end end);
/** Send a frame that is whole already. */
void peer_send_frame(peer *p, const char *frame, size_t length);
/** Return true when the other side has closed both ways. */
bool peer_hung_up(const peer *p);
/** Return whether its replies pile up: then its requests have to wait. */
bool peer_owes_too_much(const peer *p);

#endif

/* The data waiting to be sent to one peer, in order of arrival: events (the oldest are dropped when they exceed their
 * limit in bytes), replies (never dropped) and at most one `poses` line. Records the drops and inserts a `lagged` line
 * before the next event. Pure: no I/O. */
#ifndef CLASHD_IPC_SEND_QUEUE_H
#define CLASHD_IPC_SEND_QUEUE_H

#include "wire_line.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct send_entry {
    wire_line *line;
    uint64_t order; /* of arrival, across all kinds */
    uint64_t seq;   /* of an event */
} send_entry;

typedef struct send_ring {
    send_entry *entries;
    size_t capacity; /* 0 or a power of two */
    size_t head, count;
    size_t bytes;
} send_ring;

typedef struct send_queue {
    wire_line *poses; /* NULL: none waits */
    uint64_t missed;  /* dropped events not yet reported by a `lagged`: missed_from .. missed_to */
    send_ring events, replies;
    uint64_t poses_order;
    uint64_t next_order;
    size_t event_bytes_max;
    uint64_t dropped; /* total number of dropped events */
    uint64_t missed_from, missed_to;
} send_queue;

void send_queue_init(send_queue *q, size_t event_bytes_max);
/** Release all waiting lines; the queue is then empty and may be used again. */
void send_queue_finish(send_queue *q);

/** Each push takes its own reference to the line. */
void send_queue_push_event(send_queue *q, wire_line *line, uint64_t seq);
/** Replace the waiting `poses` line, if any, so that poses stay fresh however long the queue is. Return true if one was
 *  replaced. */
bool send_queue_push_poses(send_queue *q, wire_line *line);
/** Return false when out of memory. */
bool send_queue_push_reply(send_queue *q, wire_line *line);

bool send_queue_is_empty(const send_queue *q);
/** Return the next line, owned by the caller; NULL when empty. `out_lagged`: it is a `lagged` line, made here. */
wire_line *send_queue_pop(send_queue *q, bool *out_lagged);

#endif

/* The send queue of one peer. Events and replies have separate ring buffers, so that dropping the oldest event is one
 * step; sequence numbers keep the order of arrival. Drops always remove the oldest events, so all missed events precede
 * the remaining ones: one range describes them. */
#include "ipc/send_queue.h"
#include "protocol/messages/codec.h"

#include <stdlib.h>
#include <string.h>

#define RING_CAPACITY_MIN 16
#define LAGGED_LINE_MAX 256

static bool ring_grow(send_ring *ring)
{
    size_t capacity = ring->capacity ? ring->capacity * 2 : RING_CAPACITY_MIN;
    send_entry *entries = malloc(capacity * sizeof *entries);

    if (!entries)
        return false;
    for (size_t i = 0; i < ring->count; i++)
        entries[i] = ring->entries[(ring->head + i) & (ring->capacity - 1)];
    free(ring->entries);
    ring->entries = entries;
    ring->capacity = capacity;
    ring->head = 0;
    return true;
}

static bool ring_push(send_ring *ring, send_entry entry)
{
    if (ring->count == ring->capacity && !ring_grow(ring))
        return false;
    ring->entries[(ring->head + ring->count) & (ring->capacity - 1)] = entry;
    ring->count++;
    ring->bytes += entry.line->length;
    return true;
}

/* An emptied ring frees the memory it grew to, so that a burst does not cost memory forever. */
static send_entry ring_pop(send_ring *ring)
{
    send_entry entry = ring->entries[ring->head];

    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
    ring->bytes -= entry.line->length;
    if (ring->count == 0 && ring->capacity > RING_CAPACITY_MIN) {
        free(ring->entries);
        ring->entries = NULL;
        ring->capacity = ring->head = 0;
    }
    return entry;
}

static void ring_finish(send_ring *ring)
{
    while (ring->count > 0)
        wire_line_release(ring_pop(ring).line);
    free(ring->entries);
    memset(ring, 0, sizeof *ring);
}

void send_queue_init(send_queue *q, size_t event_bytes_max)
{
    memset(q, 0, sizeof *q);
    q->event_bytes_max = event_bytes_max;
}

void send_queue_finish(send_queue *q)
{
    ring_finish(&q->events);
    ring_finish(&q->replies);
    wire_line_release(q->poses);
    q->poses = NULL;
    q->missed = 0;
}

static void note_missed(send_queue *q, uint64_t seq)
{
    if (q->missed++ == 0)
        q->missed_from = seq;
    q->missed_to = seq;
    q->dropped++;
}

static void drop_oldest_event(send_queue *q)
{
    send_entry oldest = ring_pop(&q->events);

    note_missed(q, oldest.seq);
    wire_line_release(oldest.line);
}

void send_queue_push_event(send_queue *q, wire_line *line, uint64_t seq)
{
    send_entry entry = {.line = line, .order = q->next_order++, .seq = seq};

    while (!ring_push(&q->events, entry)) { /* out of memory: only dropping events can free a slot */
        if (q->events.count == 0) {
            note_missed(q, seq);
            return;
        }
        drop_oldest_event(q);
    }
    wire_line_reference(line);
    while (q->events.count > 0 && q->events.bytes > q->event_bytes_max)
        drop_oldest_event(q);
}

bool send_queue_push_poses(send_queue *q, wire_line *line)
{
    bool replaced = q->poses != NULL;

    if (!replaced)
        q->poses_order = q->next_order++;
    wire_line_reference(line);
    wire_line_release(q->poses);
    q->poses = line;
    return replaced;
}

bool send_queue_push_reply(send_queue *q, wire_line *line)
{
    send_entry entry = {.line = line, .order = q->next_order++};

    if (!ring_push(&q->replies, entry))
        return false;
    wire_line_reference(line);
    return true;
}

bool send_queue_is_empty(const send_queue *q)
{
    return q->events.count == 0 && q->replies.count == 0 && !q->poses;
}

static uint64_t ring_order(const send_ring *ring)
{
    return ring->count > 0 ? ring->entries[ring->head].order : UINT64_MAX;
}

/* Return NULL when out of memory: then `lagged` is sent before a later event. */
static wire_line *take_lagged(send_queue *q)
{
    char text[LAGGED_LINE_MAX];
    size_t length = protocol_encode_lagged(text, sizeof text, q->missed_from, q->missed_to, q->missed);
    wire_line *line = length > 0 ? wire_line_create(text, length) : NULL;

    if (line)
        q->missed = 0;
    return line;
}

wire_line *send_queue_pop(send_queue *q, bool *out_lagged)
{
    uint64_t event = ring_order(&q->events), reply = ring_order(&q->replies);
    uint64_t poses = q->poses ? q->poses_order : UINT64_MAX;
    wire_line *line = NULL;

    *out_lagged = false;
    if (event < reply && event < poses) {
        if (q->missed > 0)
            line = take_lagged(q);
        *out_lagged = line != NULL;
        return line ? line : ring_pop(&q->events).line;
    }
    if (reply < poses)
        return ring_pop(&q->replies).line;
    line = q->poses;
    q->poses = NULL;
    return line;
}

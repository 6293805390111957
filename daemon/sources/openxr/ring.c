/* The pose ring; see ring.h. Indices only grow; a place is index modulo capacity. */
#include "ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ring {
    size_t capacity, written, read;
    bool gap; /* frames are missing before the next one */
    atomic_uint_fast64_t dropped;
    ring_entry places[];
};

ring *ring_create(size_t capacity)
{
    ring *r = calloc(1, sizeof *r + capacity * sizeof *r->places);

    assert(capacity >= 2 * RING_RESERVED && (capacity & (capacity - 1)) == 0);
    if (r)
        r->capacity = capacity;
    return r;
}

void ring_destroy(ring *r)
{
    free(r);
}

void ring_drop(ring *r)
{
    r->gap = true;
    atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
}

ring_entry *ring_add(ring *r, ring_entry_kind kind, int64_t time_ns)
{
    const bool is_frame = kind == RING_FRAME;
    ring_entry *place = &r->places[r->written & (r->capacity - 1)];

    if (r->capacity - (r->written - r->read) <= (is_frame ? RING_RESERVED : 0)) {
        if (is_frame)
            ring_drop(r);
        return NULL;
    }
    *place = (ring_entry){.kind = kind, .gap = is_frame && r->gap, .time_ns = time_ns};
    if (is_frame)
        r->gap = false;
    r->written++;
    return place;
}

const ring_entry *ring_first(const ring *r)
{
    return r->read == r->written ? NULL : &r->places[r->read & (r->capacity - 1)];
}

void ring_remove_first(ring *r)
{
    assert(r->read != r->written);
    r->read++;
}

uint64_t ring_dropped(const ring *r)
{
    return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}

/* The pose ring: see ring.h. Indices only grow; a place is index modulo capacity. Each side keeps its own copy of the other
 * one's index and looks at the real one only when the copy says "full" or "empty". */
#include "ring.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Large enough that two sides never write to the same line; 64 on x86-64 and most of ARM. */
#define CACHE_LINE 64

struct ring {
    size_t capacity;
    ring_record *places;
    alignas(CACHE_LINE) atomic_size_t written; /* by the producer */
    size_t seen_read;                          /* producer's copy */
    bool gap;                                  /* producer: the next frame is not the one after the last */
    alignas(CACHE_LINE) atomic_size_t read;    /* by the consumer */
    size_t seen_written;                       /* consumer's copy */
    alignas(CACHE_LINE) atomic_uint_fast64_t dropped;
};

ring *ring_create(size_t capacity)
{
    ring *r = aligned_alloc(CACHE_LINE, (sizeof *r + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);

    assert(capacity >= 2 * RING_RESERVED && (capacity & (capacity - 1)) == 0);
    if (!r)
        return NULL;
    *r = (ring){.capacity = capacity, .places = calloc(capacity, sizeof *r->places)};
    if (!r->places) {
        free(r);
        return NULL;
    }
    return r;
}

void ring_destroy(ring *r)
{
    if (!r)
        return;
    free(r->places);
    free(r);
}

/* Whether more than `spare` places are free. */
static bool ring_has_room(ring *r, size_t written, size_t spare)
{
    if (r->capacity - (written - r->seen_read) > spare)
        return true;
    r->seen_read = atomic_load_explicit(&r->read, memory_order_acquire);
    return r->capacity - (written - r->seen_read) > spare;
}

void ring_drop(ring *r)
{
    r->gap = true;
    atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
}

bool ring_push(ring *r, const ring_record *record)
{
    size_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
    bool is_frame = record->kind == RING_FRAME;
    ring_record *place = &r->places[written & (r->capacity - 1)];

    if (!ring_has_room(r, written, is_frame ? RING_RESERVED : 0)) {
        if (is_frame)
            ring_drop(r);
        return false;
    }
    *place = *record;
    place->gap = is_frame && r->gap;
    if (is_frame)
        r->gap = false;
    atomic_store_explicit(&r->written, written + 1, memory_order_release);
    return true;
}

bool ring_pop(ring *r, ring_record *out_record)
{
    size_t read = atomic_load_explicit(&r->read, memory_order_relaxed);

    if (read == r->seen_written) {
        r->seen_written = atomic_load_explicit(&r->written, memory_order_acquire);
        if (read == r->seen_written)
            return false;
    }
    *out_record = r->places[read & (r->capacity - 1)];
    atomic_store_explicit(&r->read, read + 1, memory_order_release);
    return true;
}

uint64_t ring_dropped(const ring *r)
{
    return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}

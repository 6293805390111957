/* What golden_test hashes: queries of every kind, made without libm so that they are the same everywhere, and the bits
 * of events. */
#ifndef CLASHD_TESTS_GOLDEN_H
#define CLASHD_TESTS_GOLDEN_H

#include <clash/event.h>

#include "support/bits.h"
#include "support/impact.h"
#include "support/queries_hard.h"

enum { GOLDEN_KINDS = QUERY_KINDS + HARD_KINDS, GOLDEN_QUERIES = 20000 };

/** Set the radii so that their sum is about the distance in the middle of the motion: a near graze. */
static inline void golden_tighten(query *q)
{
    const clash_span whole = {0, 1};
    clash_contact c;

    if (impact_at(&q->a, whole, &q->b, whole, 0.0f, 0.5, &c) != CLASH_SWEEP_INVALID)
        q->a.shape.radius = q->b.shape.radius = c.distance * 0.5f;
}

static inline query golden_query(random_state *r, int i)
{
    int kind = i % GOLDEN_KINDS;
    query q = kind < QUERY_KINDS ? query_make(r, kind) : hard_make(r, (hard_kind)(kind - QUERY_KINDS));

    if (random_below(r, 4) == 0)
        golden_tighten(&q);
    return q;
}

static inline clash_span golden_span(random_state *r)
{
    double to = random_in(r, 0, 1);

    return (clash_span){to * random_in(r, 0, 1), to};
}

#define GOLDEN_HASH(hash, field) ((hash) = bits_hash((hash), &(field), sizeof(field)))

static inline uint64_t golden_change(uint64_t hash, const clash_contact_change *c)
{
    hash = bits_hash_contact(hash, &c->impact.contact);
    GOLDEN_HASH(hash, c->kind);
    GOLDEN_HASH(hash, c->min_distance);
    return bits_hash(hash, c->impact.parts, sizeof c->impact.parts);
}

static inline uint64_t golden_clash(uint64_t hash, const clash_event_clash *c)
{
    hash = bits_hash_contact(hash, &c->contact);
    GOLDEN_HASH(hash, c->velocities);
    GOLDEN_HASH(hash, c->closing_speed);
    GOLDEN_HASH(hash, c->slide_speed);
    GOLDEN_HASH(hash, c->crossing_angle);
    GOLDEN_HASH(hash, c->edge_alignment);
    GOLDEN_HASH(hash, c->intensity);
    GOLDEN_HASH(hash, c->interval_ns);
    GOLDEN_HASH(hash, c->since_release_ns);
    return GOLDEN_HASH(hash, c->tracked);
}

static inline uint64_t golden_event(uint64_t hash, const clash_event *e)
{
    GOLDEN_HASH(hash, e->kind);
    GOLDEN_HASH(hash, e->seq);
    GOLDEN_HASH(hash, e->time_ns);
    GOLDEN_HASH(hash, e->id);
    GOLDEN_HASH(hash, e->duration_ns);
    GOLDEN_HASH(hash, e->start_closing_speed);
    if (e->kind == CLASH_EVENT_CLASH || e->kind == CLASH_EVENT_HOLD)
        return golden_clash(hash, &e->as.clash);
    if (e->kind != CLASH_EVENT_RELEASE)
        return hash;
    GOLDEN_HASH(hash, e->as.release.min_distance);
    GOLDEN_HASH(hash, e->as.release.peak_closing_speed);
    return GOLDEN_HASH(hash, e->as.release.reason);
}

#endif

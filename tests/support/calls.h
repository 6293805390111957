/* Every kind of call to libclash, as a hash of its answer: golden_test compares them with a file, order_property_test
 * makes them in any order. What a call does not write is not in its hash. */
#ifndef CLASHD_TESTS_CALLS_H
#define CLASHD_TESTS_CALLS_H

#include "support/bits.h"
#include "support/calls_scene.h"
#include "support/push.h"

typedef enum call_kind {
    CALL_SWEEP,
    CALL_BATCH,
    CALL_ADVANCE,       /* blade and blade, of one part and of several */
    CALL_SOLID,         /* blade and target: the sweep, and the contact at one time */
    CALL_SOLID_ADVANCE, /* a blade of parts and a target, followed over two intervals */
    CALL_MESH,
    CALL_MESH_ADVANCE,
    CALL_TERRAIN,
    CALL_TERRAIN_ADVANCE,
    CALL_DISTANCE,
    CALL_OVERLAP,
    CALL_PUSH,
    CALL_KINDS
} call_kind;

#define CALLS_HASH(hash, field) ((hash) = bits_hash((hash), &(field), sizeof(field)))

static const clash_span calls_whole = {0, 1};

static inline bool calls_touches(clash_sweep_result result)
{
    return result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP;
}

static inline uint64_t calls_surface(uint64_t hash, const clash_toi_output *c)
{
    hash = bits_hash_contact(hash, &c->contact);
    CALLS_HASH(hash, c->surface_normal);
    return CALLS_HASH(hash, c->triangle);
}

static inline uint64_t calls_result(uint64_t hash, clash_sweep_result result, const clash_contact *c, bool written)
{
    CALLS_HASH(hash, result);
    return written ? bits_hash_contact(hash, c) : hash;
}

static inline clash_span calls_span(random_state *r)
{
    double to = random_in(r, 0, 1);

    return (clash_span){to * random_in(r, 0, 1), to};
}

static inline query calls_query(random_state *r, int i)
{
    query q = any_query(r, i % ANY_KINDS);
    clash_contact c;

    if (random_below(r, 4) == 0 && impact_at(&q.a, calls_whole, &q.b, calls_whole, 0, 0.5, &c) != CLASH_SWEEP_INVALID)
        q.a.shape.radius = q.b.shape.radius = c.distance * 0.5f;
    return q;
}

static inline uint64_t call_sweep(uint64_t hash, random_state *r, int i)
{
    query q = calls_query(r, i);
    clash_span of_a = calls_span(r), of_b = i % 3 ? of_a : calls_span(r);
    float margin = (float)random_in(r, 0, 0.02);
    clash_contact c;
    clash_sweep_result result = clash_sweep(&q.a, &q.b, &c);

    hash = calls_result(hash, result, &c, calls_touches(result));
    result = impact_sweep(&q.a, of_a, &q.b, of_b, margin, &c);
    hash = calls_result(hash, result, &c, calls_touches(result));
    result = impact_at(&q.a, of_a, &q.b, of_b, margin, random_in(r, 0, 1), &c);
    return calls_result(hash, result, &c, result != CLASH_SWEEP_INVALID);
}

enum { CALLS_BATCH = 37 };

static inline uint64_t call_batch(uint64_t hash, random_state *r, int i)
{
    clash_body bodies[2 * CALLS_BATCH];
    uint32_t pairs[CALLS_BATCH][2];
    clash_sweep_result results[CALLS_BATCH];
    clash_contact contacts[CALLS_BATCH];
    bool apart[CALLS_BATCH];

    for (uint32_t k = 0; k < CALLS_BATCH; k++) {
        query q = calls_query(r, i + (int)k);

        bodies[2 * (size_t)k] = q.a;
        bodies[2 * (size_t)k + 1] = q.b;
        pairs[k][0] = 2 * k;
        pairs[k][1] = k % 4 == 3 ? 2 * k - 1 : 2 * k + 1;
    }
    clash_sweep_pairs(bodies, (const uint32_t(*)[2])pairs, CALLS_BATCH, results, contacts);
    clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs, CALLS_BATCH, 0.01f, apart);
    for (int k = 0; k < CALLS_BATCH; k++) {
        hash = calls_result(hash, results[k], &contacts[k], calls_touches(results[k]));
        CALLS_HASH(hash, apart[k]);
    }
    return hash;
}

static inline uint64_t calls_change(uint64_t hash, const clash_contact_change *c)
{
    hash = bits_hash_contact(hash, &c->impact.contact);
    CALLS_HASH(hash, c->kind);
    CALLS_HASH(hash, c->min_distance);
    return bits_hash(hash, c->impact.parts, sizeof c->impact.parts);
}

static inline uint64_t call_advance(uint64_t hash, random_state *r, int i)
{
    query q = calls_query(r, i);
    const impact_settings settings = {0.001f, 0.004f};
    const clash_capsule swords[2][2] = {{q.a.shape, q.b.shape}, {q.b.shape, q.a.shape}};
    const impact_parts a = {swords[0], 1 + (size_t)(i % 2), q.a.motion}, b = {swords[1], 2, q.b.motion};
    const double middle = random_in(r, 0, 1);

    for (size_t parts = 0; parts < 2; parts++) {
        clash_contact_state state = {0};

        for (int half = 0; half < 2; half++) {
            clash_span span = half ? (clash_span){middle, 1} : (clash_span){0, middle};
            clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
            size_t count = parts ? impact_advance_blades(&state, settings, &a, span, &b, span, changes)
                                 : impact_advance(&state, settings, &q.a, span, &q.b, span, changes);

            for (size_t k = 0; k < count; k++)
                hash = calls_change(hash, &changes[k]);
            CALLS_HASH(hash, state.touching);
        }
    }
    return hash;
}

static inline uint64_t call_target(uint64_t hash, random_state *r, const target_query *q)
{
    clash_toi_output c;
    clash_sweep_result result = impact_sweep_target(&q->blade, calls_whole, &q->target, calls_whole, 0, &c);
    clash_capsule parts[2] = {q->blade.shape, {q->blade.shape.base, q->blade.shape.base, 0.05f}};
    impact_parts blade = {parts, 2, q->blade.motion};
    clash_span of_blade = calls_span(r), of_target = calls_span(r);
    clash_toi_input in;

    CALLS_HASH(hash, result);
    if (calls_touches(result))
        hash = calls_surface(hash, &c);
    in = impact_blade_target(&blade, of_blade, &q->target, of_target, (impact_settings){0.01f, 0});
    result = clash_contact_at(&in, random_in(r, 0, 1), &c);
    CALLS_HASH(hash, result);
    if (result == CLASH_SWEEP_INVALID)
        return hash;
    CALLS_HASH(hash, c.parts[0]);
    return calls_surface(hash, &c);
}

/** Through the first and the second half, with one part and with two. */
static inline uint64_t call_target_advance(uint64_t hash, random_state *r, const target_query *q)
{
    const impact_settings settings = {0.001f, 0.004f};
    clash_capsule parts[2] = {q->blade.shape, {q->blade.shape.base, q->blade.shape.base, 0.05f}};
    double middle = random_in(r, 0, 1);

    for (size_t count = 1; count <= 2; count++) {
        impact_parts blade = {parts, count, q->blade.motion};
        clash_contact_state state = {0};

        for (int half = 0; half < 2; half++) {
            clash_span span = half ? (clash_span){middle, 1} : (clash_span){0, middle};
            clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
            size_t found = impact_advance_target(&state, settings, &blade, span, &q->target, span, changes);

            for (size_t k = 0; k < found; k++) {
                hash = calls_surface(hash, &changes[k].impact);
                CALLS_HASH(hash, changes[k].kind);
                CALLS_HASH(hash, changes[k].min_distance);
                CALLS_HASH(hash, changes[k].impact.parts[0]);
            }
            CALLS_HASH(hash, state.touching);
        }
    }
    return hash;
}

static inline uint64_t call_distance(uint64_t hash, random_state *r, const target_query *q)
{
    clash_vec3 p = random_box(r, 1), along = random_box(r, 1);
    clash_toi_output c;
    clash_contact closest;
    float distance = clash_shape_distance(p, query_add(p, along), &q->target.shape, &q->target.motion.from, &c);

    CALLS_HASH(hash, distance);
    hash = calls_surface(hash, &c);
    distance = clash_segment_distance(p, along, q->blade.shape.base, q->blade.shape.tip, &closest);
    CALLS_HASH(hash, distance);
    return bits_hash_contact(hash, &closest);
}

static inline uint64_t call_overlap(uint64_t hash, const calls_room *m)
{
    for (size_t k = 0; k < m->count; k++) {
        clash_overlap o;
        bool is = clash_overlap_of(&m->parts[0], &m->pose, &m->obstacles[k], &o);

        CALLS_HASH(hash, is);
        if (is)
            hash = bits_hash(hash, &o, sizeof o);
    }
    return hash;
}

static inline uint64_t call_push(uint64_t hash, const calls_room *m)
{
    clash_pose out;
    clash_push_result result = push_pose(m->parts, m->part_count, &m->pose, m->obstacles, m->count, m->reach, &out);

    CALLS_HASH(hash, result);
    return result == CLASH_PUSH_INVALID ? hash : CALLS_HASH(hash, out);
}

/** The answer to call `i` of a kind. */
static inline uint64_t call_any(uint64_t hash, const calls_world *w, call_kind kind, int i)
{
    random_state r = calls_random(w, (int)kind, i);
    int surface = kind >= CALL_TERRAIN ? 2 : kind >= CALL_MESH ? 1 : 0;

    if (kind == CALL_SWEEP)
        return call_sweep(hash, &r, i);
    if (kind == CALL_BATCH)
        return call_batch(hash, &r, i);
    if (kind == CALL_ADVANCE)
        return call_advance(hash, &r, i);
    if (kind == CALL_OVERLAP || kind == CALL_PUSH) {
        calls_room m = calls_room_of(w, &r);

        return kind == CALL_PUSH ? call_push(hash, &m) : call_overlap(hash, &m);
    }
    if (kind == CALL_DISTANCE) {
        target_query q = calls_target(w, &r, i % 3, i);

        return call_distance(hash, &r, &q);
    }
    {
        target_query q = calls_target(w, &r, surface, i);

        return kind == CALL_SOLID || kind == CALL_MESH || kind == CALL_TERRAIN ? call_target(hash, &r, &q)
                                                                               : call_target_advance(hash, &r, &q);
    }
}

#endif

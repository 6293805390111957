/* The bits of a whole run: 20,000 queries of every kind and some thousands with targets through all of libclash, hashed stage
 * by stage and held against tests/data/golden.txt; golden_swings_test adds the pipeline. The same in every build: debug and
 * optimised, gcc and clang, with sanitizers, without AVX2 (golden_portable_test is this file, linked with a core that has
 * none), and on other processors (support/processors.sh). Where results change on purpose,
 * CLASHD_GOLDEN=update build/release/tests/golden_test writes its lines anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <clash/broad.h>

#include "support/calls.h"
#include "support/golden.h"
#include "support/golden_file.h"

#define SEED 271828

enum { BODIES = 2 * GOLDEN_QUERIES, BROAD_BODIES = 3000, CALLS = 1520, ROOMS = 200 };

/** Body k of query i. */
#define BODY(i, k) bodies[2 * (size_t)(i) + (k)]

static clash_body bodies[BODIES];
static calls_world world;
static const clash_span whole = {0, 1};

static uint64_t of_queries(void)
{
    return bits_hash(BITS_HASH_EMPTY, bodies, sizeof bodies);
}

static uint64_t of_poses(void)
{
    uint64_t hash = BITS_HASH_EMPTY;
    random_state r = {SEED + 1};

    for (int i = 0; i < BODIES; i++) {
        double fraction = random_in(&r, 0, 1);
        clash_pose pose = clash_motion_at(&bodies[i].motion, fraction);
        clash_vec3 tip = clash_pose_apply(&pose, bodies[i].shape.tip);
        clash_vec3 velocity = clash_motion_velocity(&bodies[i].motion, fraction, tip);
        float angle = clash_vec3_angle(tip, velocity);

        GOLDEN_HASH(hash, pose);
        GOLDEN_HASH(hash, velocity);
        GOLDEN_HASH(hash, angle);
    }
    return hash;
}

static uint64_t hash_result(uint64_t hash, clash_sweep_result result, const clash_contact *c, bool written)
{
    GOLDEN_HASH(hash, result);
    return written ? bits_hash_contact(hash, c) : hash;
}

static bool touches(clash_sweep_result result)
{
    return result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP;
}

static uint64_t of_sweeps(void)
{
    uint64_t hash = BITS_HASH_EMPTY;

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        clash_contact c;
        clash_sweep_result result = clash_sweep(&BODY(i, 0), &BODY(i, 1), &c);

        hash = hash_result(hash, result, &c, touches(result));
    }
    return hash;
}

static uint64_t of_spans(void)
{
    uint64_t hash = BITS_HASH_EMPTY;
    random_state r = {SEED + 2};

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        clash_span sa = golden_span(&r), sb = i % 3 ? sa : golden_span(&r);
        float margin = i % 2 ? 0.0f : (float)random_in(&r, 0, 0.05);
        const clash_body *a = &BODY(i, 0), *b = &BODY(i, 1);
        clash_contact c;
        clash_sweep_result result = impact_sweep(a, sa, b, sb, margin, &c);

        hash = hash_result(hash, result, &c, touches(result));
        result = impact_at(a, sa, b, sb, margin, random_in(&r, 0, 1), &c);
        hash = hash_result(hash, result, &c, result != CLASH_SWEEP_INVALID);
    }
    return hash;
}

/* In batches whose lengths are no multiples of anything, each body with its partner and with a stranger. */
static uint64_t of_pairs(void)
{
    static uint32_t pairs[BODIES][2];
    static clash_sweep_result results[BODIES];
    static clash_contact contacts[BODIES];
    static bool apart[BODIES];
    uint64_t hash = BITS_HASH_EMPTY;

    for (uint32_t i = 0; i < BODIES; i++) {
        pairs[i][0] = i;
        pairs[i][1] = i % 4 == 3 ? (i + 7) % BODIES : i ^ 1u;
    }
    for (size_t at = 0; at < BODIES; at += 777) {
        size_t count = BODIES - at < 777 ? BODIES - at : 777;

        clash_sweep_pairs(bodies, (const uint32_t(*)[2])pairs + at, count, results + at, contacts + at);
        clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs + at, count, at % 2 ? 0.0f : 0.01f, apart + at);
    }
    for (size_t i = 0; i < BODIES; i++) {
        hash = hash_result(hash, results[i], &contacts[i], touches(results[i]));
        GOLDEN_HASH(hash, apart[i]);
    }
    return hash;
}

/** One tracker over all queries, as if they followed each other, in one or two intervals each. */
static uint64_t of_trackers(void)
{
    uint64_t hash = BITS_HASH_EMPTY;
    clash_contact_state state = {0}, of_parts = {0};
    const impact_settings settings = {0.001f, 0.004f};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        const clash_body *a = &BODY(i, 0), *b = &BODY(i, 1);
        clash_span span = i % 2 ? whole : (clash_span){0, 0.5};
        const clash_capsule swords[2][2] = {{a->shape, b->shape}, {b->shape, a->shape}};
        const impact_parts pa = {swords[0], 1 + (size_t)(i % 2), a->motion}, pb = {swords[1], 2, b->motion};
        size_t count = impact_advance(&state, settings, a, span, b, span, changes);

        for (size_t k = 0; k < count; k++)
            hash = golden_change(hash, &changes[k]);
        GOLDEN_HASH(hash, state.touching);
        GOLDEN_HASH(hash, state.min_distance);
        count = impact_advance_blades(&of_parts, settings, &pa, span, &pb, span, changes);
        for (size_t k = 0; k < count; k++)
            hash = golden_change(hash, &changes[k]);
    }
    return hash;
}

static uint64_t of_broad_phase(void)
{
    static clash_bounds boxes[BROAD_BODIES];
    uint64_t hash = BITS_HASH_EMPTY;
    clash_broad *broad = clash_broad_create();
    const uint32_t(*pairs)[2];
    size_t count;

    for (uint32_t i = 0; i < BROAD_BODIES; i++)
        boxes[i] = impact_body_bounds(&bodies[i], i % 2 ? 0.0f : 0.02f);
    assert_int_equal(clash_broad_find(broad, boxes, NULL, BROAD_BODIES, &pairs, &count), 0);
    hash = bits_hash(bits_hash(hash, boxes, sizeof boxes), pairs, count * sizeof *pairs);
    clash_broad_destroy(broad);
    return hash;
}

static uint64_t of_calls(call_kind kind, int count)
{
    uint64_t hash = BITS_HASH_EMPTY;

    for (int i = 0; i < count; i++)
        hash = call_any(hash, &world, kind, i);
    return hash;
}

static uint64_t of_solids(void)
{
    return of_calls(CALL_SOLID, CALLS) ^ of_calls(CALL_SOLID_ADVANCE, CALLS);
}

static uint64_t of_meshes(void)
{
    return of_calls(CALL_MESH, CALLS) ^ of_calls(CALL_MESH_ADVANCE, CALLS);
}

static uint64_t of_terrains(void)
{
    return of_calls(CALL_TERRAIN, CALLS) ^ of_calls(CALL_TERRAIN_ADVANCE, CALLS);
}

static uint64_t of_distances(void)
{
    return of_calls(CALL_DISTANCE, CALLS);
}

static uint64_t of_overlaps(void)
{
    return of_calls(CALL_OVERLAP, ROOMS);
}

static uint64_t of_push_outs(void)
{
    return of_calls(CALL_PUSH, ROOMS);
}

static const golden_stage stages[] = {
    {"queries", of_queries},    {"poses", of_poses},       {"sweeps", of_sweeps},           {"spans", of_spans},
    {"pairs", of_pairs},        {"trackers", of_trackers}, {"broad-phase", of_broad_phase}, {"solids", of_solids},
    {"meshes", of_meshes},      {"terrains", of_terrains}, {"distances", of_distances},     {"overlaps", of_overlaps},
    {"push-out", of_push_outs},
};

static void make_queries(void)
{
    random_state r = {SEED};

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        query q = golden_query(&r, i);

        BODY(i, 0) = q.a;
        BODY(i, 1) = q.b;
    }
}

static void the_bits_of_a_whole_run(void **state)
{
    (void)state;
    make_queries();
    calls_world_make(&world, SEED + 3);
    golden_check(stages, sizeof stages / sizeof *stages);
    calls_world_destroy(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bits_of_a_whole_run)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

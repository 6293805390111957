/* The bits of a whole run: 20,000 queries of every kind through all of libclash, and the human swings of tests/data through
 * the pipeline, hashed stage by stage and held against tests/data/golden.txt. The same in every build: debug and optimised,
 * gcc and clang, with sanitizers, and without AVX2 (golden_portable_test is this file, linked with a core that has none).
 * Where results change on purpose, CLASHD_GOLDEN=update build/release/tests/golden_test writes the file anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <clash/broad.h>

#include "pipeline/pipeline.h"
#include "protocol/recording.h"
#include "support/golden.h"

#define GOLDEN_FILE TEST_DATA "/golden.txt"
#define SEED 271828

enum { BODIES = 2 * GOLDEN_QUERIES, BROAD_BODIES = 3000 };

/** Body k of query i. */
#define BODY(i, k) bodies[2 * (size_t)(i) + (k)]

static clash_body bodies[BODIES];
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
        clash_sweep_result result = clash_sweep_span(a, sa, b, sb, margin, &c);

        hash = hash_result(hash, result, &c, touches(result));
        result = clash_sweep_at(a, sa, b, sb, margin, random_in(&r, 0, 1), &c);
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
    const clash_contact_settings settings = {0.001f, 0.004f};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        const clash_body *a = &BODY(i, 0), *b = &BODY(i, 1);
        clash_span span = i % 2 ? whole : (clash_span){0, 0.5};
        const clash_capsule swords[2][2] = {{a->shape, b->shape}, {b->shape, a->shape}};
        const clash_parts pa = {swords[0], 1 + (size_t)(i % 2), a->motion}, pb = {swords[1], 2, b->motion};
        size_t count = clash_contact_advance(&state, settings, a, span, b, span, changes);

        for (size_t k = 0; k < count; k++)
            hash = golden_change(hash, &changes[k]);
        GOLDEN_HASH(hash, state.touching);
        GOLDEN_HASH(hash, state.min_distance);
        count = clash_parts_advance(&of_parts, settings, &pa, span, &pb, span, changes);
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
        boxes[i] = clash_body_bounds(&bodies[i], i % 2 ? 0.0f : 0.02f);
    assert_int_equal(clash_broad_find(broad, boxes, NULL, BROAD_BODIES, &pairs, &count), 0);
    hash = bits_hash(bits_hash(hash, boxes, sizeof boxes), pairs, count * sizeof *pairs);
    clash_broad_destroy(broad);
    return hash;
}

static void on_event(void *context, const clash_event *event)
{
    uint64_t *hash = context;

    *hash = golden_event(*hash, event);
}

static pipeline *swings_pipeline(uint64_t *hash)
{
    const pipeline_settings settings = {.release_margin = 0.005f,
                                        .hold_rate_hz = 30.0f,
                                        .full_intensity_speed = 200.0f,
                                        .intensity_curve = PIPELINE_INTENSITY_LOGARITHMIC,
                                        .max_gap_ns = INT64_C(100000000),
                                        .require_tracked = true};
    pipeline_blade blade = {.shape = {{0, 0, -0.05f}, {0, 0, -1}, 0.015f}, .has_edge = true, .edge = {0, -1, 0}};
    pipeline *p = pipeline_create(&settings, on_event, hash);

    assert_non_null(p);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pipeline_device(p, i ? "/user/hand/right" : "/user/hand/left"), i);
        snprintf(blade.name, sizeof blade.name, "%s", i ? "right" : "left");
        blade.device = i;
        assert_int_equal(pipeline_add_blade(p, &blade), 0);
    }
    return p;
}

static uint64_t of_swings(const char *path)
{
    uint64_t hash = BITS_HASH_EMPTY;
    pipeline *p = swings_pipeline(&hash);
    recording_item *item = malloc(sizeof *item);
    char error[600];
    recording *r = recording_open(path, NULL, NULL, error, sizeof error);

    assert_true(r && item);
    while (recording_next(r, item) != RECORDING_END) {
        pose_frame frame = {.time_ns = item->time_ns};

        assert_int_equal(item->kind, RECORDING_POSES);
        for (size_t i = 0; i < item->pose_count; i++)
            frame.samples[frame.count++] = (pose_sample){strstr(item->poses[i].device, "right") ? 1u : 0u,
                                                         POSE_VALID | POSE_TRACKED, item->poses[i].pose};
        pipeline_frame(p, &frame);
    }
    assert_true(pipeline_get_counters(p)->contacts > 0);
    recording_close(r);
    free(item);
    pipeline_destroy(p);
    return hash;
}

static uint64_t of_twenty_seconds(void)
{
    return of_swings(TEST_DATA "/duel-20s.jsonl");
}

static uint64_t of_five_seconds(void)
{
    return of_swings(TEST_DATA "/duel-start-5s.jsonl");
}

static const struct {
    const char *name;
    uint64_t (*hash)(void);
} stages[] = {
    {"queries", of_queries},
    {"poses", of_poses},
    {"sweeps", of_sweeps},
    {"spans", of_spans},
    {"pairs", of_pairs},
    {"trackers", of_trackers},
    {"broad-phase", of_broad_phase},
    {"duel-20s", of_twenty_seconds},
    {"duel-start-5s", of_five_seconds},
};

#define STAGES (sizeof stages / sizeof stages[0])

static void make_queries(void)
{
    random_state r = {SEED};

    for (int i = 0; i < GOLDEN_QUERIES; i++) {
        query q = golden_query(&r, i);

        BODY(i, 0) = q.a;
        BODY(i, 1) = q.b;
    }
}

static void write_file(const uint64_t hashes[STAGES])
{
    FILE *file = fopen(GOLDEN_FILE, "w");

    assert_non_null(file);
    for (size_t i = 0; i < STAGES; i++)
        fprintf(file, "%s %016llx\n", stages[i].name, (unsigned long long)hashes[i]);
    assert_int_equal(fclose(file), 0);
}

static void check_line(const char *line, size_t i, uint64_t hash)
{
    char expected[80];

    snprintf(expected, sizeof expected, "%s %016llx\n", stages[i].name, (unsigned long long)hash);
    if (strcmp(line, expected) != 0)
        fail_msg("other bits: %.*s, in " GOLDEN_FILE ": %.*s (meant? CLASHD_GOLDEN=update writes it anew)",
                 (int)strcspn(expected, "\n"), expected, (int)strcspn(line, "\n"), line);
}

static void the_bits_of_a_whole_run(void **state)
{
    const char *wish = getenv("CLASHD_GOLDEN");
    uint64_t hashes[STAGES];
    char line[80];
    FILE *file;

    (void)state;
    make_queries();
    for (size_t i = 0; i < STAGES; i++)
        hashes[i] = stages[i].hash();
    if (wish && strcmp(wish, "update") == 0)
        write_file(hashes);
    file = fopen(GOLDEN_FILE, "r");
    assert_non_null(file);
    for (size_t i = 0; i < STAGES; i++)
        check_line(fgets(line, sizeof line, file) ? line : "", i, hashes[i]);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bits_of_a_whole_run)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

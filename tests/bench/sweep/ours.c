/* libclash as its users call it: one sweep at a time, a batch, and its distance of two segments that do not move. */
#include <stdlib.h>

#include "contenders.h"

static void run_sweep(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    (void)prepared;
    for (size_t i = from; i < from + count; i++) {
        clash_contact contact;
        clash_sweep_result result = clash_sweep(&set->bodies[2 * i], &set->bodies[2 * i + 1], &contact);

        out_answers[i] = result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP ? contact.fraction : -1;
    }
}

typedef struct batch {
    clash_sweep_result *results;
    clash_contact *contacts;
} batch;

static void release_pairs(void *prepared)
{
    batch *b = prepared;

    free(b->results);
    free(b->contacts);
    free(b);
}

static void *prepare_pairs(const query_set *set)
{
    batch *b = malloc(sizeof *b);

    if (!b)
        return NULL;
    b->results = malloc(set->count * sizeof *b->results);
    b->contacts = calloc(set->count, sizeof *b->contacts);
    if (!b->results || !b->contacts) {
        release_pairs(b);
        return NULL;
    }
    return b;
}

static void run_pairs(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    batch *b = prepared;

    (void)out_answers;
    clash_sweep_pairs(set->bodies, (const uint32_t(*)[2])(set->pairs + from), count, b->results + from,
                      b->contacts + from);
}

static void collect_pairs(const query_set *set, void *prepared, double *out_answers)
{
    const batch *b = prepared;

    for (size_t i = 0; i < set->count; i++) {
        bool touching = b->results[i] == CLASH_SWEEP_HIT || b->results[i] == CLASH_SWEEP_OVERLAP;

        out_answers[i] = touching ? b->contacts[i].fraction : -1;
    }
}

/** The ends of both axes at the start, in stage space. */
typedef struct ends {
    clash_vec3 at[4];
} ends;

static void *prepare_ends(const query_set *set)
{
    ends *all = malloc(set->count * sizeof *all);

    for (size_t i = 0; all && i < 2 * set->count; i++) {
        const clash_body *body = &set->bodies[i];

        all[i / 2].at[2 * (i % 2)] = clash_pose_apply(&body->motion.from, body->shape.base);
        all[i / 2].at[2 * (i % 2) + 1] = clash_pose_apply(&body->motion.from, body->shape.tip);
    }
    return all;
}

static void run_distance(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const ends *all = prepared;

    (void)set;
    for (size_t i = from; i < from + count; i++) {
        const clash_vec3 *at = all[i].at;

        out_answers[i] = (double)clash_segment_distance(at[0], at[1], at[2], at[3], NULL);
    }
}

const contender contender_sweep = {
    .key = "clash_sweep", .name = "**clash_sweep**", .detects = true, .is_ours = true, .run = run_sweep};
const contender contender_pairs = {.key = "clash_sweep_pairs",
                                   .name = "**clash_sweep_pairs** (batch)",
                                   .detects = true,
                                   .is_ours = true,
                                   .prepare = prepare_pairs,
                                   .run = run_pairs,
                                   .collect = collect_pairs,
                                   .release = release_pairs};
const contender contender_clash_distance = {.key = "clash_segment_distance",
                                            .name = "clash_segment_distance",
                                            .stride = sizeof(ends),
                                            .prepare = prepare_ends,
                                            .run = run_distance,
                                            .release = free};

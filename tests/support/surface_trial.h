/* One sweep of a blade with a surface, judged by exhaustive search, and tables of many: shared by the tests of meshes
 * and terrains. */
#ifndef CLASHD_TESTS_SURFACE_TRIAL_H
#define CLASHD_TESTS_SURFACE_TRIAL_H

#include <stdio.h>

#include "support/surface_queries.h"

typedef struct surface_tally {
    long queries, hits, overlaps, verdicts[SURFACE_VERDICTS];
    double worst_gap;
} surface_tally;

/** A scene as the search takes it. */
typedef struct surface_stage {
    surface_scene scene;
    ref_vec corners[SCENE_TRIANGLES_MAX][3];
    uint32_t lists[SURFACE_DEPTH * SCENE_TRIANGLES_MAX];
} surface_stage;

static inline void surface_stage_prepare(surface_stage *s)
{
    for (uint32_t i = 0; i < s->scene.count; i++)
        for (int k = 0; k < 3; k++)
            s->corners[i][k] = ref_of(s->scene.vertices[s->scene.triangles[i][k]]);
}

/** Return a query: every other one in one of the ways of surface_queries.h, in turn; the others swing at random.
 *  *out_kind: which way, SURFACE_QUERY_KINDS for the latter. */
static inline surface_query surface_trial_query(random_state *r, long i, surface_stage *s, int *out_kind)
{
    surface_query q;

    *out_kind = i % 2 ? (int)(i / 2 % SURFACE_QUERY_KINDS) : SURFACE_QUERY_KINDS;
    if (i % 2)
        return surface_query_of(r, *out_kind, &s->scene, (const ref_vec(*)[3])s->corners, s->lists);
    q.motion = surface_scene_motion(r, s->scene.middle);
    q.blade = surface_scene_blade(r);
    return q;
}

static inline const char *surface_trial_name(int kind)
{
    return kind < SURFACE_QUERY_KINDS ? surface_query_name(kind) : "any swing";
}

/** Count into both tallies; a mistake prints where it is. */
static inline void surface_trial(uint64_t seed, const char *scene, long i, random_state *r, const clash_shape *shape,
                                 surface_stage *s, surface_tally *of_scene, surface_tally *of_kinds)
{
    const clash_span whole = {0, 1};
    int kind;
    surface_query q = surface_trial_query(r, i, s, &kind);
    impact_target target = {*shape, q.motion};
    clash_toi_output c = {0};
    clash_sweep_result result = impact_sweep_target(&q.blade, whole, &target, whole, 0, &c);
    surface_truth truth =
        surface_truth_of(&q.blade, &q.motion, (const ref_vec(*)[3])s->corners, s->scene.count, s->lists);
    double gap;
    surface_verdict v = surface_judge(&truth, result, &c, &gap);
    surface_tally *const both[2] = {of_scene, &of_kinds[kind]};

    for (int k = 0; k < 2; k++) {
        both[k]->queries++;
        both[k]->hits += result == CLASH_SWEEP_HIT;
        both[k]->overlaps += result == CLASH_SWEEP_OVERLAP;
        both[k]->verdicts[v]++;
        both[k]->worst_gap = fmax(both[k]->worst_gap, fabs(gap));
    }
    if (v != SURFACE_AGREES && v != SURFACE_OPEN && of_scene->verdicts[v] <= 3)
        print_error("seed %llu, %s, case %ld, %s: %s (%d at %.12g, gap %g)\n", (unsigned long long)seed, scene, i,
                    surface_trial_name(kind), surface_verdict_names[v], (int)result, c.contact.fraction, gap);
}

static inline void surface_print_head(const char *what)
{
    printf("%-16s %8s %8s %8s %6s %6s %6s %6s %6s %6s %6s %11s\n", what, "queries", "hits", "overlaps", "missed",
           "false", "state", "time", "gap", "points", "open", "worst gap m");
}

static inline void surface_print_tally(const char *name, const surface_tally *t)
{
    const long *v = t->verdicts;

    printf("%-16s %8ld %8ld %8ld %6ld %6ld %6ld %6ld %6ld %6ld %6ld %11.3g\n", name, t->queries, t->hits, t->overlaps,
           v[SURFACE_MISS], v[SURFACE_FALSE], v[SURFACE_STATE], v[SURFACE_TIME], v[SURFACE_GAP], v[SURFACE_CONTACT],
           v[SURFACE_OPEN], t->worst_gap);
    fflush(stdout);
}

static inline void surface_print_kinds(const surface_tally kinds[SURFACE_QUERY_KINDS + 1])
{
    surface_tally sum = {0};

    surface_print_head("query");
    for (int k = 0; k <= SURFACE_QUERY_KINDS; k++) {
        surface_print_tally(surface_trial_name(k), &kinds[k]);
        sum.queries += kinds[k].queries;
        sum.hits += kinds[k].hits;
        sum.overlaps += kinds[k].overlaps;
        for (int v = 0; v < SURFACE_VERDICTS; v++)
            sum.verdicts[v] += kinds[k].verdicts[v];
        sum.worst_gap = fmax(sum.worst_gap, kinds[k].worst_gap);
    }
    surface_print_tally("all", &sum);
}

static inline long surface_mistakes(const surface_tally *t)
{
    return t->queries - t->verdicts[SURFACE_AGREES] - t->verdicts[SURFACE_OPEN];
}

/** How many queries of each of so many kinds of surfaces: at least 100,000 in all with CLASHD_MILLION=1. */
static inline long surface_trial_count(int kinds, long normal)
{
    const char *million = getenv("CLASHD_MILLION");

    return million && strtol(million, NULL, 10) == 1 ? 100000 / kinds + 1 : random_cases(normal);
}

#endif

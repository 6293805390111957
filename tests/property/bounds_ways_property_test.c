/* Up to CLASH_COORDINATE_MAX, with every coordinate and size at it and motions from one end of the space to the other, no
 * contact is missed and none invented: each answer against exhaustive search, two blades, a blade and each solid, a blade and a
 * mesh of triangles across the whole space. ctest runs a short form, CLASHD_MILLION=1 10,000 of each way. A mistake prints seed,
 * way and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/bound_queries.h"
#include "support/surface_trial.h"
#include "support/target_judge.h"
#include "support/truth.h"

static const clash_span whole = {0, 1};
static uint64_t seed;

typedef struct tally {
    long queries, hits, overlaps, open, wrong;
    double worst_gap;
} tally;

static long count_of(long normal)
{
    const char *million = getenv("CLASHD_MILLION");

    return million && strtol(million, NULL, 10) == 1 ? 10000 : random_cases(normal);
}

static void note(tally *t, clash_sweep_result result, double gap)
{
    t->queries++;
    t->hits += result == CLASH_SWEEP_HIT;
    t->overlaps += result == CLASH_SWEEP_OVERLAP;
    t->worst_gap = fmax(t->worst_gap, fabs(gap));
}

static void mistake(tally *t, const char *what, int way, long i, const char *verdict, clash_sweep_result result,
                    double fraction, double gap)
{
    if (t->wrong++ < 3)
        print_error("seed %llu, %s, %s, case %ld: %s (%d at %.12g, gap %g)\n", (unsigned long long)seed, what,
                    bound_names[way], i, verdict, (int)result, fraction, gap);
}

static void end(const char *what, int way, const tally *t)
{
    printf("%-8s %-20s %8ld %8ld hits %8ld overlaps %6ld open %6ld wrong, worst gap %.3g m\n", what, bound_names[way],
           t->queries, t->hits, t->overlaps, t->open, t->wrong, t->worst_gap);
    fflush(stdout);
    assert_int_equal(t->wrong, 0);
    assert_true(t->hits > random_enough(0) && t->overlaps > random_enough(0));
    assert_true(50 * t->open <= t->queries);
}

static void blades(void **state)
{
    (void)state;
    for (int way = 0; way < BOUND_WAYS; way++) {
        tally t = {0};

        for (long i = 0; i < count_of(200); i++) {
            query q = bound_query(seed, way, i);
            double limit = (double)q.a.shape.radius + (double)q.b.shape.radius, gap;
            clash_contact c = {0};
            clash_sweep_result result = clash_sweep(&q.a, &q.b, &c);
            truth_verdict v = truth_judge(&q.a, whole, &q.b, whole, limit, result, &c, &gap);

            note(&t, result, gap);
            if (v != TRUTH_AGREES)
                mistake(&t, "blade", way, i, truth_names[v], result, c.fraction, gap);
        }
        end("blade", way, &t);
    }
}

static void solids(void **state)
{
    (void)state;
    for (int shape = 0; shape < TARGET_SHAPES; shape++) {
        for (int way = 0; way < BOUND_WAYS; way++) {
            tally t = {0};

            for (long i = 0; i < count_of(60); i++) {
                target_query q = bound_target_query(seed, way, shape, i);
                clash_toi_output s = {0};
                clash_sweep_result result = impact_sweep_target(&q.blade, whole, &q.target, whole, 0, &s);
                double gap = 0;
                target_verdict v = target_judge(&q, result, &s, &gap);

                note(&t, result, gap);
                t.open += v == TARGET_UNDECIDED;
                if (v != TARGET_AGREES && v != TARGET_UNDECIDED)
                    mistake(&t, target_shape_names[shape], way, i, target_verdict_names[v], result, s.contact.fraction,
                            gap);
            }
            end(target_shape_names[shape], way, &t);
        }
    }
}

static void surface(int way, long i, tally *t)
{
    static surface_stage stage;
    surface_query q = bound_surface_query(seed, way, i, &stage.scene);
    clash_toi_output c = {0};
    impact_target target = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, q.motion};
    clash_mesh *mesh = clash_mesh_create(stage.scene.vertices, stage.scene.vertex_count,
                                         (const uint32_t(*)[3])stage.scene.triangles, stage.scene.count);
    clash_sweep_result result;
    surface_truth truth;
    surface_verdict v;
    double gap;

    assert_non_null(mesh);
    surface_stage_prepare(&stage);
    target.shape.as.mesh = mesh;
    result = impact_sweep_target(&q.blade, whole, &target, whole, 0, &c);
    truth = surface_truth_of(&q.blade, &q.motion, (const ref_vec(*)[3])stage.corners, stage.scene.count, stage.lists);
    v = surface_judge(&truth, result, &c, &gap);
    note(t, result, gap);
    t->open += v == SURFACE_OPEN;
    if (v != SURFACE_AGREES && v != SURFACE_OPEN)
        mistake(t, "mesh", way, i, surface_verdict_names[v], result, c.contact.fraction, gap);
    clash_mesh_destroy(mesh);
}

static void surfaces(void **state)
{
    (void)state;
    for (int way = 0; way < BOUND_WAYS; way++) {
        tally t = {0};

        for (long i = 0; i < count_of(50); i++)
            surface(way, i, &t);
        end("mesh", way, &t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blades), cmocka_unit_test(solids), cmocka_unit_test(surfaces)};

    seed = random_seed(10000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The target benchmark: libclash and Bullet answer the same queries in one run, a blade against a ball, a capsule or a box.
 * They take turns pass by pass, so that what else the machine does hits both alike. What is true is known from an exhaustive
 * search; queries within DOUBT of the limit are left out. Exits 1 where libclash gave a wrong answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contender.h"
#include "support/target_queries.h"

#define DOUBT 2e-5

enum { PASSES = 9, CONTENDERS = 2 };

static const clash_span whole = {0, 1};

static void run_ours(const bench_query *queries, void *prepared, size_t count, double *out_answers)
{
    clash_toi_output c;

    (void)prepared;
    for (size_t i = 0; i < count; i++)
        out_answers[i] =
            impact_sweep_target(&queries[i].blade, whole, &queries[i].target, whole, 0, &c) == CLASH_SWEEP_APART
                ? -1
                : c.contact.fraction;
}

static const contender contender_ours = {"libclash", NULL, run_ours, NULL};
static const contender *const contenders[CONTENDERS] = {&contender_ours, &contender_bullet};

/** Queries with what is true of them. */
typedef struct workload {
    size_t count;
    bench_query *queries;
    double *truth; /* fraction of the first contact; -1: none */
} workload;

/** One contender's figures. */
typedef struct figures {
    double times[PASSES], *answers;
    long missed, invented, late;
    double worst_gap; /* m, left or too much at a contact */
} figures;

static truth_target truth_of(const bench_query *q)
{
    return truth_target_of(&q->blade, whole, &q->target, whole);
}

/** Queries whose answer is certain; those that touch at the start already are left out, as no sweep is needed for them. */
static void fill(workload *w, uint64_t seed, int kind, int shape)
{
    size_t filled = 0;

    for (long i = 0; filled < w->count; i++) {
        target_query q = target_query_of(seed, kind, shape, i);
        bench_query b = {q.blade, q.target};
        truth_target t = truth_of(&b);
        double limit = (double)b.blade.shape.radius;
        truth_first may = truth_first_within(&t, limit + DOUBT, DOUBT / 4, 0, 1);
        truth_first must = may.found ? truth_first_within(&t, limit - DOUBT, DOUBT / 4, 0, 1) : may;

        if (may.found != must.found || truth_at(&t, 0).distance < limit + DOUBT || t.looks > TRUTH_LOOKS_MAX)
            continue;
        w->queries[filled] = b;
        w->truth[filled++] = must.found ? must.low : -1;
    }
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void judge(const workload *w, figures *f)
{
    for (size_t i = 0; i < w->count; i++) {
        truth_target t = truth_of(&w->queries[i]);
        double gap;

        f->missed += w->truth[i] >= 0 && f->answers[i] < 0;
        f->invented += w->truth[i] < 0 && f->answers[i] >= 0;
        if (w->truth[i] < 0 || f->answers[i] < 0)
            continue;
        gap = fabs(truth_at(&t, f->answers[i]).distance - (double)w->queries[i].blade.shape.radius);
        f->late += gap > 1e-4;
        f->worst_gap = fmax(f->worst_gap, gap);
    }
}

static void race(const workload *w, figures f[CONTENDERS])
{
    void *prepared[CONTENDERS] = {NULL};

    for (int k = 0; k < CONTENDERS; k++)
        prepared[k] = contenders[k]->prepare ? contenders[k]->prepare(w->queries, w->count) : NULL;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int k = 0; k < CONTENDERS; k++) {
            double from = now_ns();

            contenders[k]->run(w->queries, prepared[k], w->count, f[k].answers);
            f[k].times[pass] = (now_ns() - from) / (double)w->count;
        }
    }
    for (int k = 0; k < CONTENDERS; k++) {
        qsort(f[k].times, PASSES, sizeof f[k].times[0], ascending);
        judge(w, &f[k]);
        if (contenders[k]->release)
            contenders[k]->release(prepared[k]);
    }
}

static bool run_workload(workload *w, uint64_t seed, int kind, int shape)
{
    figures f[CONTENDERS] = {{.answers = malloc(w->count * sizeof(double))},
                             {.answers = malloc(w->count * sizeof(double))}};
    long hits = 0;
    bool right;

    if (!f[0].answers || !f[1].answers)
        exit(2);
    fill(w, seed, kind, shape);
    for (size_t i = 0; i < w->count; i++)
        hits += w->truth[i] >= 0;
    race(w, f);
    for (int k = 0; k < CONTENDERS; k++) {
        printf("| %s | %s | %s | %ld | %.0f | %ld | %ld | %ld | %.2g |\n", target_shape_names[shape],
               target_query_name(kind), contenders[k]->name, hits, f[k].times[PASSES / 2], f[k].missed, f[k].invented,
               f[k].late, f[k].worst_gap);
        free(f[k].answers);
    }
    fflush(stdout);
    right = f[0].missed == 0 && f[0].invented == 0 && f[0].late == 0;
    return right;
}

int main(int argc, char **argv)
{
    static const int kinds[] = {QUERY_RANDOM, QUERY_HITS, QUERY_DROPPED, QUERY_PARALLEL, QUERY_EXTREME, QUERY_FAR};
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    workload w = {count, malloc(count * sizeof(bench_query)), malloc(count * sizeof(double))};
    bool right = true;

    if (count == 0 || !w.queries || !w.truth) {
        fputs("targets_bench [QUERIES]: how many of each kind\n", stderr);
        free(w.queries);
        free(w.truth);
        return 2;
    }
    puts("| shape | queries | | contacts | ns a query | missed | invented | off by more than 0.1 mm | worst gap, m |");
    puts("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int shape = 0; shape < TARGET_SHAPES; shape++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            right = run_workload(&w, random_seed(11), kinds[k], shape) && right;
    free(w.queries);
    free(w.truth);
    return right ? 0 : 1;
}

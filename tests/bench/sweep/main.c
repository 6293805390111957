/* The sweep benchmark: every contender answers the same queries in one run. Contenders take turns pass by pass, so that
 * what else the machine does hits all alike. Exits 1 where libclash gave a wrong answer, 2 where it could not run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "results.h"

/** Queries timed at a time. They are read once just before, so that they come from the cache, as the blades of one hall
 *  do, and what is measured is computing. */
enum { BLOCK = 512, PASSES_MAX = 99 };

static const contender *const all_contenders[] = {
    &contender_sweep,        &contender_pairs,
    &contender_double,       &contender_double_ball,
    &contender_double_ready, &contender_double_ready_ball,
    &contender_float,        &contender_float_ball,
    &contender_float_ready,  &contender_float_ready_ball,
    &contender_straight,     &contender_bullet,
    &contender_fcl,          &contender_current,
    &contender_distance,     &contender_clash_distance,
};

typedef struct options {
    size_t queries;
    int passes;
    uint64_t seed;
    const char *csv, *markdown;
} options;

/** One contender at one workload. */
typedef struct lane {
    void *prepared;
    double *answers;
    double *times; /* [block][pass], ns */
} lane;

static volatile unsigned char touched;

static void touch(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    unsigned char sum = 0;

    for (size_t i = 0; i < size; i += 64)
        sum = (unsigned char)(sum + bytes[i]);
    touched = sum;
}

static double now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/** Runs one block. The clock on the wall counts what other processes take of the core, the thread's own clock takes long to
 *  read: what was spent here is at most what either says. */
static double time_block(const contender *c, const query_set *set, lane *at, size_t from, size_t count)
{
    double own = now_ns(CLOCK_THREAD_CPUTIME_ID), wall = now_ns(CLOCK_MONOTONIC);

    c->run(set, at->prepared, from, count, at->answers);
    wall = now_ns(CLOCK_MONOTONIC) - wall;
    own = now_ns(CLOCK_THREAD_CPUTIME_ID) - own;
    return fmin(own, wall);
}

static void run_pass(const contender *c, const query_set *set, lane *at, int pass, int passes)
{
    for (size_t from = 0; from < set->count; from += BLOCK) {
        size_t count = set->count - from < BLOCK ? set->count - from : BLOCK;

        touch(set->bodies + 2 * from, 2 * count * sizeof *set->bodies);
        touch(at->answers + from, count * sizeof *at->answers);
        touch(set->pairs + from, count * sizeof *set->pairs);
        if (at->prepared)
            touch((const char *)at->prepared + from * c->stride, count * c->stride);
        at->times[from / BLOCK * (size_t)passes + (size_t)pass] = time_block(c, set, at, from, count);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/** The sum of the blocks' medians: another process that takes the core for a while spoils a few blocks of one pass only. */
static double median_ns(const query_set *set, const lane *at, int passes)
{
    double sum = 0;

    for (size_t block = 0; block * BLOCK < set->count; block++) {
        double *times = at->times + block * (size_t)passes;

        qsort(times, (size_t)passes, sizeof *times, compare);
        sum += times[passes / 2];
    }
    return sum / (double)set->count;
}

static void judge(const query_set *set, const double *answers, result *out_result)
{
    for (size_t i = 0; i < set->count; i++) {
        double x = answers[i],
               radii = (double)set->bodies[2 * i].shape.radius + (double)set->bodies[2 * i + 1].shape.radius;

        if (set->truths[i] == CLASH_SWEEP_APART)
            out_result->invented += x >= 0;
        else if (set->truths[i] == CLASH_SWEEP_OVERLAP)
            out_result->overlaps_unseen += x != 0;
        else if (!(x > 0))
            out_result->missed++;
        else
            out_result->worst_gap = fmax(out_result->worst_gap, fabs(query_distance(set, i, x) - radii));
    }
}

static bool prepare(const results *r, const query_set *set, lane *lanes)
{
    size_t blocks = (set->count + BLOCK - 1) / BLOCK;

    for (size_t c = 0; c < r->contender_count; c++) {
        const contender *one = r->contenders[c];

        lanes[c].answers = calloc(set->count, sizeof *lanes[c].answers);
        lanes[c].times = calloc(blocks * (size_t)r->passes, sizeof *lanes[c].times);
        lanes[c].prepared = one->prepare ? one->prepare(set) : NULL;
        if (!lanes[c].answers || !lanes[c].times || (one->prepare && !lanes[c].prepared))
            return false;
    }
    return true;
}

static void release(const results *r, lane *lanes)
{
    for (size_t c = 0; c < r->contender_count; c++) {
        if (lanes[c].prepared)
            r->contenders[c]->release(lanes[c].prepared);
        free(lanes[c].answers);
        free(lanes[c].times);
    }
}

static bool run_workload(results *r, int workload)
{
    const query_set *set = &r->sets[workload];
    lane lanes[CONTENDERS_MAX] = {{0}};
    bool ready = prepare(r, set, lanes);

    for (int pass = 0; ready && pass < r->passes; pass++)
        for (size_t c = 0; c < r->contender_count; c++)
            run_pass(r->contenders[c], set, &lanes[c], pass, r->passes);
    for (size_t c = 0; ready && c < r->contender_count; c++) {
        const contender *one = r->contenders[c];

        r->of[c][workload].ns = median_ns(set, &lanes[c], r->passes);
        if (one->collect)
            one->collect(set, lanes[c].prepared, lanes[c].answers);
        if (one->detects)
            judge(set, lanes[c].answers, &r->of[c][workload]);
    }
    release(r, lanes);
    return ready;
}

static bool write_file(const char *path, const results *r, void (*print)(FILE *, const results *))
{
    FILE *out = fopen(path, "w");

    if (!out) {
        fprintf(stderr, "%s cannot be written\n", path);
        return false;
    }
    print(out, r);
    return fclose(out) == 0;
}

static bool parse_options(int argc, char **argv, options *out_options)
{
    *out_options = (options){.queries = 20480, .passes = 9, .seed = 1};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!value)
            return false;
        if (!strcmp(argv[i], "--queries"))
            out_options->queries = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--passes"))
            out_options->passes = (int)strtol(value, NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            out_options->seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--csv"))
            out_options->csv = value;
        else if (!strcmp(argv[i], "--markdown"))
            out_options->markdown = value;
        else
            return false;
    }
    return out_options->queries > 0 && out_options->passes > 0 && out_options->passes <= PASSES_MAX;
}

static bool run(results *r, const options *o)
{
    for (int w = 0; w < WORKLOADS; w++) {
        fprintf(stderr, "%s: making queries", workload_names[w]);
        if (!query_set_init(&r->sets[w], w, o->queries, o->seed))
            return false;
        fprintf(stderr, ", running\n");
        if (!run_workload(r, w))
            return false;
    }
    results_print(stdout, r);
    return (!o->csv || write_file(o->csv, r, results_print_csv)) &&
           (!o->markdown || write_file(o->markdown, r, results_print));
}

int main(int argc, char **argv)
{
    static results r;
    options chosen;
    bool done;

    if (!parse_options(argc, argv, &chosen)) {
        fprintf(stderr, "usage: sweep_bench [--queries N] [--passes 1..%d] [--seed N] [--csv FILE] [--markdown FILE]\n",
                PASSES_MAX);
        return 2;
    }
    r.passes = chosen.passes;
    r.seed = chosen.seed;
    r.contender_count = sizeof all_contenders / sizeof all_contenders[0];
    for (size_t c = 0; c < r.contender_count; c++)
        r.contenders[c] = all_contenders[c];
    done = run(&r, &chosen);
    for (int w = 0; w < WORKLOADS; w++)
        query_set_finish(&r.sets[w]);
    return !done ? 2 : results_are_wrong(&r);
}

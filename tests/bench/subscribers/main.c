/* Subscribers of clashd and of message brokers: how long after it was published can each read a message, and what does that
 * cost the server? All servers take turns within one run; see README.md. */
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LOADS 3
#define RUNS_MAX 15
#define CONTENDERS_MAX 8

typedef struct options {
    const char *clashd, *room, *csv, *markdown;
    const char *only; /* contenders whose names contain it; NULL: all */
    double seconds;
    unsigned runs;
} options;

/* Until clashd has been measured: about what its events are. */
#define SIZES_AT_FIRST \
    {                  \
        {              \
            380, 170   \
        }              \
    }

static const load loads[LOADS] = {{1, 1000, 0}, {100, 1000, 0}, {1000, 100, 0}};
static result results[LOADS][CONTENDERS_MAX][RUNS_MAX];
static sizes seen = SIZES_AT_FIRST;

static bool parse(int argc, char **argv, options *out)
{
    int option;

    *out = (options){.seconds = 3.0, .runs = 3};
    while ((option = getopt(argc, argv, "s:n:c:m:o:")) != -1) {
        if (option == 's')
            out->seconds = strtod(optarg, NULL);
        else if (option == 'n')
            out->runs = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            out->csv = optarg;
        else if (option == 'm')
            out->markdown = optarg;
        else if (option == 'o')
            out->only = optarg;
        else
            return false;
    }
    if (argc - optind != 2)
        return false;
    out->clashd = argv[optind];
    out->room = argv[optind + 1];
    /* the stalled subscriber must not be closed within the measurement: clashd does so after 5 s */
    return out->runs >= 1 && out->runs <= RUNS_MAX && out->seconds >= 0.1 && out->seconds <= 4.0;
}

static void prepare(void)
{
    struct rlimit files;
    cpu_set_t core;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        die("getrlimit");
    files.rlim_cur = files.rlim_max < 8192 ? files.rlim_max : 8192;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        die("setrlimit");
    CPU_ZERO(&core);
    CPU_SET(CLIENT_CORE, &core);
    if (sched_setaffinity(0, sizeof core, &core) != 0)
        die("two cores are needed");
}

static bool is_wanted(const options *o, const contender *c)
{
    return !o->only || strstr(c->name, o->only);
}

static void run_one(const options *o, size_t l, size_t c, unsigned run)
{
    load now = loads[l];
    server s;

    now.seconds = o->seconds;
    server_start(&s, &contenders[c], o->clashd, o->room);
    load_run(&s, &now, &seen, &results[l][c][run]);
    server_stop(&s);
}

/* clashd first, so that the others get messages as long as its events. */
static void run_all(const options *o)
{
    for (unsigned run = 0; run < o->runs; run++)
        for (size_t l = 0; l < LOADS; l++)
            for (size_t c = 0; c < contender_count; c++)
                if (is_wanted(o, &contenders[c]))
                    run_one(o, l, c, run);
}

static void write_csv(const options *o)
{
    FILE *file = fopen(o->csv, "w");

    if (!file)
        die(o->csv);
    fprintf(file, "server,subscribers,rate_hz,run,p50_us,p99_us,cpu,expected,delivered,disordered\n");
    for (size_t l = 0; l < LOADS; l++)
        for (size_t c = 0; c < contender_count; c++)
            for (unsigned run = 0; run < o->runs; run++) {
                const result *r = &results[l][c][run];

                fprintf(file, "\"%s\",%u,%u,%u,%.1f,%.1f,%.4f,%llu,%llu,%llu\n", contenders[c].name,
                        loads[l].subscribers, loads[l].rate_hz, run + 1, r->p50_us, r->p99_us, r->cpu,
                        (unsigned long long)r->expected, (unsigned long long)r->delivered,
                        (unsigned long long)r->disordered);
            }
    if (fclose(file) != 0)
        die(o->csv);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *values, unsigned count)
{
    double sorted[RUNS_MAX];

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 2];
}

static void print_cell(FILE *file, const result *runs, unsigned count)
{
    double p50[RUNS_MAX], p99[RUNS_MAX], cpu[RUNS_MAX];
    unsigned long long lost = 0, disordered = 0;

    for (unsigned i = 0; i < count; i++) {
        p50[i] = runs[i].p50_us;
        p99[i] = runs[i].p99_us;
        cpu[i] = runs[i].cpu;
        lost += runs[i].expected - runs[i].delivered;
        disordered += runs[i].disordered;
    }
    fprintf(file, " %.0f / %.0f / %.0f %%", median(p50, count), median(p99, count), 100.0 * median(cpu, count));
    if (lost > 0 || disordered > 0)
        fprintf(file, ", %llu missing, %llu out of order", lost, disordered);
    fprintf(file, " |");
}

static void print_table(FILE *file, const options *o)
{
    fprintf(file, "Messages of %zu and %zu bytes in turns; %u runs of %.1f s each.\n\n", seen.of[0], seen.of[1],
            o->runs, o->seconds);
    fprintf(file, "| p50 / p99, µs / processor |");
    for (size_t l = 0; l < LOADS; l++)
        fprintf(file, " %u subscriber%s, %u/s |", loads[l].subscribers, loads[l].subscribers > 1 ? "s" : "",
                loads[l].rate_hz);
    fprintf(file, "\n| --- | ---: | ---: | ---: |\n");
    for (size_t c = 0; c < contender_count; c++) {
        if (!is_wanted(o, &contenders[c]))
            continue;
        fprintf(file, "| %s |", contenders[c].name);
        for (size_t l = 0; l < LOADS; l++)
            print_cell(file, results[l][c], o->runs);
        fprintf(file, "\n");
    }
}

int main(int argc, char **argv)
{
    options o;

    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: subscribers [-s SECONDS (up to 4)] [-n RUNS] [-o PART OF A NAME] [-c CSV] [-m "
                        "MARKDOWN] CLASHD ROOM\n");
        return 2;
    }
    prepare();
    run_all(&o);
    if (o.csv)
        write_csv(&o);
    print_table(stdout, &o);
    if (o.markdown) {
        FILE *file = fopen(o.markdown, "w");

        if (!file)
            die(o.markdown);
        print_table(file, &o);
        if (fclose(file) != 0)
            die(o.markdown);
    }
    return 0;
}

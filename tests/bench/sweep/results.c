/* Prints what was measured: Markdown tables for people and the README, CSV for programs. */
#include "results.h"

#include <string.h>
#include <time.h>

static const result *find(const results *r, const char *key, int workload)
{
    static const result none;

    for (size_t c = 0; c < r->contender_count; c++)
        if (!strcmp(r->contenders[c]->key, key))
            return &r->of[c][workload];
    return &none;
}

static void print_machine(FILE *out, const results *r)
{
    char line[256], model[256] = "unknown CPU", date[32] = "";
    FILE *cpus = fopen("/proc/cpuinfo", "r");
    time_t now = time(NULL);
    struct tm day;

    while (cpus && fgets(line, sizeof line, cpus))
        if (sscanf(line, "model name : %255[^\n]", model) == 1)
            break;
    if (cpus)
        fclose(cpus);
    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    fprintf(out, "%s, one core; compiler %s; %s; %zu queries a workload, medians of %d passes, seed %llu.\n\n", model,
            __VERSION__, date, r->sets[0].count, r->passes, (unsigned long long)r->seed);
}

static void print_header(FILE *out, const char *first)
{
    fprintf(out, "| %s |", first);
    for (int w = 0; w < WORKLOADS; w++)
        fprintf(out, " %s |", workload_names[w]);
    fprintf(out, "\n| --- |");
    for (int w = 0; w < WORKLOADS; w++)
        fprintf(out, " ---: |");
    fprintf(out, "\n");
}

static void print_times(FILE *out, const results *r)
{
    print_header(out, "ns a query (times clash_sweep)");
    for (size_t c = 0; c < r->contender_count; c++) {
        fprintf(out, "| %s |", r->contenders[c]->name);
        for (int w = 0; w < WORKLOADS; w++) {
            double ns = r->of[c][w].ns, ratio = ns / find(r, "clash_sweep", w)->ns;

            fprintf(out, " %.*f (%.*f) |", ns < 10 ? 1 : 0, ns, ratio < 10 ? 2 : 0, ratio);
        }
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static bool is_listed(const contender *c)
{
    return c->detects && !c->is_variant;
}

static void print_mistakes(FILE *out, const results *r)
{
    print_header(out, "missed / invented contacts");
    fprintf(out, "| contacts that there are |");
    for (int w = 0; w < WORKLOADS; w++)
        fprintf(out, " %zu |", r->sets[w].hits);
    fprintf(out, "\n");
    for (size_t c = 0; c < r->contender_count; c++) {
        if (!is_listed(r->contenders[c]))
            continue;
        fprintf(out, "| %s |", r->contenders[c]->name);
        for (int w = 0; w < WORKLOADS; w++) {
            const result *of = &r->of[c][w];

            fprintf(out, " %zu", of->missed);
            if (of->missed)
                fprintf(out, " (%.2g %%)", 100.0 * (double)of->missed / (double)r->sets[w].hits);
            fprintf(out, " / %zu |", of->invented);
        }
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void print_gaps(FILE *out, const results *r)
{
    print_header(out, "largest gap or depth at the reported contact, mm");
    for (size_t c = 0; c < r->contender_count; c++) {
        if (!is_listed(r->contenders[c]))
            continue;
        fprintf(out, "| %s |", r->contenders[c]->name);
        for (int w = 0; w < WORKLOADS; w++)
            fprintf(out, r->sets[w].hits ? " %.2g |" : " - |", r->of[c][w].worst_gap * 1e3);
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

/** One line of the table of aims: ours, single and in batch, against another's time. */
static void print_aim(FILE *out, const results *r, int workload, const char *against, double aim, bool times_faster)
{
    double other = find(r, against, workload)->ns;
    double single = find(r, "clash_sweep", workload)->ns / other;
    double batch = find(r, "clash_sweep_pairs", workload)->ns / other;

    fprintf(out, "| %s / `%s` |", workload_names[workload], against);
    if (times_faster)
        fprintf(out, " at least %g times faster | %.1f | %.1f |\n", aim, 1 / single, 1 / batch);
    else
        fprintf(out, " at most %g of it | %.3f | %.3f |\n", aim, single, batch);
}

static void print_aims(FILE *out, const results *r)
{
    static const char *const plain[] = {"plain_double", "plain_double_prepared"};

    fprintf(out, "| workload / against | aim | clash_sweep | clash_sweep_pairs |\n| --- | --- | ---: | ---: |\n");
    for (int i = 0; i < 2; i++) {
        print_aim(out, r, WORKLOAD_RANDOM, plain[i], 0.35, false);
        print_aim(out, r, WORKLOAD_HITS, plain[i], 0.2, false);
        print_aim(out, r, WORKLOAD_PARALLEL, plain[i], 0.1, false);
    }
    print_aim(out, r, WORKLOAD_RANDOM, "bullet", 20, true);
    print_aim(out, r, WORKLOAD_RANDOM, "fcl", 60, true);
    print_aim(out, r, WORKLOAD_FAR, "segment_distance", 0.3, false);
}

void results_print(FILE *out, const results *r)
{
    print_machine(out, r);
    print_times(out, r);
    print_mistakes(out, r);
    print_gaps(out, r);
    print_aims(out, r);
}

void results_print_csv(FILE *out, const results *r)
{
    fprintf(out, "workload,contender,queries,passes,ns,ratio,contacts,missed,invented,overlaps_unseen,worst_gap_m\n");
    for (int w = 0; w < WORKLOADS; w++)
        for (size_t c = 0; c < r->contender_count; c++) {
            const result *of = &r->of[c][w];

            fprintf(out, "%s,%s,%zu,%d,%.3f,%.4f,%zu,", workload_names[w], r->contenders[c]->key, r->sets[w].count,
                    r->passes, of->ns, of->ns / find(r, "clash_sweep", w)->ns, r->sets[w].hits);
            if (r->contenders[c]->detects)
                fprintf(out, "%zu,%zu,%zu,%.3g\n", of->missed, of->invented, of->overlaps_unseen, of->worst_gap);
            else
                fprintf(out, ",,,\n");
        }
}

bool results_are_wrong(const results *r)
{
    bool wrong = false;

    for (size_t c = 0; c < r->contender_count; c++)
        for (int w = 0; r->contenders[c]->is_ours && w < WORKLOADS; w++) {
            const result *of = &r->of[c][w];

            if (!of->missed && !of->invented && !of->overlaps_unseen)
                continue;
            fprintf(stderr, "%s is wrong in %s: %zu missed, %zu invented, %zu overlaps unseen\n", r->contenders[c]->key,
                    workload_names[w], of->missed, of->invented, of->overlaps_unseen);
            wrong = true;
        }
    return wrong;
}

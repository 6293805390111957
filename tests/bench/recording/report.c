/* Prints what was measured: see report.h. MB are of the text, compressed or not, so that the two can be compared. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const forms[FORMS] = {"plain", "zst"};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *values, unsigned count)
{
    double sorted[PASSES_MAX];

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 2];
}

static double stage_seconds(const measured *m, size_t form, const char *key)
{
    for (size_t s = 0; s < stage_count; s++)
        if (strcmp(stages[s].key, key) == 0)
            return median(m->stages[form][s], m->passes);
    return 0;
}

static double command_median(const measured *m, size_t form, size_t which, double (*of)(const spent *))
{
    double values[PASSES_MAX];

    for (unsigned i = 0; i < m->passes; i++)
        values[i] = of(&m->commands[form][which][i]);
    return median(values, m->passes);
}

static double spent_cpu(const spent *s)
{
    return s->cpu_seconds;
}

static double spent_peak(const spent *s)
{
    return s->peak_mb;
}

static void print_machine(FILE *out, const measured *list, size_t count)
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
    fprintf(out, "%s, one core; compiler %s; %s; seconds of the processor, medians of", model, __VERSION__, date);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s %u", i ? "," : "", list[i].passes);
    fprintf(out, " passes.\n\n");
}

static void print_inputs(FILE *out, const measured *list, size_t count)
{
    fprintf(out, "| recording | lines | frames | poses | events | MB plain | MB compressed |\n");
    fprintf(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        const input *in = &list[i].in;

        fprintf(out, "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.1f | %.1f |\n", list[i].of->name,
                in->lines, in->frames, in->poses, in->events, (double)in->plain_bytes * 1e-6,
                (double)in->packed_bytes * 1e-6);
    }
    fprintf(out, "\n");
}

static void print_header(FILE *out, const char *first, const measured *list, size_t count)
{
    fprintf(out, "| %s |", first);
    for (size_t i = 0; i < count; i++)
        for (size_t form = 0; form < FORMS; form++)
            fprintf(out, " %s, %s |", list[i].of->name, forms[form]);
    fprintf(out, "\n| --- |");
    for (size_t i = 0; i < count * FORMS; i++)
        fprintf(out, " ---: |");
    fprintf(out, "\n");
}

static void print_stages(FILE *out, const measured *list, size_t count)
{
    print_header(out, "in one process: s / MB/s / frames/s", list, count);
    for (size_t s = 0; s < stage_count; s++) {
        fprintf(out, "| %s |", stages[s].name);
        for (size_t i = 0; i < count; i++) {
            for (size_t form = 0; form < FORMS; form++) {
                double seconds = median(list[i].stages[form][s], list[i].passes);

                fprintf(out, " %.3f / %.0f / %.2f M |", seconds, (double)list[i].in.plain_bytes * 1e-6 / seconds,
                        (double)list[i].in.frames * 1e-6 / seconds);
            }
        }
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void print_shares(FILE *out, const measured *list, size_t count)
{
    static const struct {
        const char *name, *from, *to;
    } shares[] = {{"reading (and decompressing)", NULL, "bytes"},
                  {"parsing", "bytes", "parse"},
                  {"clashes found and written", "parse", "pipeline"}};

    print_header(out, "share of the whole", list, count);
    for (size_t n = 0; n < sizeof shares / sizeof shares[0]; n++) {
        fprintf(out, "| %s |", shares[n].name);
        for (size_t i = 0; i < count; i++) {
            for (size_t form = 0; form < FORMS; form++) {
                double from = shares[n].from ? stage_seconds(&list[i], form, shares[n].from) : 0.0;
                double part = stage_seconds(&list[i], form, shares[n].to) - from;

                fprintf(out, " %.0f %% |", 100.0 * part / stage_seconds(&list[i], form, "pipeline"));
            }
        }
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void print_commands(FILE *out, const measured *list, size_t count)
{
    print_header(out, "`clashctl`, the whole command: s / peak MB", list, count);
    for (size_t c = 0; c < command_count; c++) {
        fprintf(out, "| %s |", commands[c].name);
        for (size_t i = 0; i < count; i++)
            for (size_t form = 0; form < FORMS; form++)
                fprintf(out, " %.2f / %.2f |", command_median(&list[i], form, c, spent_cpu),
                        command_median(&list[i], form, c, spent_peak));
        fprintf(out, "\n");
    }
}

void report_print(FILE *out, const measured *list, size_t count)
{
    print_machine(out, list, count);
    print_inputs(out, list, count);
    print_stages(out, list, count);
    print_shares(out, list, count);
    print_commands(out, list, count);
}

static void write_row(FILE *out, const measured *m, size_t form, const char *key, unsigned pass, const spent *s)
{
    fprintf(out, "\"%s\",%s,%s,%u,%.6f,%.6f,%.2f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", m->of->name, forms[form], key,
            pass + 1, s->cpu_seconds, s->seconds, s->peak_mb, m->in.frames, m->in.plain_bytes, m->in.packed_bytes);
}

void report_write_csv(FILE *out, const measured *list, size_t count)
{
    fprintf(out, "recording,form,what,pass,cpu_s,wall_s,peak_mb,frames,plain_bytes,packed_bytes\n");
    for (size_t i = 0; i < count; i++) {
        const measured *m = &list[i];

        for (size_t form = 0; form < FORMS; form++) {
            for (unsigned pass = 0; pass < m->passes; pass++) {
                for (size_t s = 0; s < stage_count; s++)
                    write_row(out, m, form, stages[s].key, pass, &(spent){0, m->stages[form][s][pass], 0});
                for (size_t c = 0; c < command_count; c++)
                    write_row(out, m, form, commands[c].key, pass, &m->commands[form][c][pass]);
            }
        }
    }
}

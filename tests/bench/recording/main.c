/* The recording benchmark: makes its input, goes through it in every way, runs clashctl on it, and prints tables for people
 * and CSV for programs. Ways take turns pass by pass, so that what else the machine does hits all alike. */
#include "bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

static const workload all_workloads[] = {
    {"310 s at 91 Hz", 310.0, 0.0, false},
    {"6 min at 1000 Hz", 360.0, 1000.0, false},
    {"60 min at 1000 Hz", 3600.0, 1000.0, true},
};

typedef struct options {
    unsigned passes;
    bool with_long;
    workload own; /* instead of all others, where seconds > 0 */
    const char *csv, *markdown;
    const char *clashctl, *source, *room;
} options;

_Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "recording: %s: %s\n", what, why);
    exit(2);
}

static double cpu_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t size_of(const char *path)
{
    struct stat found;

    if (stat(path, &found) != 0)
        die(path, "is missing");
    return (uint64_t)found.st_size;
}

/** The command's words, with the files' names in their places. */
static void fill_in(const options *o, const command *c, const char *path, char *output, size_t size, char **argv)
{
    size_t count = 0;

    output[0] = '\0';
    argv[count++] = (char *)o->clashctl;
    for (size_t i = 0; c->words[i]; i++) {
        const char *word = c->words[i];

        if (strcmp(word, COMMAND_INPUT) == 0) {
            word = path;
        } else if (strncmp(word, COMMAND_OUTPUT, strlen(COMMAND_OUTPUT)) == 0) {
            snprintf(output, size, "%s/output%s", o->room, word + strlen(COMMAND_OUTPUT));
            word = output;
        }
        argv[count++] = (char *)word;
    }
    argv[count] = NULL;
}

static void run_command(const options *o, const command *c, const char *path, spent *out)
{
    char *argv[sizeof c->words / sizeof c->words[0] + 2];
    char output[BENCH_PATH_MAX];

    fill_in(o, c, path, output, sizeof output, argv);
    *out = command_run(argv);
    if (output[0])
        unlink(output);
}

static void pack(const options *o, input *in)
{
    char *argv[] = {(char *)o->clashctl, (char *)"convert", in->plain, in->packed, NULL};

    command_run(argv);
    if (size_of(in->plain) != in->plain_bytes)
        die(in->plain, "is not as it was written");
    in->packed_bytes = size_of(in->packed);
}

static void run_stage(const stage *s, const input *in, const char *path, double *out_seconds)
{
    double begin = cpu_now_s();
    uint64_t count = s->run(path);

    *out_seconds = cpu_now_s() - begin;
    if (count != in->lines && count != in->plain_bytes)
        die(s->name, "did not see every line");
}

static void measure(const options *o, const workload *w, measured *m)
{
    const char *paths[FORMS] = {m->in.plain, m->in.packed};

    m->passes = w->is_long ? 1 : o->passes;
    for (unsigned pass = 0; pass < m->passes; pass++) {
        for (size_t form = 0; form < FORMS; form++) {
            for (size_t s = 0; s < stage_count; s++)
                run_stage(&stages[s], &m->in, paths[form], &m->stages[form][s][pass]);
            for (size_t c = 0; c < command_count; c++)
                run_command(o, &commands[c], paths[form], &m->commands[form][c][pass]);
        }
    }
}

static void run_workload(const options *o, const workload *w, measured *m)
{
    m->of = w;
    snprintf(m->in.plain, sizeof m->in.plain, "%s/input.jsonl", o->room);
    snprintf(m->in.packed, sizeof m->in.packed, "%s/input.jsonl.zst", o->room);
    input_make(w, o->source, &m->in);
    pack(o, &m->in);
    measure(o, w, m);
    unlink(m->in.plain);
    unlink(m->in.packed);
}

static bool parse(int argc, char **argv, options *out)
{
    static const struct option known[] = {{"passes", required_argument, NULL, 'p'},
                                          {"hour", no_argument, NULL, 'h'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"rate", required_argument, NULL, 'r'},
                                          {"csv", required_argument, NULL, 'c'},
                                          {"markdown", required_argument, NULL, 'm'},
                                          {NULL, 0, NULL, 0}};

    *out = (options){.passes = 9, .own = {.name = "as asked for"}};
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 'p')
            out->passes = (unsigned)strtoul(optarg, NULL, 10);
        else if (c == 'h')
            out->with_long = true;
        else if (c == 's')
            out->own.seconds = strtod(optarg, NULL);
        else if (c == 'r')
            out->own.rate_hz = strtod(optarg, NULL);
        else if (c == 'c')
            out->csv = optarg;
        else if (c == 'm')
            out->markdown = optarg;
        else
            return false;
    }
    if (argc - optind != 3 || out->passes < 1 || out->passes > PASSES_MAX || !(out->own.seconds >= 0) ||
        !(out->own.rate_hz >= 0 && out->own.rate_hz <= 1e6))
        return false;
    out->clashctl = argv[optind];
    out->source = argv[optind + 1];
    out->room = argv[optind + 2];
    return true;
}

static void print_to(const char *path, void (*print)(FILE *out, const measured *list, size_t count),
                     const measured *list, size_t count)
{
    FILE *file = fopen(path, "w");

    if (!file)
        die(path, "cannot be written");
    print(file, list, count);
    if (fclose(file) != 0)
        die(path, "cannot be written");
}

int main(int argc, char **argv)
{
    static measured list[sizeof all_workloads / sizeof all_workloads[0]];
    size_t count = 0;
    options o;

    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "usage: recording [--passes N] [--hour] [--seconds S [--rate HZ]] [--csv FILE] [--markdown FILE] "
                "CLASHCTL SWINGS ROOM\n");
        return 2;
    }
    if (o.own.seconds > 0)
        run_workload(&o, &o.own, &list[count++]);
    for (size_t i = 0; o.own.seconds <= 0 && i < sizeof all_workloads / sizeof all_workloads[0]; i++)
        if (!all_workloads[i].is_long || o.with_long)
            run_workload(&o, &all_workloads[i], &list[count++]);
    report_print(stdout, list, count);
    if (o.csv)
        print_to(o.csv, report_write_csv, list, count);
    if (o.markdown)
        print_to(o.markdown, report_print, list, count);
    return 0;
}

/* clashctl detect: a recording in, event lines out; or many, and a line for each (detect_corpus.h). */
#include "layers.h"
#include "offline/contacts_csv.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "detect_corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "detect"

typedef enum detect_form { DETECT_GUESSED, DETECT_JSON, DETECT_CSV, DETECT_TABLE } detect_form;

typedef struct detect {
    const char *file;
    int form;
    ctl_layers layers;
    bool help, summary, resume;
    const char *list, *results;
    double jobs; /* 0: as many as there are processors; below: not said */
    uint64_t clashes;
    damage_report damage;
    config_values config;
} detect;

static const flag flags[] = {
    FLAG_TEXT("config", "FILE", detect, layers.config_path, "settings that win over the recording's own"),
    FLAG_OTHER("set", "KEY=VALUE", detect, layers, ctl_layers_take_set,
               "one setting that wins over all others, as often as\n"
               "needed: --set contact.release_margin=0.005\n"
               "--set 'blades.left.tip=[0,0,-1]'"),
    FLAG_CHOICE("json", detect, form, DETECT_JSON,
                "the events as clashd sends them, a line each; the\n"
                "default, but for --summary on a terminal"),
    FLAG_CHOICE("csv", detect, form, DETECT_CSV,
                "a table for spreadsheets, a row for each contact\n"
                "that has ended: the columns are in RECORDING.md"),
    FLAG_CHOICE("table", detect, form, DETECT_TABLE,
                "with --summary: a table for people, a row for each\n"
                "recording; the default on a terminal"),
    FLAG_SWITCH("summary", detect, summary,
                "instead of its events one line of JSON for each\n"
                "recording, as it is done, or a row of a table; FILE\n"
                "may then be several, and folders, of which all\n"
                "*.jsonl and *.jsonl.zst"),
    FLAG_PATH("list", "FILE", detect, list, "with --summary: more of them, a name a line; -: from\nstandard input"),
    FLAG_NUMBER_OR_MAX("jobs", "N", detect, jobs, 1, DETECT_CORPUS_JOBS_MAX,
                       "with --summary: so many at once, each in a process\n"
                       "of its own; max: as many as there are processors;\ndefault: 1"),
    FLAG_PATH("results", "FILE", detect, results,
              "with --summary: the lines go to the end of FILE,\neach whole or not at all"),
    FLAG_SWITCH("resume", detect, resume,
                "with --results: goes on with FILE; recordings that\n"
                "it has are left out, but for those that failed or\nhave another size now"),
    FLAG_HELP(detect),
};

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    detect *d = context;

    if (event->kind == CLASH_EVENT_CLASH)
        d->clashes++;
    return output_write(line, length);
}

static void summarise(const detect *d, const detect_report *report)
{
    const pipeline_counters *c = &report->counters;
    uint64_t refused =
        c->refused_late + c->refused_not_finite + c->refused_too_far + c->refused_not_unit + c->refused_unknown;

    output_error(COMMAND,
                 "%" PRIu64 " clash%s in %" PRIu64 " contact%s; %" PRIu64
                 " frame%s over %.1f s; refused samples: %" PRIu64 "; damaged lines: %" PRIu64,
                 d->clashes, d->clashes == 1 ? "" : "es", c->contacts, plural_s(c->contacts), report->frames,
                 plural_s(report->frames), (double)(report->last_ns - report->first_ns) * 1e-9, refused,
                 report->recording.damaged + report->recording.torn);
    if (refused)
        output_error(COMMAND,
                     "refused: %" PRIu64 " late, %" PRIu64 " not finite, %" PRIu64 " too far away, %" PRIu64
                     " with no unit orientation, %" PRIu64 " of too many devices",
                     c->refused_late, c->refused_not_finite, c->refused_too_far, c->refused_not_unit,
                     c->refused_unknown);
    if (report->lost_lines)
        output_error(COMMAND, "%" PRIu64 " event%s too long for a line", report->lost_lines,
                     plural_s(report->lost_lines));
}

static int find_events(detect *d, recording *r, detect_report *out_report, failure *out_failure)
{
    const detect_output output = {.context = d, .line = on_event};
    contacts_report contacts;
    int result;

    if (d->form != DETECT_CSV)
        return detect_run(r, &d->config, &output, out_report, out_failure);
    result = contacts_csv(r, &d->config, stdout, &contacts, out_failure);
    output_failed(contacts.write_error);
    d->clashes = contacts.clashes;
    *out_report = contacts.found;
    return result;
}

static int detect_in(detect *d, recording *r)
{
    detect_report report;
    failure error = {0};
    int code;

    if (ctl_layers_make(&d->layers, d->file, recording_get_header(r), &d->config, &error) < 0)
        return output_refuse(COMMAND, "%s", error.text);
    output_begin(false);
    progress_begin(COMMAND, true);
    if (find_events(d, r, &report, &error) < 0)
        return output_refuse(COMMAND, "%s", error.text);
    progress_end();
    code = output_end(COMMAND, CTL_DONE);
    damage_report_end(&d->damage);
    if (!config_can_clash(&d->config) && report.counters.contacts == 0) /* lines may have brought targets */
        output_error(COMMAND, "%s", config_why_no_clash(&d->config));
    if (!report.stopped)
        summarise(d, &report);
    return code;
}

static int detect_file(detect *d)
{
    recording *r = damage_report_open(&d->damage, COMMAND, d->file);
    int code;

    if (!r)
        return CTL_USAGE;
    code = detect_in(d, r);
    recording_close(r);
    return code;
}

static int detect_many(detect *d, char **names, size_t count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const double jobs = d->jobs < 0 ? 1 : d->jobs > 0 ? d->jobs : (double)processors;

    return detect_corpus(&(detect_corpus_options){
        .command = COMMAND,
        .layers = &d->layers,
        .names = names,
        .name_count = count,
        .list = d->list,
        .results = d->results,
        .resumes = d->resume,
        .is_table = d->form == DETECT_TABLE || (d->form == DETECT_GUESSED && !d->results && isatty(STDOUT_FILENO)),
        .jobs = jobs < 1                        ? 1
                : jobs > DETECT_CORPUS_JOBS_MAX ? DETECT_CORPUS_JOBS_MAX
                                                : (unsigned)jobs,
    });
}

/* What the flags do not allow together; NULL: nothing. */
static const char *why_not(const detect *d, char *const *names, size_t count)
{
    size_t standard = d->list && strcmp(d->list, "-") == 0;

    for (size_t i = 0; i < count; i++)
        standard += strcmp(names[i], "-") == 0;
    if (!d->summary && (d->list || d->results || d->resume || d->jobs >= 0))
        return "--list, --jobs, --results and --resume: expected --summary with them";
    if (!d->summary && d->form == DETECT_TABLE)
        return "--table: expected --summary with it";
    if (!d->summary)
        return count == 1 ? NULL : "expected one recording; for several: --summary";
    if (d->form == DETECT_CSV)
        return "--csv: not for --summary, which prints lines of JSON or, with --table, a table for people";
    if (d->form == DETECT_TABLE && d->results)
        return "--table: not with --results, which takes lines of JSON";
    if (d->resume && !d->results)
        return "--resume: expected --results with it";
    if (d->results && strcmp(d->results, "-") == 0)
        return "--results: expected a file; without it the lines go to standard output";
    if (standard > 1)
        return "-: standard input is one recording, or one list";
    return count > 0 || d->list ? NULL : "expected recordings, folders or --list";
}

static int run(void *target, char **words)
{
    detect *d = target;
    size_t count = 0;
    const char *why;

    while (words[count])
        count++;
    why = why_not(d, words, count);
    if (why)
        return output_usage_error(COMMAND, why);
    if (d->summary)
        return detect_many(d, words, count);
    d->file = words[0];
    return detect_file(d);
}

const ctl_command ctl_detect = {
    .name = COMMAND,
    .summary = "find the clashes of a recording",
    .arguments = "FILE.. [OPTION..]",
    .text = "Finds the clashes of a recording, as fast as it can, and prints them as clashd\n"
            "would send them: one JSON object a line, times as they stand in the recording.\n"
            "FILE - is standard input. With --summary it goes through a whole corpus of them;\n"
            "exit status 1: some recordings failed, which their lines say.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 0, .most = SIZE_MAX},
    .size = sizeof(detect),
    .defaults = &(detect){.jobs = -1},
    .run = run,
};

/* clashctl verify: check whether a recording's events are what its poses give, to the bit. */
#include "offline/verify.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "verify_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMAND "verify"

typedef enum verify_form { VERIFY_TEXT, VERIFY_JSON, VERIFY_CSV } verify_form;

typedef enum verdict {
    VERDICT_IDENTICAL,
    VERDICT_DIFFERENT,
    VERDICT_DAMAGED,
    VERDICT_NOT_COMPARED,
    VERDICT_NO_EVENTS
} verdict;

static const char *const verdicts[] = {"identical", "different", "damaged", "not_compared", "no_events"};

typedef struct verify {
    const char *file;
    int form;
    bool help;
    damage_report damage;
    config_values config;
    verify_report report;
} verify;

static const flag flags[] = {
    FLAG_CHOICE("json", verify, form, VERIFY_JSON, "a line of JSON"),
    FLAG_CHOICE("csv", verify, form, VERIFY_CSV, "a table of one row, for spreadsheets"),
    FLAG_HELP(verify),
};

static void show_line(const char *what, const char *line)
{
    fputs(what, stdout);
    output_json(line);
}

static void show_difference(const verify *v)
{
    const verify_report *r = &v->report;

    output_error(COMMAND, "%s:%" PRIu64 ": %s", v->file, r->difference, r->reason.text);
    if (r->recorded_line && v->form == VERIFY_TEXT)
        show_line("recorded ", r->recorded_line);
    if (r->found_line && v->form == VERIFY_TEXT)
        show_line("found    ", r->found_line);
}

static void show_counts(const verify *v)
{
    const verify_report *r = &v->report;

    printf("%" PRIu64 " event%s compared, %" PRIu64 " of them %s; %" PRIu64 " frame%s over %.1f s\n", r->compared,
           plural_s(r->compared), r->clashes, r->clashes == 1 ? "a clash" : "clashes", r->found.frames,
           plural_s(r->found.frames), (double)(r->found.last_ns - r->found.first_ns) * 1e-9);
    if (r->gaps)
        printf("gaps: %" PRIu64 "\n", r->gaps);
    if (r->passed)
        printf("not compared: %" PRIu64 " event%s of contacts whose beginning is not in the file\n", r->passed,
               plural_s(r->passed));
    if (r->behind_damage)
        printf("not compared: %" PRIu64 " event%s behind damage\n", r->behind_damage, plural_s(r->behind_damage));
    if (r->found.recording.torn)
        printf("the end is torn and was left out\n");
}

static verdict find_verdict(const verify_report *r, bool by_clashd)
{
    if (r->recorded == 0 && !by_clashd)
        return VERDICT_NO_EVENTS;
    if (r->differs)
        return VERDICT_DIFFERENT;
    if (r->compared == 0 && r->passed > 0)
        return VERDICT_NOT_COMPARED;
    return r->is_damaged ? VERDICT_DAMAGED : VERDICT_IDENTICAL;
}

static int judge(const verify *v, verdict is)
{
    const verify_report *r = &v->report;

    if (is == VERDICT_NO_EVENTS)
        output_error(
            COMMAND,
            "%s has poses but no events to compare with, since clashd did not write it; 'clashctl detect %s' finds its "
            "clashes",
            v->file, v->file);
    if (is == VERDICT_DIFFERENT)
        show_difference(v);
    if (v->form == VERIFY_TEXT && is != VERDICT_NO_EVENTS && is != VERDICT_DIFFERENT)
        show_counts(v);
    if (is == VERDICT_NOT_COMPARED)
        output_error(COMMAND, "%s: no event could be compared", v->file);
    if (is == VERDICT_DAMAGED)
        output_error(COMMAND, "%s: %" PRIu64 " damaged line%s: no event after the first of them could be compared",
                     v->file, r->found.recording.damaged, plural_s(r->found.recording.damaged));
    if (v->form == VERIFY_TEXT && is == VERDICT_IDENTICAL)
        printf("identical\n");
    if (v->form == VERIFY_JSON)
        verify_show_json(r, verdicts[is], v->file);
    if (v->form == VERIFY_CSV)
        verify_show_csv(r, verdicts[is], v->file);
    return is == VERDICT_IDENTICAL ? CTL_DONE : is == VERDICT_DIFFERENT || is == VERDICT_DAMAGED ? CTL_NO : CTL_USAGE;
}

static int verify_recording(verify *v, recording *r)
{
    failure error = {0};
    int code = CTL_USAGE;
    const recording_header *header = recording_get_header(r);

    config_defaults(&v->config);
    v->config.old_rules = header->rules < PROTOCOL_RULES;
    if (header->rules > PROTOCOL_RULES)
        return output_refuse(
            COMMAND, "%s: its events were found by rules of version %d, which a newer clashd has: this one knows %d",
            v->file, header->rules, PROTOCOL_RULES);
    output_begin(false);
    progress_begin(COMMAND, false);
    if (config_apply_header(&v->config, v->file, header, &error) == CONFIG_OK &&
        verify_run(r, &v->config, &v->report, &error) == 0)
        code = CTL_DONE;
    progress_end();
    if (code == CTL_DONE) {
        damage_report_end(&v->damage);
        code = judge(v, find_verdict(&v->report, header->clashd[0] != '\0'));
    } else {
        output_error(COMMAND, "%s", error.text);
    }
    verify_finish(&v->report);
    return output_end(COMMAND, code);
}

static int run(void *target, char **words)
{
    verify *v = target;
    recording *r = damage_report_open(&v->damage, COMMAND, words[0]);
    int code;

    if (!r)
        return CTL_USAGE;
    v->file = words[0];
    code = verify_recording(v, r);
    recording_close(r);
    return code;
}

const ctl_command ctl_verify = {
    .name = COMMAND,
    .summary = "check a recording's events against its poses",
    .arguments = "FILE [OPTION..]",
    .text = "Finds the events of a recording again, and compares them with those that clashd\n"
            "wrote into it, to the last bit. Shows the first difference; exit status 1 then.\n"
            "FILE - is standard input.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 1},
    .expected = "expected one recording",
    .size = sizeof(verify),
    .run = run,
};

/* clashctl info: what is in a recording. offline/info.h counts, info_show.h prints. */
#include "info_show.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"

#include <stdlib.h>

#define COMMAND "info"

typedef enum info_form { INFO_TEXT, INFO_JSON, INFO_CSV } info_form;

typedef struct info {
    const char *file;
    int form;
    bool help;
    app_info made;
} info;

static const flag flags[] = {
    FLAG_CHOICE("json", info, form, INFO_JSON, "a line of JSON"),
    FLAG_CHOICE("csv", info, form, INFO_CSV,
                "a table for spreadsheets: a row for the recording,\neach device, each blade"),
    FLAG_HELP(info),
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

static int show(info *i, recording *r)
{
    failure error = {0};
    int result;

    output_begin(false);
    progress_begin(COMMAND, false);
    result = app_info_make(r, i->file, &i->made, &error);
    progress_end();
    if (result == 0 && i->form == INFO_TEXT)
        info_show_text(&i->made);
    else if (result == 0 && i->form == INFO_CSV)
        info_show_csv(&i->made, i->file);
    else if (result == 0 && !info_show_json(&i->made, i->file))
        result = fail_int(&error, "out of memory");
    if (result < 0)
        output_error(COMMAND, "%s", error.text);
    return output_end(COMMAND, result < 0 ? CTL_USAGE : CTL_DONE);
}

static int show_file(info *i)
{
    failure error = {0};
    damage_report damage = {.command = COMMAND, .file = i->file};
    recording *r = recording_open(i->file, damage_report_add, &damage, &error);
    int code;

    if (!r) {
        output_error(COMMAND, "%s", error.text);
        return CTL_USAGE;
    }
    code = show(i, r);
    damage_report_end(&damage);
    recording_close(r);
    return code;
}

static int parse(info *i, int argc, char **argv)
{
    failure error = {0};
    int rest;

    if (flags_parse(&table, argc, argv, i, &rest, &error) < 0)
        return output_usage_error(COMMAND, error.text);
    if (i->help) {
        output_help(COMMAND, "FILE [OPTION..]",
                    "Says what is in a recording: how long it is, how often its devices were sampled,\n"
                    "how fast they and the tips of their blades moved, what was refused, what\n"
                    "touched, and what looks wrong. FILE - is standard input.\n",
                    &table);
        return CTL_DONE;
    }
    if (argc - rest != 1)
        return output_usage_error(COMMAND, "expected one recording");
    i->file = argv[rest];
    return show_file(i);
}

int ctl_info(int argc, char **argv)
{
    info *i = calloc(1, sizeof *i);
    int code;

    if (!i) {
        output_error(COMMAND, "out of memory");
        return CTL_USAGE;
    }
    code = parse(i, argc, argv);
    free(i);
    return code;
}

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
    file_info made;
} info;

static const flag flags[] = {
    FLAG_CHOICE("json", info, form, INFO_JSON, "a line of JSON"),
    FLAG_CHOICE("csv", info, form, INFO_CSV,
                "a table for spreadsheets: a row for the recording,\neach device, each blade"),
    FLAG_HELP(info),
};

static int show(info *i, recording *r)
{
    failure error = {0};
    int result;

    output_begin(false);
    progress_begin(COMMAND, false);
    result = info_make(r, i->file, &i->made, &error);
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

static int run(void *target, char **words)
{
    info *i = target;
    damage_report damage;
    recording *r = damage_report_open(&damage, COMMAND, words[0]);
    int code;

    if (!r)
        return CTL_USAGE;
    i->file = words[0];
    code = show(i, r);
    damage_report_end(&damage);
    recording_close(r);
    return code;
}

const ctl_command ctl_info = {
    .name = COMMAND,
    .summary = "say what is in a recording",
    .arguments = "FILE [OPTION..]",
    .text = "Says what is in a recording: how long it is, how often its devices were sampled,\n"
            "how fast they and the tips of their blades moved, what was refused, what\n"
            "touched, and what looks wrong. FILE may also be an MCAP file or a Beat Saber\n"
            "replay; FILE - is standard input.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 1},
    .expected = "expected one recording",
    .size = sizeof(info),
    .run = run,
};

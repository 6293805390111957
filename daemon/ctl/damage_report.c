/* Report damage; see damage_report.h. If a file is damaged all over, the first few lines say as much as all. */
#include "damage_report.h"

#include "cli/output.h"
#include "foreign.h"

#include <inttypes.h>

#define SHOWN_MAX 10

static void add(void *report, uint64_t line_number, const char *message)
{
    damage_report *r = report;

    if (!r->is_over && r->seen++ < SHOWN_MAX)
        output_error(r->command, "%s:%" PRIu64 ": left out: %s", r->file, line_number, message);
}

recording *damage_report_open(damage_report *report, const char *command, const char *file)
{
    failure error = {0};
    foreign copy;
    const char *path = foreign_begin(&copy, command, file, true, &error);
    recording *r;

    *report = (damage_report){.command = command, .file = file};
    r = path ? recording_open(path, add, report, &error) : NULL;
    if (r == NULL && path == file && foreign_is_readable(file, true))
        output_error(command, "%s (what is read: " FOREIGN_FORMATS ")", error.text);
    else if (!r)
        output_error(command, "%s", error.text);
    foreign_end(&copy);
    return r;
}

void damage_report_end(damage_report *report)
{
    if (!report->is_over && report->seen > SHOWN_MAX)
        output_error(report->command, "%s: %" PRIu64 " more such places", report->file, report->seen - SHOWN_MAX);
    report->is_over = true;
}

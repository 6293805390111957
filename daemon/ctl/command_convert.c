/* What clashctl convert makes that is no copy: see command_convert.h. */
#include "command_convert.h"

#include "offline/bsor_import.h"
#include "offline/contacts_csv.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool ctl_convert_is_table(const char *path)
{
    size_t length = strlen(path);

    return length >= 4 && strcmp(path + length - 4, ".csv") == 0;
}

int ctl_convert_table(const char *command, const char *from, const char *to, recording *r)
{
    failure error = {0};
    uint64_t contacts;
    FILE *out = fopen(to, "wxe");
    int result;

    if (!out) {
        output_error(command, "%s: %s", to, strerror(errno));
        return CTL_USAGE;
    }
    result = app_contacts_csv(r, from, out, &contacts, &error);
    if (fclose(out) != 0 && result == 0) {
        fail_with(&error, "%s", strerror(errno));
        result = -1;
    }
    if (result == 0) {
        output_error(command, "%" PRIu64 " contacts", contacts);
        return CTL_DONE;
    }
    output_error(command, "%s: %s", to, error.text);
    remove(to);
    return CTL_USAGE;
}

int ctl_convert_replay(const char *command, const char *from, const char *to)
{
    failure error = {0};
    app_bsor_report report;
    const bsor_counters *n = &report.counters;
    int result;

    if (ctl_convert_is_table(to)) {
        output_error(command, "%s: is a Beat Saber replay: make a recording of it first, and a table of that", from);
        return CTL_USAGE;
    }
    progress_begin(command, false);
    result = app_bsor_import(from, to, &report, &error);
    progress_end();
    if (result < 0) {
        output_error(command, "%s", error.text);
        return CTL_USAGE;
    }
    output_error(command,
                 "%" PRIu64 " lines of %" PRIu64 " frames; left out: %" PRIu64 " that go back in time, %" PRIu64
                 " without one; repeated times: %" PRIu64 "; poses that are not finite: %" PRIu64,
                 report.lines, n->frames, n->backward, n->timeless, n->repeated, n->not_finite);
    return CTL_DONE;
}

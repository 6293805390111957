/* See foreign.h. */
#include "foreign.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "offline/bsor_import.h"
#include "offline/mcap_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** What of the file's name the temporary one keeps; a name may have 255 bytes, its ending included. */
#define NAME_KEPT 200

/* Name the copy after the file, since clashctl view shows that name. */
static bool make_file(foreign *i, const char *file, failure *out_failure)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char copy[NAME_KEPT + sizeof ".jsonl.zst"];

    snprintf(copy, sizeof copy, "%.*s.jsonl.zst", (int)(length < NAME_KEPT ? length : NAME_KEPT), name);
    return scratch_in_directory(&i->file, copy, out_failure);
}

static int import_replay(const foreign *i, const char *command, const char *file, failure *out_failure)
{
    bsor_report report;
    const bsor_counters *n = &report.counters;
    const int result = bsor_import(file, i->file.path, true, &report, out_failure);

    if (result == 0 && command && n->backward + n->timeless + n->not_finite > 0)
        output_error(command,
                     "%s: frames left out: %" PRIu64 " that go back in time, %" PRIu64
                     " without a time; poses that are not finite: %" PRIu64,
                     file, n->backward, n->timeless, n->not_finite);
    return result;
}

static int import_mcap(const foreign *i, const char *command, const char *file, failure *out_failure)
{
    mcap_lines report;
    const int result = mcap_import(file, i->file.path, true, &report, out_failure);

    if (result == 0 && command && report.damaged > 0)
        output_error(command, "%s: damaged, and left out: %" PRIu64 " chunks or lines", file, report.damaged);
    if (result == 0 && command && report.is_torn)
        output_error(command, "%s: ends too early; only what is before that is read", file);
    return result;
}

const char *foreign_begin(foreign *i, const char *command, const char *file, bool is_piped, failure *out_failure)
{
    const bool is_looked_at = is_piped || strcmp(file, "-") != 0;
    const bool is_replay = is_looked_at && bsor_is_one(file), is_mcap = is_looked_at && mcap_is_one(file);
    int result;

    *i = (foreign){0};
    if (!is_replay && !is_mcap)
        return file;
    if (!make_file(i, file, out_failure))
        return NULL;
    if (command)
        progress_begin(command, false);
    result = is_replay ? import_replay(i, command, file, out_failure) : import_mcap(i, command, file, out_failure);
    if (command)
        progress_end();
    if (result == 0)
        return i->file.path;
    foreign_end(i);
    return NULL;
}

void foreign_end(foreign *i)
{
    scratch_remove(&i->file);
}

bool foreign_is_readable(const char *file, bool is_piped)
{
    struct stat status;

    if (strcmp(file, "-") == 0)
        return is_piped;
    return stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, R_OK) == 0;
}

/* Times that cannot be: poses far ahead of those before and after them. See recording_private.h. */
#include "recording_private.h"

#include <stdio.h>
#include <stdlib.h>

/* So many lines are looked at behind a leap; and at the beginning, if there is one after each seek. */
#define LEAP_LINES 256
#define LEAP_LINES_FIRST 16

/* Return whether poses follow that go on where those before the leap were, or that are earlier by a leap if there were none. */
static bool is_contradicted(recording *r, int64_t leap_ns, recording_item *scratch)
{
    const int64_t from_ns = r->has_poses ? r->poses_ns : INT64_MIN;
    const int64_t to_ns = r->has_poses ? leap_ns : leap_ns - RECORDING_LEAP_NS;

    for (int i = 0; i < (r->has_poses ? LEAP_LINES : LEAP_LINES_FIRST); i++) {
        const recording_lines_state state = recording_lines_read(r->lines);
        failure ignored = {0};
        size_t length;
        char *line;

        if (state != RECORDING_LINES_WHOLE && state != RECORDING_LINES_TORN)
            return false;
        line = recording_lines_text(r->lines, &length);
        if (recording_read_line(line, length, scratch, &ignored) == RECORDING_LINE_TAKEN &&
            scratch->kind == RECORDING_POSES && scratch->time_ns >= from_ns && scratch->time_ns < to_ns)
            return true;
    }
    return false;
}

/* Look at what follows, and go back to before the line. Return false if the file cannot be sought in: then it stands. */
static bool judge_leap(recording *r, int64_t time_ns, bool counts)
{
    const uint64_t number = recording_lines_number(r->lines);
    const recording_place here = r->here;
    recording_item *scratch = malloc(sizeof *scratch);
    char what[128];

    if (!scratch || recording_lines_go(r->lines, &here) != 0) {
        free(scratch);
        return false;
    }
    r->judged = number;
    recording_lines_read(r->lines);
    if (is_contradicted(r, time_ns, scratch))
        r->wrong = number;
    free(scratch);
    recording_lines_go(r->lines, &here);
    recording_lines_allow(r->lines, r->budget); /* a failure behind it is not this line's */
    if (r->wrong != number || !counts || number <= r->wrong_counted)
        return true;
    r->wrong_counted = number;
    r->counters.damaged++;
    snprintf(what, sizeof what, "time_ns: %.0f s ahead of the poses before and after it",
             (double)(time_ns - (r->has_poses ? r->poses_ns : 0)) * 1e-9);
    recording_damaged(r, number, what);
    return true;
}

bool recording_is_in_time(recording *r, const recording_item *item, bool counts)
{
    const uint64_t number = recording_lines_number(r->lines);

    if (item->kind != RECORDING_POSES)
        return true;
    if (number == r->wrong)
        return false;
    if (number > r->judged && (!r->has_poses || item->time_ns - RECORDING_LEAP_NS > r->poses_ns) &&
        judge_leap(r, item->time_ns, counts))
        return false;
    r->has_poses = true;
    r->poses_ns = item->time_ns;
    return true;
}

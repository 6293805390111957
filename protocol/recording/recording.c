/* Reads recordings: see recording.h. How a file turns into lines is recording_lines.c's business; what is in a line is
 * recording_line.c's, what is in the first one header.c's. */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bsor.h"
#include "first_bytes.h"
#include "protocol/messages/parse.h"
#include "recording_lines.h"
#include "recording_private.h"

void recording_damaged(recording *r, uint64_t line_number, const char *what)
{
    if (r->on_damage)
        r->on_damage(r->context, line_number, what);
}

static bool is_lost(recording_lines_state state)
{
    return state == RECORDING_LINES_DAMAGED || state == RECORDING_LINES_CUT;
}

/* Bytes are missing behind the last line. */
static void count_lost(recording *r)
{
    const uint64_t line_number = recording_lines_number(r->lines) + 1;

    if (line_number <= r->counted)
        return;
    if (r->state == RECORDING_LINES_CUT)
        r->counters.torn = 1;
    else
        r->counters.damaged++;
    recording_damaged(r, line_number, recording_lines_trouble(r->lines));
}

/* The next one that is a line, or what there is in its place. */
static recording_lines_state read_line(recording *r)
{
    if (r->state != RECORDING_LINES_LATER) /* else it is as it was */
        recording_lines_get_place(r->lines, &r->here);
    while (is_lost(r->state = recording_lines_read(r->lines))) {
        count_lost(r);
        recording_lines_get_place(r->lines, &r->here);
    }
    r->line = recording_lines_text(r->lines, &r->length);
    return r->state;
}

static bool is_end(recording_lines_state state)
{
    return state == RECORDING_LINES_END || state == RECORDING_LINES_LATER;
}

/* ---- its life ---- */

static recording *fail(recording *r, failure *out_failure, const char *path, const char *what)
{
    const uint64_t number = r && r->lines ? recording_lines_number(r->lines) : 0;

    if (number > 0)
        fail_with(out_failure, "%s: line %llu: %s", path, (unsigned long long)number, what);
    else
        fail_with(out_failure, "%s: %s", path, what);
    recording_close(r);
    return NULL;
}

/* Note why there is no line at all. */
static const char *why_nothing(const recording *r)
{
    const char *stop = recording_lines_failure(r->lines), *trouble = recording_lines_trouble(r->lines);

    return stop ? stop : trouble[0] ? trouble : "is empty; expected a recording's header";
}

static bool is_blank(const recording *r)
{
    return (r->state == RECORDING_LINES_WHOLE || r->state == RECORDING_LINES_TORN) &&
           parse_is_blank(r->line, r->length);
}

/* A failure is not also reported as damage. The caller reports what else was damaged before the header. */
static recording *read_header(recording *r, failure *out_failure)
{
    failure reason = {0};

    do
        read_line(r);
    while (is_blank(r));
    if (is_end(r->state))
        return fail(r, out_failure, r->path, why_nothing(r));
    if (r->state == RECORDING_LINES_TOO_LONG)
        return fail(r, out_failure, r->path,
                    "is longer than 64 KiB; expected a header, {\"type\":\"recording\",\"version\":1,..}");
    if (!recording_read_header(r->line, r->length, &r->header, &reason))
        return fail(r, out_failure, r->path, reason.text);
    recording_lines_note_good(r->lines);
    recording_lines_get_place(r->lines, &r->first);
    r->counters.lines = r->counted = r->first.line_number;
    return r;
}

static recording *open_it(const char *path, bool only_files, recording_damage_function on_damage, void *context,
                          failure *out_failure)
{
    recording *r = calloc(1, sizeof *r);
    failure reason = {0};

    if (!r || !(r->path = strdup(path)))
        return fail(r, out_failure, path, "out of memory");
    r->lines = recording_lines_open(path, only_files, &reason);
    if (!r->lines)
        return fail(r, out_failure, path, reason.text);
    if (recording_begins_with(path, "\x89MCAP0\r\n", 8))
        return fail(r, out_failure, path, "is an MCAP file; expected a recording, as clashctl convert makes one of it");
    if (bsor_is_one(path))
        return fail(r, out_failure, path,
                    "is a Beat Saber replay; expected a recording, as clashctl convert makes one of it");
    if (!(r = read_header(r, out_failure)))
        return NULL;
    r->on_damage = on_damage;
    r->context = context;
    if (recording_lines_trouble(r->lines)[0])
        recording_damaged(r, r->counted, recording_lines_trouble(r->lines));
    return r;
}

recording *recording_open(const char *path, recording_damage_function on_damage, void *context, failure *out_failure)
{
    return open_it(path, false, on_damage, context, out_failure);
}

recording *recording_open_file(const char *path, recording_damage_function on_damage, void *context,
                               failure *out_failure)
{
    return open_it(path, true, on_damage, context, out_failure);
}

void recording_close(recording *r)
{
    if (!r)
        return;
    recording_lines_close(r->lines);
    free(r->path);
    free(r);
}

const recording_header *recording_get_header(const recording *r)
{
    return &r->header;
}

const char *recording_get_header_text(const recording *r)
{
    return r->line;
}

const recording_counters *recording_get_counters(const recording *r)
{
    return &r->counters;
}

const char *recording_get_error(const recording *r)
{
    return r->failure.text[0] ? r->failure.text : NULL;
}

void recording_get_extent(const recording *r, uint64_t *out_read_bytes, uint64_t *out_total_bytes)
{
    recording_lines_get_extent(r->lines, out_read_bytes, out_total_bytes);
}

void recording_set_budget(recording *r, uint64_t bytes)
{
    r->budget = bytes;
}

void recording_get_place(const recording *r, recording_place *out_place)
{
    recording_lines_get_place(r->lines, out_place);
}

int recording_go(recording *r, const recording_place *place)
{
    if (recording_lines_go(r->lines, place) != 0)
        return -1;
    r->failure.text[0] = '\0';
    r->has_poses = false;
    r->judged = r->wrong = 0;
    r->state = RECORDING_LINES_END;
    return 0;
}

int recording_rewind(recording *r)
{
    if (recording_go(r, &r->first) != 0)
        return -1;
    r->counters = (recording_counters){.lines = r->first.line_number};
    r->counted = r->first.line_number;
    r->wrong_counted = 0;
    return 0;
}

/* ---- items ---- */

/* Return whether the line gave an item; else it has been counted, and reported if it was damaged. */
static bool take_line(recording *r, recording_item *item)
{
    failure reason = {0};
    recording_line_result result = RECORDING_LINE_DAMAGED;
    const uint64_t number = recording_lines_number(r->lines);
    const bool is_new = number > r->counted;

    if (is_new) {
        r->counters.lines++;
        r->counted = number;
    }
    if (is_blank(r))
        return false;
    if (r->state == RECORDING_LINES_TOO_LONG)
        fail_with(&reason, "the line is longer than 64 KiB");
    else
        result = recording_read_line(r->line, r->length, item, &reason);
    if (result != RECORDING_LINE_DAMAGED)
        recording_lines_note_good(r->lines);
    if (result == RECORDING_LINE_UNKNOWN && is_new) {
        r->counters.unknown++;
    } else if (result == RECORDING_LINE_DAMAGED && is_new) {
        ++*(r->state == RECORDING_LINES_TORN ? &r->counters.torn : &r->counters.damaged);
        recording_damaged(r, number, reason.text);
    }
    return result == RECORDING_LINE_TAKEN;
}

static recording_item_kind finish_item(const recording *r, recording_item *item)
{
    item->line_number = recording_lines_number(r->lines);
    item->text = r->line;
    item->text_length = r->length;
    return item->kind;
}

/* If no line has come. */
static recording_item_kind finish_reading(recording *r, recording_item *item)
{
    const char *stop = recording_lines_failure(r->lines);

    if (stop)
        fail_with(&r->failure, "%s: behind line %llu: %s", r->path,
                  (unsigned long long)recording_lines_number(r->lines), stop);
    item->kind = r->state == RECORDING_LINES_LATER ? RECORDING_LATER : RECORDING_END;
    return item->kind;
}

recording_item_kind recording_next(recording *r, recording_item *item)
{
    recording_lines_allow(r->lines, r->budget);
    while (!is_end(read_line(r)))
        if (take_line(r, item) && recording_is_in_time(r, item, true))
            return finish_item(r, item);
    return finish_reading(r, item);
}

/* Of poses as clashd writes them, the time. What has lost its end is looked at as a whole. */
static bool skim_poses(const recording *r, recording_item *item)
{
    static const char begins[] = "{\"type\":\"poses\",\"time_ns\":";
    const size_t length = sizeof begins - 1;
    char *end;

    if (r->state != RECORDING_LINES_WHOLE || r->length <= length || memcmp(r->line, begins, length) != 0)
        return false;
    item->time_ns = strtoll(r->line + length, &end, 10);
    item->kind = RECORDING_POSES;
    item->type = "poses";
    item->pose_count = 0;
    item->more = false;
    return end > r->line + length && *end == ',';
}

recording_item_kind recording_skim(recording *r, recording_item *item)
{
    failure reason = {0};

    recording_lines_allow(r->lines, r->budget);
    while (!is_end(read_line(r))) {
        if (r->state == RECORDING_LINES_TOO_LONG || is_blank(r) ||
            !(skim_poses(r, item) || recording_read_line(r->line, r->length, item, &reason) == RECORDING_LINE_TAKEN))
            continue;
        recording_lines_note_good(r->lines);
        if (recording_is_in_time(r, item, false))
            return finish_item(r, item);
    }
    return finish_reading(r, item);
}

bool recording_parse(const char *line, recording_item *out_item)
{
    failure reason = {0};

    return recording_read_line(line, strlen(line), out_item, &reason) == RECORDING_LINE_TAKEN;
}

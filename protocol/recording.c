/* Reads recordings: see recording.h. This half turns a file into lines, in memory that does not grow with it; what is in a
 * line is recording_line.c's business, what is in the first one recording_header.c's. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bsor.h"
#include "framing.h"
#include "recording_bytes.h"
#include "recording_private.h"

typedef enum line_state { LINE_NONE, LINE_WHOLE, LINE_TORN, LINE_TOO_LONG } line_state;

struct recording {
    recording_bytes *bytes;
    framing *framing;
    const char *begin;      /* of the chunk */
    const char *next, *end; /* .. what has not been framed yet */
    uint64_t line_number;
    uint64_t counted; /* lines up to this one are in the counters */
    line_state state; /* of what the last framing_push delivered */
    size_t length;
    recording_header header;
    recording_counters counters;
    recording_damage_function on_damage;
    void *context;
    char trouble[400];                /* with the file's bytes, the last */
    char line[PROTOCOL_LINE_MAX + 1]; /* terminated by zero */
};

static bool on_line(void *context, const char *line, size_t length)
{
    recording *r = context;

    memcpy(r->line, line, length);
    r->line[length] = '\0';
    r->length = length;
    r->state = LINE_WHOLE;
    return true;
}

static bool on_too_long(void *context)
{
    recording *r = context;

    r->state = LINE_TOO_LONG;
    return true;
}

static const framing_listener *listener_of(recording *r, framing_listener *out)
{
    *out = (framing_listener){.context = r, .line = on_line, .too_long = on_too_long};
    return out;
}

static void damaged(recording *r, const char *what)
{
    if (r->on_damage)
        r->on_damage(r->context, r->line_number, what);
}

/** Bytes are missing here: the line they were in goes with them. */
static void lose_bytes(recording *r, recording_bytes_result result)
{
    framing_listener listener;

    framing_finish(r->framing, listener_of(r, &listener));
    r->state = LINE_NONE;
    if (r->line_number + 1 <= r->counted)
        return;
    if (result == RECORDING_BYTES_TORN)
        r->counters.torn = 1;
    else
        r->counters.damaged++;
    if (r->on_damage)
        r->on_damage(r->context, r->line_number + 1, r->trouble);
}

/** False at the end of the file. */
static bool fill_chunk(recording *r)
{
    for (;;) {
        size_t length;
        recording_bytes_result result =
            recording_bytes_read(r->bytes, &r->next, &length, r->trouble, sizeof r->trouble);

        if (result == RECORDING_BYTES_END)
            return false;
        if (result != RECORDING_BYTES_SOME) {
            lose_bytes(r, result);
            continue;
        }
        r->begin = r->next;
        r->end = r->next + length;
        if (length > 0)
            return true;
    }
}

/** Frames up to the next newline, or to the end of the chunk: at most one line comes of it. */
static void push_line(recording *r, const framing_listener *listener)
{
    const char *newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
    const char *end = newline ? newline + 1 : r->end;

    framing_push(r->framing, r->next, (size_t)(end - r->next), listener);
    r->next = end;
}

/** To the newline of a line that is too long, so that what is read next is a line of its own. */
static void pass_over_rest(recording *r, const framing_listener *listener)
{
    while (r->state == LINE_TOO_LONG && !(r->next > r->begin && r->next[-1] == '\n') &&
           (r->next != r->end || fill_chunk(r)))
        if (r->state == LINE_TOO_LONG)
            push_line(r, listener);
    r->state = LINE_TOO_LONG;
}

/** The next line into r->line. LINE_NONE at the end of the file. */
static line_state read_line(recording *r)
{
    framing_listener listener;

    listener_of(r, &listener);
    r->state = LINE_NONE;
    while (r->state == LINE_NONE && (r->next != r->end || fill_chunk(r)))
        push_line(r, &listener);
    if (r->state == LINE_TOO_LONG)
        pass_over_rest(r, &listener);
    if (r->state == LINE_NONE && framing_finish(r->framing, &listener) > 0)
        r->state = LINE_TORN;
    if (r->state != LINE_NONE)
        r->line_number++;
    return r->state;
}

static recording *fail(recording *r, char *out_error, size_t size, const char *path, const char *what)
{
    if (r && r->line_number > 0)
        snprintf(out_error, size, "%s: line %llu: %s", path, (unsigned long long)r->line_number, what);
    else
        snprintf(out_error, size, "%s: %s", path, what);
    recording_close(r);
    return NULL;
}

recording *recording_open(const char *path, recording_damage_function on_damage, void *context, char *out_error,
                          size_t error_size)
{
    recording *r = calloc(1, sizeof *r);
    char reason[400];
    line_state state;

    if (!r || !(r->framing = framing_create(PROTOCOL_LINE_MAX)))
        return fail(r, out_error, error_size, path, "out of memory");
    r->bytes = recording_bytes_open(path);
    if (!r->bytes)
        return fail(r, out_error, error_size, path, strerror(errno));
    if (bsor_is_one(path))
        return fail(r, out_error, error_size, path,
                    "is a Beat Saber replay; expected a recording, as clashctl convert makes one of it");
    state = read_line(r);
    if (state == LINE_NONE)
        return fail(r, out_error, error_size, path,
                    r->trouble[0] ? r->trouble : "is empty; expected a recording's header");
    r->on_damage = on_damage; /* not before: what leaves nothing to read is said once, as the error */
    r->context = context;
    if (r->trouble[0])
        damaged(r, r->trouble);
    if (state == LINE_TOO_LONG)
        return fail(r, out_error, error_size, path,
                    "is longer than 64 KiB; expected a header, {\"type\":\"recording\",\"version\":1,..}");
    if (!recording_read_header(r->line, r->length, &r->header, reason, sizeof reason))
        return fail(r, out_error, error_size, path, reason);
    r->counters.lines = r->counted = 1;
    return r;
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

void recording_get_extent(const recording *r, uint64_t *out_read_bytes, uint64_t *out_total_bytes)
{
    recording_bytes_get_extent(r->bytes, out_read_bytes, out_total_bytes);
}

void recording_get_place(const recording *r, recording_place *out_place)
{
    const uint64_t taken = r->next ? (uint64_t)(r->next - r->begin) : 0;

    recording_bytes_get_place(r->bytes, &out_place->offset, &out_place->skip);
    *(recording_bytes_is_compressed(r->bytes) ? &out_place->skip : &out_place->offset) += taken;
    out_place->line_number = r->line_number;
}

/** Forgets what was read of a line. */
static void begin_anew(recording *r, uint64_t line_number)
{
    framing_listener listener;

    framing_finish(r->framing, listener_of(r, &listener));
    r->begin = r->next = r->end;
    r->line_number = line_number;
    r->state = LINE_NONE;
}

int recording_go(recording *r, const recording_place *place)
{
    if (recording_bytes_go(r->bytes, place->offset, place->skip) != 0)
        return -1;
    begin_anew(r, place->line_number);
    return 0;
}

int recording_rewind(recording *r)
{
    if (recording_bytes_rewind(r->bytes) != 0)
        return -1;
    begin_anew(r, 0);
    r->counters = (recording_counters){.lines = 1};
    r->counted = 1;
    r->trouble[0] = '\0';
    return read_line(r) == LINE_NONE ? -1 : 0;
}

void recording_close(recording *r)
{
    if (!r)
        return;
    recording_bytes_close(r->bytes);
    framing_destroy(r->framing);
    free(r);
}

/** Whether the line gave an item; else it has been counted, and reported where it was damaged. */
static bool take_line(recording *r, recording_item *item)
{
    char reason[400] = "the line is longer than 64 KiB";
    recording_line_result result = RECORDING_LINE_DAMAGED;
    const bool is_new = r->line_number > r->counted;

    if (is_new) {
        r->counters.lines++;
        r->counted = r->line_number;
    }
    if (r->state != LINE_TOO_LONG && r->length == 0)
        return false;
    if (r->state != LINE_TOO_LONG)
        result = recording_read_line(r->line, r->length, item, reason, sizeof reason);
    if (result == RECORDING_LINE_UNKNOWN && is_new) {
        r->counters.unknown++;
    } else if (result == RECORDING_LINE_DAMAGED && is_new) {
        ++*(r->state == LINE_TORN ? &r->counters.torn : &r->counters.damaged);
        damaged(r, reason);
    }
    return result == RECORDING_LINE_TAKEN;
}

static recording_item_kind finish_item(const recording *r, recording_item *item)
{
    item->line_number = r->line_number;
    item->text = r->line;
    item->text_length = r->length;
    return item->kind;
}

recording_item_kind recording_next(recording *r, recording_item *item)
{
    while (read_line(r) != LINE_NONE) {
        if (!take_line(r, item))
            continue;
        return finish_item(r, item);
    }
    item->kind = RECORDING_END;
    return RECORDING_END;
}

/** Of poses as clashd writes them, the time. */
static bool skim_poses(const recording *r, recording_item *item)
{
    static const char begins[] = "{\"type\":\"poses\",\"time_ns\":";
    const size_t length = sizeof begins - 1;
    char *end;

    if (r->length <= length || memcmp(r->line, begins, length) != 0)
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
    char reason[400];

    while (read_line(r) != LINE_NONE)
        if (r->state != LINE_TOO_LONG && r->length > 0 &&
            (skim_poses(r, item) ||
             recording_read_line(r->line, r->length, item, reason, sizeof reason) == RECORDING_LINE_TAKEN))
            return finish_item(r, item);
    item->kind = RECORDING_END;
    return RECORDING_END;
}

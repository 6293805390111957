/* Reads recordings: see recording.h. This half turns a file into lines, in memory that does not grow with it; what is in a
 * line is recording_line.c's business, what is in the first one recording_header.c's. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framing.h"
#include "recording_private.h"

#define CHUNK 65536

typedef enum line_state { LINE_NONE, LINE_WHOLE, LINE_TORN, LINE_TOO_LONG } line_state;

struct recording {
    FILE *file;
    framing *framing;
    size_t next, end; /* of the chunk: what has not been framed yet */
    int error;        /* errno of a read that failed: the file ends there */
    uint64_t line_number;
    line_state state; /* of what the last framing_push delivered */
    size_t length;
    recording_header header;
    recording_counters counters;
    recording_damage_function on_damage;
    void *context;
    char chunk[CHUNK];
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

/** False at the end of the file. */
static bool fill_chunk(recording *r)
{
    if (ferror(r->file))
        return false;
    r->next = 0;
    r->end = fread(r->chunk, 1, sizeof r->chunk, r->file);
    if (ferror(r->file))
        r->error = errno;
    return r->end > 0;
}

/** Frames up to the next newline, or to the end of the chunk: at most one line comes of it. */
static void push_line(recording *r, const framing_listener *listener)
{
    const char *start = r->chunk + r->next;
    const char *newline = memchr(start, '\n', r->end - r->next);
    size_t length = newline ? (size_t)(newline - start) + 1 : r->end - r->next;

    r->next += length;
    framing_push(r->framing, start, length, listener);
}

/** The next line into r->line. LINE_NONE at the end of the file. */
static line_state read_line(recording *r)
{
    framing_listener listener;

    listener_of(r, &listener);
    r->state = LINE_NONE;
    while (r->state == LINE_NONE && (r->next < r->end || fill_chunk(r)))
        push_line(r, &listener);
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
    r->on_damage = on_damage;
    r->context = context;
    r->file = fopen(path, "re");
    if (!r->file)
        return fail(r, out_error, error_size, path, strerror(errno));
    state = read_line(r);
    if (state == LINE_NONE)
        return fail(r, out_error, error_size, path,
                    r->error ? strerror(r->error) : "is empty; expected a recording's header");
    if (state == LINE_TOO_LONG)
        return fail(r, out_error, error_size, path, "is longer than 64 KiB; expected a recording's header");
    if (!recording_read_header(r->line, r->length, &r->header, reason, sizeof reason))
        return fail(r, out_error, error_size, path, reason);
    r->counters.lines = 1;
    return r;
}

const recording_header *recording_get_header(const recording *r)
{
    return &r->header;
}

const recording_counters *recording_get_counters(const recording *r)
{
    return &r->counters;
}

int recording_rewind(recording *r)
{
    framing_listener listener;

    if (fseek(r->file, 0, SEEK_SET) != 0)
        return -1;
    framing_finish(r->framing, listener_of(r, &listener));
    r->next = r->end = 0;
    clearerr(r->file);
    r->error = 0;
    r->line_number = 0;
    r->counters = (recording_counters){.lines = 1};
    return read_line(r) == LINE_NONE ? -1 : 0;
}

void recording_close(recording *r)
{
    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    framing_destroy(r->framing);
    free(r);
}

/** Whether the line gave an item; else it has been counted, and reported where it was damaged. */
static bool take_line(recording *r, recording_item *item)
{
    char reason[400] = "the line is longer than 64 KiB";
    recording_line_result result = RECORDING_LINE_DAMAGED;

    r->counters.lines++;
    if (r->state != LINE_TOO_LONG && r->length == 0)
        return false;
    if (r->state != LINE_TOO_LONG)
        result = recording_read_line(r->line, r->length, item, reason, sizeof reason);
    if (result == RECORDING_LINE_UNKNOWN) {
        r->counters.unknown++;
    } else if (result == RECORDING_LINE_DAMAGED) {
        ++*(r->state == LINE_TORN ? &r->counters.torn : &r->counters.damaged);
        damaged(r, reason);
    }
    return result == RECORDING_LINE_TAKEN;
}

recording_item_kind recording_next(recording *r, recording_item *item)
{
    while (read_line(r) != LINE_NONE) {
        if (!take_line(r, item))
            continue;
        item->line_number = r->line_number;
        item->text = r->line;
        item->text_length = r->length;
        return item->kind;
    }
    if (r->error) {
        r->line_number++;
        r->counters.damaged++;
        damaged(r, strerror(r->error));
        r->error = 0; /* said once */
    }
    item->kind = RECORDING_END;
    return RECORDING_END;
}

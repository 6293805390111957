/* Bytes to lines: see recording_lines.h. What each step costs is counted as bytes: those that are read, decompressed or
 * framed, and a fee for what takes longer than its bytes say. */
#include "recording_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "protocol/messages/framing.h"

/** What a line costs besides its bytes, were it as short as it may be; and a stretch that cannot be decompressed. */
#define LINE_FEE 128
#define DAMAGE_FEE 65536

struct recording_lines {
    recording_bytes *bytes;
    framing *framing;
    const char *begin;      /* of the chunk */
    const char *next, *end; /* .. what has not been framed yet */
    bool is_passing;        /* over the rest of a line that is too long */
    uint64_t number;
    uint64_t cost, until; /* all in all, and what is allowed of it */
    uint64_t unreadable;  /* since the last line that was one of a recording */
    recording_lines_state state;
    size_t length;
    failure trouble, failure;
    char line[PROTOCOL_LINE_MAX + 1]; /* terminated by zero */
};

static bool on_line(void *context, const char *line, size_t length)
{
    recording_lines *l = context;

    memcpy(l->line, line, length);
    l->line[length] = '\0';
    l->length = length;
    l->state = RECORDING_LINES_WHOLE;
    return true;
}

static bool on_too_long(void *context)
{
    recording_lines *l = context;

    l->state = RECORDING_LINES_TOO_LONG;
    return true;
}

static const framing_listener *listener_of(recording_lines *l, framing_listener *out)
{
    *out = (framing_listener){.context = l, .line = on_line, .too_long = on_too_long};
    return out;
}

recording_lines *recording_lines_open(const char *path, bool only_files, failure *out_failure)
{
    recording_lines *l = calloc(1, sizeof *l);

    if (!l || !(l->framing = framing_create(PROTOCOL_LINE_MAX))) {
        free(l);
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    l->until = UINT64_MAX;
    l->bytes = recording_bytes_open(path, only_files, out_failure);
    if (l->bytes)
        return l;
    recording_lines_close(l);
    return NULL;
}

void recording_lines_close(recording_lines *l)
{
    if (!l)
        return;
    recording_bytes_close(l->bytes);
    framing_destroy(l->framing);
    free(l);
}

/* Drop the part of a line that has been framed. */
static void drop_line(recording_lines *l)
{
    framing_listener listener;

    framing_finish(l->framing, listener_of(l, &listener));
    l->state = RECORDING_LINES_END;
    l->is_passing = false;
}

static void spend(recording_lines *l, uint64_t bytes, bool is_unreadable)
{
    l->cost += bytes;
    l->unreadable += is_unreadable ? bytes : 0;
}

/* SOME if there is something to frame, or may be next time. */
static recording_bytes_result fill_chunk(recording_lines *l)
{
    const bool is_passing = recording_bytes_is_passing(l->bytes);
    uint64_t before, after, total;
    recording_bytes_result result;
    failure now = {0};
    size_t length;

    recording_bytes_get_extent(l->bytes, &before, &total);
    result = recording_bytes_read(l->bytes, &l->next, &length, &now);
    if (now.text[0])
        l->trouble = now;
    recording_bytes_get_extent(l->bytes, &after, &total);
    if (result != RECORDING_BYTES_SOME) {
        l->begin = l->next = l->end;
        return result;
    }
    l->begin = l->next;
    l->end = l->next + length;
    /* On the way to a place as much comes out as ever, and is not looked at. */
    spend(l, (after > before ? after - before : 0) + (is_passing ? (uint64_t)1 << 20 : LINE_FEE),
          !is_passing && length == 0);
    return result;
}

/* Frame up to the next newline, or to the end of the chunk: at most one line comes of it. */
static void push_line(recording_lines *l)
{
    framing_listener listener;
    const char *newline = memchr(l->next, '\n', (size_t)(l->end - l->next));
    const char *end = newline ? newline + 1 : l->end;

    spend(l, (uint64_t)(end - l->next), true);
    if (!l->is_passing)
        framing_push(l->framing, l->next, (size_t)(end - l->next), listener_of(l, &listener));
    else if (newline)
        l->is_passing = false;
    l->next = end;
    if (l->state == RECORDING_LINES_TOO_LONG && !newline) { /* all up to the next newline is its rest */
        drop_line(l);
        l->state = RECORDING_LINES_TOO_LONG;
        l->is_passing = true;
    }
}

static bool is_unreadable(recording_lines *l)
{
    if (l->unreadable <= RECORDING_UNREADABLE_MAX)
        return false;
    fail_with(&l->failure, "no line of a recording in %u bytes: nothing behind them is read", RECORDING_UNREADABLE_MAX);
    drop_line(l);
    l->begin = l->next = l->end;
    return true;
}

/* Pass on that a stretch cannot be read. */
static recording_lines_state lose_bytes(recording_lines *l, recording_bytes_result result)
{
    drop_line(l);
    spend(l, DAMAGE_FEE, true);
    if (result == RECORDING_BYTES_DAMAGED)
        return RECORDING_LINES_DAMAGED;
    if (result == RECORDING_BYTES_TORN)
        return RECORDING_LINES_CUT;
    fail_with(&l->failure, "%.150s", l->trouble.text);
    return RECORDING_LINES_END;
}

/* At the end of the file. */
static recording_lines_state take_rest(recording_lines *l)
{
    framing_listener listener;

    if (framing_finish(l->framing, listener_of(l, &listener)) == 0)
        return RECORDING_LINES_END;
    l->number++;
    return RECORDING_LINES_TORN;
}

void recording_lines_allow(recording_lines *l, uint64_t bytes)
{
    l->until = bytes > 0 ? l->cost + bytes : UINT64_MAX;
}

recording_lines_state recording_lines_read(recording_lines *l)
{
    recording_bytes_result result = RECORDING_BYTES_SOME;

    l->state = RECORDING_LINES_END;
    while (l->state == RECORDING_LINES_END) {
        if (l->failure.text[0] || is_unreadable(l))
            return RECORDING_LINES_END;
        if (l->cost >= l->until)
            return RECORDING_LINES_LATER;
        if (l->next == l->end)
            result = fill_chunk(l);
        if (result == RECORDING_BYTES_END)
            return take_rest(l);
        if (result != RECORDING_BYTES_SOME)
            return lose_bytes(l, result);
        if (l->next != l->end)
            push_line(l);
    }
    spend(l, LINE_FEE, true);
    l->number++;
    return l->state;
}

char *recording_lines_text(recording_lines *l, size_t *out_length)
{
    *out_length = l->length;
    return l->line;
}

uint64_t recording_lines_number(const recording_lines *l)
{
    return l->number;
}

const char *recording_lines_trouble(const recording_lines *l)
{
    return l->trouble.text;
}

void recording_lines_note_good(recording_lines *l)
{
    l->unreadable = 0;
}

const char *recording_lines_failure(const recording_lines *l)
{
    return l->failure.text[0] ? l->failure.text : NULL;
}

void recording_lines_get_place(const recording_lines *l, recording_place *out_place)
{
    const uint64_t taken = l->next ? (uint64_t)(l->next - l->begin) : 0;

    recording_bytes_get_place(l->bytes, &out_place->offset, &out_place->skip);
    *(recording_bytes_is_compressed(l->bytes) ? &out_place->skip : &out_place->offset) += taken;
    out_place->line_number = l->number;
}

int recording_lines_go(recording_lines *l, const recording_place *place)
{
    if (recording_bytes_go(l->bytes, place->offset, place->skip) != 0)
        return -1;
    drop_line(l);
    l->begin = l->next = l->end;
    l->number = place->line_number;
    l->unreadable = 0;
    l->failure.text[0] = '\0';
    return 0;
}

void recording_lines_get_extent(const recording_lines *l, uint64_t *out_read_bytes, uint64_t *out_total_bytes)
{
    recording_bytes_get_extent(l->bytes, out_read_bytes, out_total_bytes);
}

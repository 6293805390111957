/* Bytes to lines: see framing.h. Lines that lie whole in the pushed bytes are not copied. */
#include "framing.h"

#include <stdlib.h>
#include <string.h>

struct framing {
    size_t limit, length;
    bool skipping; /* the line is too long, has been reported, and is dropped up to its newline */
    char bytes[];
};

framing *framing_create(size_t limit)
{
    framing *f = malloc(sizeof *f + limit);

    if (f) {
        f->limit = limit;
        f->length = 0;
        f->skipping = false;
    }
    return f;
}

void framing_destroy(framing *f)
{
    free(f);
}

static bool deliver(const framing_listener *listener, const char *line, size_t length)
{
    if (length > 0 && line[length - 1] == '\r')
        length--;
    return listener->line(listener->context, line, length);
}

/** A whole line, of which the buffer may hold the beginning. */
static bool end_line(framing *f, const char *bytes, size_t length, const framing_listener *listener)
{
    size_t held = f->length;
    bool skipping = f->skipping;

    f->length = 0;
    f->skipping = false;
    if (skipping)
        return true;
    if (held + length + 1 > f->limit)
        return listener->too_long(listener->context);
    if (held == 0)
        return deliver(listener, bytes, length);
    memcpy(f->bytes + held, bytes, length);
    return deliver(listener, f->bytes, held + length);
}

/** Keep the beginning of a line whose newline has not come yet. */
static void keep(framing *f, const char *bytes, size_t length, const framing_listener *listener)
{
    if (f->skipping || length == 0)
        return;
    if (f->length + length + 1 > f->limit) {
        f->skipping = true;
        f->length = 0;
        listener->too_long(listener->context);
        return;
    }
    memcpy(f->bytes + f->length, bytes, length);
    f->length += length;
}

void framing_push(framing *f, const char *bytes, size_t length, const framing_listener *listener)
{
    const char *end = bytes + length;

    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));

        if (!newline) {
            keep(f, bytes, (size_t)(end - bytes), listener);
            return;
        }
        if (!end_line(f, bytes, (size_t)(newline - bytes), listener))
            return;
        bytes = newline + 1;
    }
}

size_t framing_finish(framing *f, const framing_listener *listener)
{
    size_t length = f->length;

    f->length = 0;
    f->skipping = false;
    if (length > 0)
        deliver(listener, f->bytes, length);
    return length;
}

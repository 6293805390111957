/* Outgoing lines: one allocation each, freed with the last reference. See wire_line.h. */
#include "wire_line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_FRAME 0x81
/** A frame's second byte contains a length up to this; for longer frames it contains 126, and two bytes of length
 *  follow. */
#define SHORT_MAX 125
#define LINE_BYTES_MAX 65536

static wire_line *create(const char *bytes, size_t length)
{
    wire_line *line = malloc(sizeof *line + length);

    if (!line)
        return NULL;
    *line = (wire_line){.references = 1, .length = length};
    memcpy(line->bytes, bytes, length);
    return line;
}

/* Write the header at the end of `frame`, right before the line's bytes. */
static void make_header(wire_line *line)
{
    size_t length = line->length - 1;
    char *end = line->frame + WIRE_FRAME_MAX;

    if (length <= SHORT_MAX) {
        line->frame_length = 2;
        end[-1] = (char)length;
    } else {
        line->frame_length = 4;
        end[-3] = SHORT_MAX + 1;
        end[-2] = (char)(length >> 8);
        end[-1] = (char)(length & 255);
    }
    *(end - line->frame_length) = (char)TEXT_FRAME;
}

wire_line *wire_line_create(const char *bytes, size_t length)
{
    assert(length > 0 && length <= LINE_BYTES_MAX && bytes[length - 1] == '\n');
    wire_line *line = create(bytes, length);
    if (line)
        make_header(line);
    return line;
}

wire_line *wire_line_create_raw(const char *bytes, size_t length)
{
    wire_line *line = create(bytes, length);

    if (line)
        line->raw = true;
    return line;
}

wire_span wire_line_span(wire_line *line, bool websocket)
{
    if (!websocket || line->raw)
        return (wire_span){line->bytes, line->length};
    return (wire_span){(char *)line + offsetof(wire_line, bytes) - line->frame_length,
                       line->frame_length + line->length - 1};
}

wire_line *wire_line_reference(wire_line *line)
{
    line->references++;
    return line;
}

void wire_line_release(wire_line *line)
{
    if (!line)
        return;
    assert(line->references > 0);
    if (--line->references == 0)
        free(line);
}

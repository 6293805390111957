/* Lines on their way out: one allocation each, freed with the last reference. See line.h. */
#include "ipc/line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

wire_line *wire_line_create(const char *bytes, size_t length)
{
    assert(length > 0 && bytes[length - 1] == '\n');
    wire_line *line = malloc(sizeof *line + length);
    if (!line)
        return NULL;
    line->references = 1;
    line->length = length;
    memcpy(line->bytes, bytes, length);
    return line;
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

/* One line on its way out, shared by every peer that is to get it: serialised once, copied never. The count of references
 * is not atomic: lines live on the loop's thread. Knows nothing of what the line says. */
#ifndef CLASHD_IPC_LINE_H
#define CLASHD_IPC_LINE_H

#include <stddef.h>

typedef struct wire_line {
    size_t references;
    size_t length; /* newline included */
    char bytes[];
} wire_line;

/** A copy of `length` bytes, which end in a newline, with one reference. NULL when out of memory. */
wire_line *wire_line_create(const char *bytes, size_t length);
wire_line *wire_line_reference(wire_line *line);
/** Frees it with its last reference; accepts NULL. */
void wire_line_release(wire_line *line);

#endif

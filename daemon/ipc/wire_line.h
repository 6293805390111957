/* One line on its way out, shared by every peer that is to get it: serialised once, copied never. Room before its bytes
 * holds the header that makes it a frame of WebSocket, so that both kinds of peers share it. The count of references is
 * not atomic: lines live on the loop's thread. Knows nothing of what the line says. */
#ifndef CLASHD_IPC_WIRE_LINE_H
#define CLASHD_IPC_WIRE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_FRAME_MAX 4

typedef struct wire_line {
    size_t references;
    size_t length;       /* newline included */
    size_t frame_length; /* of its header */
    int64_t stamp_ns;    /* set by the line's maker, see peer_counters; 0: none */
    bool raw;            /* is a frame of WebSocket already */
    char frame[WIRE_FRAME_MAX];
    char bytes[];
} wire_line;

/** What is written for a line. */
typedef struct wire_span {
    char *bytes;
    size_t length;
} wire_span;

/** A copy of `length` bytes, at most 65536, which end in a newline, with one reference. Return NULL when out of memory. */
wire_line *wire_line_create(const char *bytes, size_t length);
/** A frame of WebSocket, for a peer that speaks it. */
wire_line *wire_line_create_raw(const char *bytes, size_t length);
/** The line, or as one text frame of WebSocket, without its newline. */
wire_span wire_line_span(wire_line *line, bool websocket);
wire_line *wire_line_reference(wire_line *line);
/** Free it with its last reference; accept NULL. */
void wire_line_release(wire_line *line);

#endif

/* One outgoing line, shared by every peer that receives it: serialised once, never copied. Space before its bytes
 * contains the header that makes it a WebSocket frame, so both kinds of peers share it. The reference count is not
 * atomic: lines stay on the loop's thread. Does not know the line's content. */
#ifndef CLASHD_IPC_WIRE_LINE_H
#define CLASHD_IPC_WIRE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_FRAME_MAX 4

typedef struct wire_line {
    size_t references;
    size_t length;       /* including the newline */
    size_t frame_length; /* of the frame's header */
    int64_t stamp_ns;    /* set by the line's creator, see peer_counters; 0: none */
    bool raw;            /* is already a WebSocket frame */
    char frame[WIRE_FRAME_MAX];
    char bytes[];
} wire_line;

/** The bytes to write for a line. */
typedef struct wire_span {
    char *bytes;
    size_t length;
} wire_span;

/** Copy `length` bytes, at most 65536, which end in a newline. The line has one reference. Return NULL when out of
 *  memory. */
wire_line *wire_line_create(const char *bytes, size_t length);
/** Copy a complete WebSocket frame, for a WebSocket peer. */
wire_line *wire_line_create_raw(const char *bytes, size_t length);
/** Return the line or, for WebSocket, one text frame without the newline. */
wire_span wire_line_span(wire_line *line, bool websocket);
wire_line *wire_line_reference(wire_line *line);
/** Free the line with its last reference; accepts NULL. */
void wire_line_release(wire_line *line);

#endif

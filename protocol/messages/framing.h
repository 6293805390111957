/* Splits a byte stream into lines. A line over the limit is reported once, skipped to its newline, and costs nothing but
 * itself. Owns a buffer of the limit's size; no I/O. */
#ifndef CLASHD_PROTOCOL_MESSAGES_FRAMING_H
#define CLASHD_PROTOCOL_MESSAGES_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct framing framing;

typedef struct framing_listener {
    void *context;
    /** One line without its newline (a '\r' before it is dropped too); not terminated by zero; valid during the call.
     *  Returns false to stop (the peer is gone): framing_push then returns at once. */
    bool (*line)(void *context, const char *line, size_t length);
    /** A line was longer than the limit and has been dropped. */
    bool (*too_long)(void *context);
} framing_listener;

/** `limit` counts the newline. Return NULL when out of memory. */
framing *framing_create(size_t limit);
void framing_destroy(framing *f);
void framing_push(framing *f, const char *bytes, size_t length, const framing_listener *listener);
/** Deliver the rest without a newline, at the end of a file, as a line. Return its length, 0: there is none. */
size_t framing_finish(framing *f, const framing_listener *listener);

#endif

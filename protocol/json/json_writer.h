/* Writes one JSON text into the caller's buffer, piece by piece; commas are its own business. A piece that does not fit
 * is remembered and spoils the whole: there is never half a line. No allocation, no locale, any thread. */
#ifndef CLASHD_PROTOCOL_JSON_JSON_WRITER_H
#define CLASHD_PROTOCOL_JSON_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_writer {
    char *out;
    size_t size, length;
    bool spoilt;    /* something did not fit */
    bool separated; /* the next value needs no comma: it is the first, or follows a key */
} json_writer;

void json_writer_init(json_writer *w, char *out, size_t size);
/** End the line with a newline. Its length, newline included; 0 if it did not fit. Not terminated by zero. */
size_t json_writer_finish(json_writer *w);

void json_object_begin(json_writer *w);
void json_object_end(json_writer *w);
void json_array_begin(json_writer *w);
void json_array_end(json_writer *w);
/** `key` must need no escaping. */
void json_key(json_writer *w, const char *key);
void json_object_begin_at(json_writer *w, const char *key);
void json_array_begin_at(json_writer *w, const char *key);

/** Control characters, quotes and backslashes are escaped; each byte that is no valid UTF-8 becomes U+FFFD. */
void json_string(json_writer *w, const char *text);
void json_int(json_writer *w, int64_t value);
void json_uint(json_writer *w, uint64_t value);
/** Up to nine digits (`%.9g`): reads back to the same bits. null if it is not finite. */
void json_float(json_writer *w, float value);
void json_bool(json_writer *w, bool value);
void json_null(json_writer *w);
/** A value that is JSON text already. */
void json_raw(json_writer *w, const char *text);

#endif

/* A part of an MCAP file being put together: grows as it is written, numbers low byte first. */
#ifndef CLASHD_OFFLINE_MCAP_BYTES_H
#define CLASHD_OFFLINE_MCAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zeroed at first. */
typedef struct mcap_bytes {
    unsigned char *data;
    size_t length, capacity;
    bool is_spoilt; /* out of memory: do not use the bytes */
} mcap_bytes;

void mcap_put(mcap_bytes *b, const void *bytes, size_t length);
/** Append the lowest bytes of a number, 1 to 8. */
void mcap_put_number(mcap_bytes *b, uint64_t value, size_t bytes);
/** Append a text, its length first. */
void mcap_put_text(mcap_bytes *b, const char *text);
/** A record's opcode and room for its length; returns where that begins, for.. */
size_t mcap_begin_record(mcap_bytes *b, uint8_t opcode);
/** ..its end. */
void mcap_end_record(mcap_bytes *b, size_t place);
/** Room for the length, in 4 bytes, of an array or a map; the same. */
size_t mcap_begin_array(mcap_bytes *b);
void mcap_end_array(mcap_bytes *b, size_t place);
void mcap_bytes_finish(mcap_bytes *b);

#endif

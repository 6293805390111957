/* See mcap_bytes.h; the checksum is mcap_format.h's. */
#include "mcap_bytes.h"

#include "mcap_format.h"

#include <stdlib.h>
#include <string.h>

uint32_t mcap_crc32(uint32_t crc, const void *bytes, size_t length)
{
    static uint32_t table[256];
    const unsigned char *at = bytes;

    for (uint32_t n = 0; table[255] == 0 && n < 256; n++) {
        uint32_t value = n;

        for (int bit = 0; bit < 8; bit++)
            value = value & 1u ? 0xedb88320u ^ (value >> 1) : value >> 1;
        table[n] = value;
    }
    crc = ~crc;
    while (length-- > 0)
        crc = table[(crc ^ *at++) & 0xffu] ^ (crc >> 8);
    return ~crc;
}

void mcap_put(mcap_bytes *b, const void *bytes, size_t length)
{
    if (b->is_spoilt || length == 0)
        return;
    if (length > b->capacity - b->length) {
        const size_t capacity = 2 * b->capacity + length + 256;
        unsigned char *more = realloc(b->data, capacity);

        b->is_spoilt = !more;
        if (!more)
            return;
        b->data = more;
        b->capacity = capacity;
    }
    memcpy(b->data + b->length, bytes, length);
    b->length += length;
}

void mcap_put_number(mcap_bytes *b, uint64_t value, size_t bytes)
{
    unsigned char text[8];

    for (size_t i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> (8 * i));
    mcap_put(b, text, bytes);
}

void mcap_put_text(mcap_bytes *b, const char *text)
{
    const size_t length = strlen(text);

    mcap_put_number(b, length, 4);
    mcap_put(b, text, length);
}

static void end(mcap_bytes *b, size_t place, size_t bytes)
{
    const uint64_t length = b->length - place - bytes;

    for (size_t i = 0; !b->is_spoilt && i < bytes; i++)
        b->data[place + i] = (unsigned char)(length >> (8 * i));
}

size_t mcap_begin_record(mcap_bytes *b, uint8_t opcode)
{
    mcap_put_number(b, opcode, 1);
    mcap_put_number(b, 0, 8);
    return b->length - 8;
}

void mcap_end_record(mcap_bytes *b, size_t place)
{
    end(b, place, 8);
}

size_t mcap_begin_array(mcap_bytes *b)
{
    mcap_put_number(b, 0, 4);
    return b->length - 4;
}

void mcap_end_array(mcap_bytes *b, size_t place)
{
    end(b, place, 4);
}

void mcap_bytes_finish(mcap_bytes *b)
{
    free(b->data);
    *b = (mcap_bytes){0};
}

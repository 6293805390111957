/* Pseudo-random mutations of a corpus: bits, bytes, numbers of every size as bits, words of JSON, pieces cut, doubled,
 * moved, and taken from other files. The same for the same random state on every machine. */
#ifndef CLASHD_TESTS_MUTATE_H
#define CLASHD_TESTS_MUTATE_H

#include <string.h>

#include "support/random.h"

#define MUTATE_SIZE_MAX 98304 /* above the longest line */

typedef struct mutate_file {
    char name[256];
    uint8_t *data;
    size_t size;
} mutate_file;

static const uint32_t mutate_floats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
    0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x5f000000, 0x2f800000, 0x3f7fffff, 0x3f800001,
};

static const uint64_t mutate_doubles[] = {
    0, 0x3ff0000000000000, 0x3fe0000000000000, 0x8000000000000000, 0x7ff0000000000000, 0x7ff8000000000000,
    1, 0x7fefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0xbff0000000000000, 0x0010000000000000,
};

static const char *const mutate_words[] = {
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "\"\"",
    "0",
    "-0",
    "1e999",
    "-1e-999",
    "1e38",
    "3.5e38",
    "9007199254740992",
    "9007199254740991",
    "-9007199254740993",
    "18446744073709551616",
    "1e-46",
    "0.1",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\xf0\x9f\x97\xa1",
    "\xff",
    "\xc0\x80",
    "\"type\":",
    "\"id\":1,",
    "\"time_ns\":",
    "\n",
    "\r\n",
    ",",
    ":",
    "\"",
    "\\",
    "[[[[[[[[",
    "]]]]",
    "{\"a\":",
    "}",
    " ",
    "\t",
    "NaN",
    "Infinity",
    "\"more\":true,",
    "\"edge\":",
};

#define MUTATE_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static inline size_t mutate_at(random_state *r, size_t size)
{
    return size > 0 ? (size_t)random_below(r, (int)size) : 0;
}

/** Writes over, up to the end; returns the size, which stays. */
static inline void mutate_overwrite(uint8_t *data, size_t size, size_t at, const void *with, size_t length)
{
    if (at < size)
        memcpy(data + at, with, length < size - at ? length : size - at);
}

/** Opens a gap of `length` at `at` and fills it; `with` must not lie in `data`. */
static inline size_t mutate_insert(uint8_t *data, size_t size, size_t at, const void *with, size_t length)
{
    if (length > MUTATE_SIZE_MAX - size)
        return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, with, length);
    return size + length;
}

static inline size_t mutate_remove(uint8_t *data, size_t size, size_t at, size_t length)
{
    if (length > size - at)
        length = size - at;
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
}

/** Numbers in files of raw bits lie at multiples of their size, more often than not. */
static inline void mutate_number(random_state *r, uint8_t *data, size_t size)
{
    size_t at = mutate_at(r, size);

    if (random_below(r, 4))
        at &= ~(size_t)3;
    if (random_below(r, 3)) {
        mutate_overwrite(data, size, at, &mutate_floats[random_below(r, MUTATE_COUNT(mutate_floats))], 4);
    } else if (random_below(r, 2)) {
        mutate_overwrite(data, size, at, &mutate_doubles[random_below(r, MUTATE_COUNT(mutate_doubles))], 8);
    } else {
        float other = (float)random_in(r, -2, 2);

        mutate_overwrite(data, size, at, &other, 4);
    }
}

static inline size_t mutate_piece(random_state *r, const mutate_file *other, uint8_t *data, size_t size)
{
    uint8_t piece[512];
    size_t length = (size_t)random_below(r, random_below(r, 4) ? 24 : 512);
    const uint8_t *source = random_below(r, 2) ? data : other->data;
    size_t source_size = source == data ? size : other->size, from = mutate_at(r, source_size);

    if (length > source_size - from)
        length = source_size - from;
    memcpy(piece, source + from, length);
    if (random_below(r, 2))
        return mutate_insert(data, size, mutate_at(r, size + 1), piece, length);
    mutate_overwrite(data, size, mutate_at(r, size), piece, length);
    return size;
}

static inline size_t mutate_once(random_state *r, const mutate_file *other, uint8_t *data, size_t size)
{
    const char *word = mutate_words[random_below(r, MUTATE_COUNT(mutate_words))];
    size_t at = mutate_at(r, size);
    uint8_t byte = (uint8_t)random_bits(r);

    switch (random_below(r, 8)) {
    case 0:
        if (size > 0)
            data[at] = (uint8_t)(data[at] ^ (1u << random_below(r, 8)));
        return size;
    case 1:
        mutate_overwrite(data, size, at, &byte, 1);
        return size;
    case 2:
        return mutate_remove(data, size, at, 1 + mutate_at(r, random_below(r, 4) ? 8 : 200));
    case 3:
        return mutate_insert(data, size, at, word, strlen(word));
    case 4:
        mutate_overwrite(data, size, at, word, strlen(word));
        return size;
    case 5:
        return mutate_piece(r, other, data, size);
    default:
        mutate_number(r, data, size);
        return size;
    }
}

/** Fills `data` (of MUTATE_SIZE_MAX) with `from`, changed in one to a few dozen places. Returns its size. */
static inline size_t mutate(random_state *r, const mutate_file *files, size_t count, const mutate_file *from,
                            uint8_t *data)
{
    int changes = 1 + random_below(r, random_below(r, 4) ? 4 : 40);
    size_t size = from->size;

    memcpy(data, from->data, size);
    for (int i = 0; i < changes; i++)
        size = mutate_once(r, &files[random_below(r, (int)count)], data, size);
    return size;
}

#endif

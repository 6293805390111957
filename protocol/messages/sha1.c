/* SHA-1 by RFC 3174, base64 by RFC 4648. See sha1.h. */
#include "sha1.h"

#include <assert.h>
#include <string.h>

#define BLOCK_BYTES 64
#define BLOCKS_MAX 2

static uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + 0x5a827999u;
    if (round < 40)
        return (b ^ c ^ d) + 0x6ed9eba1u;
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    return (b ^ c ^ d) + 0xca62c1d6u;
}

static void add_block(uint32_t state[5], const uint8_t block[BLOCK_BYTES])
{
    uint32_t words[80], s[5];

    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   (uint32_t)block[4 * i + 3];
    for (size_t i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 80; i++) {
        uint32_t next = rotate(s[0], 5) + mix(i, s[1], s[2], s[3]) + s[4] + words[i];

        s[4] = s[3];
        s[3] = s[2];
        s[2] = rotate(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (size_t i = 0; i < 5; i++)
        state[i] += s[i];
}

void sha1_of(const char *bytes, size_t length, uint8_t out_digest[SHA1_BYTES])
{
    uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    uint8_t padded[BLOCKS_MAX * BLOCK_BYTES] = {0};
    size_t end = (length + 9 + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;

    assert(end <= sizeof padded);
    memcpy(padded, bytes, length);
    padded[length] = 0x80;
    padded[end - 2] = (uint8_t)(length * 8 >> 8);
    padded[end - 1] = (uint8_t)(length * 8);
    for (size_t i = 0; i < end; i += BLOCK_BYTES)
        add_block(state, padded + i);
    for (size_t i = 0; i < SHA1_BYTES; i++)
        out_digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void base64_of(const uint8_t *bytes, size_t length, char *out_text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t out = 0;

    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);

        for (unsigned shift = 24; shift > 0;) {
            shift -= 6;
            out_text[out++] = letters[group >> shift & 63];
        }
        for (size_t missing = left; missing < 3; missing++)
            out_text[out - 3 + missing] = '=';
    }
    out_text[out] = '\0';
}

/* Text to numbers: to the bit what strtod makes of it, many times faster if that takes no more than one division, as nearly
 * always. Allocates nothing; any thread. */
#ifndef CLASHD_PROTOCOL_JSON_NUMBER_READ_H
#define CLASHD_PROTOCOL_JSON_NUMBER_READ_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Digits that are taken together. */
#define NUMBER_READ_BLOCK 8
/** Up to here a double holds every integer. */
#define NUMBER_READ_EXACT (UINT64_C(1) << DBL_MANT_DIG)
/** Digits that surely fit into 64 bits. */
#define NUMBER_READ_DIGITS 19
/** The largest power of ten that a double holds exactly, as 5^22 < 2^53. */
#define NUMBER_READ_POWER 22

/** Value and count of the digits at the beginning of eight characters, all at once: Daniel Lemire, "Quickly parsing eight digits",
 *  https://lemire.me/blog/2022/01/21/swar-explained-parsing-eight-digits/, where fewer are moved to the end. */
static inline size_t number_read_block(const char *at, uint64_t *out_value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    uint64_t block, other;
    size_t count;

    memcpy(&block, at, sizeof block);
    /* Not 0 in each byte that is no digit, from the first such one on. */
    other = ((block & high) ^ zeros) | (((block + UINT64_C(0x0606060606060606)) & high) ^ zeros);
    count = other == 0 ? NUMBER_READ_BLOCK : (size_t)__builtin_ctzll(other) / 8;
    block = count == 0 ? 0 : block << (8 * (NUMBER_READ_BLOCK - count));
    block = ((block & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561) >> 8;
    block = ((block & UINT64_C(0x00ff00ff00ff00ff)) * 6553601) >> 16;
    *out_value = ((block & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001)) >> 32;
    return count;
#else
    size_t count = 0;

    for (*out_value = 0; count < NUMBER_READ_BLOCK && at[count] >= '0' && at[count] <= '9'; count++)
        *out_value = *out_value * 10 + (uint64_t)(at[count] - '0');
    return count;
#endif
}

/** All digits there are, behind those that *value has. Return NULL if they are over NUMBER_READ_DIGITS with `before` others; else what
 *  stands behind them. `end`: what may be read ends there. */
static inline const char *number_read_digits(const char *at, const char *end, size_t before, uint64_t *value)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char *begin = at;
    size_t count = NUMBER_READ_BLOCK;

    while (count == NUMBER_READ_BLOCK && end - at >= NUMBER_READ_BLOCK) {
        uint64_t block;

        count = number_read_block(at, &block);
        if (before + (size_t)(at - begin) + count > NUMBER_READ_DIGITS)
            return NULL;
        *value = *value * powers[count] + block;
        at += count;
    }
    if (count < NUMBER_READ_BLOCK)
        return at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (before + (size_t)(at - begin) == NUMBER_READ_DIGITS)
            return NULL;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/** The exponent behind 'e'. Return NULL if it is none, or has more than three digits. */
static inline const char *number_read_exponent(const char *at, const char *end, int *out_exponent)
{
    const bool is_negative = at < end && *at == '-';
    uint64_t value = 0;
    const char *begin, *behind;

    at += at < end && (*at == '-' || *at == '+');
    begin = at;
    behind = number_read_digits(begin, end, NUMBER_READ_DIGITS - 3, &value);
    if (!behind || behind == begin)
        return NULL;
    *out_exponent = is_negative ? -(int)value : (int)value;
    return behind;
}

/** number_read if there is more to do. */
const char *number_read_slowly(const char *at, const char *end, double *out);

/** number_read; NULL also if it takes more than this can. Clinger, "How to read floating point numbers accurately", PLDI 1990: an integer and a power of ten that
 *  are both exact round once. */
static inline const char *number_read_quickly(const char *at, const char *end, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool is_negative = at < end && *at == '-';
    const char *begin = at + is_negative, *point;
    uint64_t digits = 0;
    int power = 0;
    double value;

    at = begin < end && *begin == '0' ? begin + 1 : number_read_digits(begin, end, 0, &digits);
    if (!at || at == begin)
        return NULL;
    if (at < end && *at == '.') {
        point = at + 1;
        at = number_read_digits(point, end, (size_t)(at - begin), &digits);
        if (!at || at == point)
            return NULL;
        power = -(int)(at - point);
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        int exponent = 0;

        at = number_read_exponent(at + 1, end, &exponent);
        power += exponent;
    }
    if (!at || FLT_EVAL_METHOD != 0 || digits > NUMBER_READ_EXACT || power < -NUMBER_READ_POWER ||
        power > NUMBER_READ_POWER)
        return NULL;
    value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *out = is_negative ? -value : value;
    return at;
}

/** A JSON number (RFC 8259, 6) at `at`, up to `end` at most: what stands behind it, and its value, rounded to nearest. Return NULL if there is
 *  none, or one that no double holds or of more than JSON_TEXT_NUMBER_MAX characters. */
static inline const char *number_read(const char *at, const char *end, double *out)
{
    const char *behind = number_read_quickly(at, end, out);

    return behind ? behind : number_read_slowly(at, end, out);
}

#endif

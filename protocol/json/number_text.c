/* Numbers to text: see number_text.h. A float is m 2^e with m below 2^24, so nine digits of it are exact integer
 * arithmetic: round(m 2^e 10^p), halves to even as the C library does. Numbers that "%.9g" writes with an exponent, which
 * are rare in a room measured in metres, are left to the C library. */
#include "number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 9

typedef unsigned __int128 wide_uint;

static const uint64_t powers_of_ten[] = {1u,           10u,           100u,           1000u,          10000u,
                                         100000u,      1000000u,      10000000u,      100000000u,     1000000000u,
                                         10000000000u, 100000000000u, 1000000000000u, 10000000000000u};

size_t number_text_uint(char *out, uint64_t value)
{
    char reversed[NUMBER_TEXT_MAX];
    size_t length = 0;

    do {
        reversed[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    return length;
}

size_t number_text_int(char *out, int64_t value)
{
    if (value >= 0)
        return number_text_uint(out, (uint64_t)value);
    out[0] = '-';
    return 1 + number_text_uint(out + 1, 0 - (uint64_t)value);
}

/** round(m 2^e 10^p) for 0 <= p <= 13 and -64 < e < 40: fits into 64 bits if the result has nine or ten digits. */
static uint64_t scaled(uint32_t m, int e, int p)
{
    wide_uint product = (wide_uint)m * powers_of_ten[p];
    wide_uint half, rest, whole;

    if (e >= 0)
        return (uint64_t)(product << e);
    half = (wide_uint)1 << (-e - 1);
    whole = product >> -e;
    rest = product & (((wide_uint)1 << -e) - 1);
    return (uint64_t)whole + (rest > half || (rest == half && (whole & 1)) ? 1u : 0u);
}

/** Nine digits d.ddddddddd times 10^exponent, -4 <= exponent < 9, in fixed notation without zeros at the end. */
static size_t put_fixed(char *out, uint64_t digits, int exponent)
{
    static const char zeros[] = {'0', '.', '0', '0', '0'};
    char text[DIGITS];
    size_t length = 0;
    int last = DIGITS - 1;

    for (int i = DIGITS - 1; i >= 0; i--) {
        text[i] = (char)('0' + digits % 10);
        digits /= 10;
    }
    while (last > 0 && text[last] == '0')
        last--;
    if (exponent < 0) {
        memcpy(out, zeros, sizeof zeros);
        length = (size_t)(1 - exponent);
    }
    for (int i = 0; i <= last || i <= exponent; i++) {
        if (exponent >= 0 && i == exponent + 1)
            out[length++] = '.';
        out[length++] = i <= last ? text[i] : '0';
    }
    return length;
}

/** Whatever stands for the decimal point in the program's locale, of one byte or several, becomes a point. */
static size_t plain_number(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if ((*from >= '0' && *from <= '9') || *from == '-' || *from == '+' || *from == 'e')
            *to++ = *from;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    return (size_t)(to - text);
}

static size_t put_with_exponent(char *out, float value)
{
    char text[32];
    size_t length;

    snprintf(text, sizeof text, "%.9g", (double)value);
    length = plain_number(text);
    memcpy(out, text, length);
    return length;
}

size_t number_text_float(char *out, float value)
{
    float size = fabsf(value);
    size_t sign = signbit(value) ? 1 : 0;
    int e, exponent;
    uint32_t m;
    uint64_t digits;

    out[0] = '-';
    if (size == 0.0f) {
        out[sign] = '0';
        return sign + 1;
    }
    if (!(size >= 1e-4f && size < 1e9f))
        return put_with_exponent(out, value);
    m = (uint32_t)ldexpf(frexpf(size, &e), 24);
    e -= 24;
    /* size is in 2^(e + 23) .. 2^(e + 24): its decimal exponent is this or one more (0.30103 = log10 2, from below). */
    exponent = (int)floor((double)(e + 23) * 0.30102999);
    if (exponent < DIGITS - 1 && scaled(m, e, DIGITS - 1 - exponent) >= powers_of_ten[DIGITS])
        exponent++;
    /* 1e-4f itself lies just below 1e-4: there the C library changes to an exponent. */
    if (exponent < -4 || exponent >= DIGITS)
        return put_with_exponent(out, value);
    digits = scaled(m, e, DIGITS - 1 - exponent);
    return sign + put_fixed(out + sign, digits, exponent);
}

/* See percent.h. */
#include "percent.h"

#include <string.h>

static const char digits[] = "0123456789ABCDEF";

static bool is_plain(unsigned char c, const char *reserved)
{
    return c > ' ' && c < 0x7f && c != '%' && !strchr(reserved, c);
}

bool percent_encode(const char *text, const char *reserved, char *out, size_t size)
{
    size_t used = 0;

    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (used + (is_plain(c, reserved) ? 1 : 3) >= size)
            return false;
        if (is_plain(c, reserved)) {
            out[used++] = *text;
            continue;
        }
        out[used++] = '%';
        out[used++] = digits[c >> 4];
        out[used++] = digits[c & 15];
    }
    if (used >= size)
        return false;
    out[used] = '\0';
    return true;
}

static int digit_of(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

bool percent_decode(const char *text, size_t length, const char *reserved, char *out, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        int high, low;

        if (used + 1 >= size)
            return false;
        if (text[i] != '%') {
            if (!is_plain((unsigned char)text[i], reserved))
                return false;
            out[used++] = text[i];
            continue;
        }
        high = length - i > 2 ? digit_of(text[i + 1]) : -1;
        low = high < 0 ? -1 : digit_of(text[i + 2]);
        if (low < 0 || high * 16 + low == 0 || is_plain((unsigned char)(high * 16 + low), reserved))
            return false;
        out[used++] = (char)(high * 16 + low);
        i += 2;
    }
    if (used >= size)
        return false;
    out[used] = '\0';
    return true;
}

/* See printable.h. */
#include "printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

static uint32_t code_of(const unsigned char *bytes, size_t length)
{
    uint32_t code = length == 1 ? bytes[0] : (uint32_t)bytes[0] & (0x7fu >> length);

    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3fu);
    return code;
}

static int is_steering(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t printable_length(const char *text, size_t *out_length)
{
    const size_t length = utf8_length(text, strnlen(text, 4));

    *out_length = length > 0 ? length : 1;
    return length == 0 || is_steering(code_of((const unsigned char *)text, length)) ? *out_length : 0;
}

const char *printable(const char *text, char *out, size_t size)
{
    size_t used = 0, length;

    for (; *text; text += length) {
        const size_t escaped = printable_length(text, &length);
        char shown[20];

        if (*text == '\n')
            snprintf(shown, sizeof shown, "\\n");
        else if (escaped == 0)
            snprintf(shown, sizeof shown, "%.*s", (int)length, text);
        else
            for (size_t i = 0; i < escaped; i++)
                snprintf(shown + 4 * i, sizeof shown - 4 * i, "\\x%02x", (unsigned char)text[i]);
        if (used + strlen(shown) >= size)
            break;
        memcpy(out + used, shown, strlen(shown));
        used += strlen(shown);
    }
    out[used] = '\0';
    return out;
}

const char *printable_json(const char *text, char *out, size_t size)
{
    size_t used = 0, length;

    for (; *text && used + 6 < size; text += length) {
        const size_t escaped = printable_length(text, &length);

        if (escaped > 0 && utf8_length(text, strnlen(text, 4)) > 0) {
            snprintf(out + used, size - used, "\\u%04x", (unsigned)code_of((const unsigned char *)text, length));
            used += 6;
        } else {
            memcpy(out + used, text, length);
            used += length;
        }
    }
    out[used] = '\0';
    return out;
}

/* UTF-8; see utf8.h. The table is that of RFC 3629, section 4: the first byte decides the length and which second bytes
 * are allowed. */
#include "utf8.h"

static const struct {
    unsigned char low, high, second_low, second_high;
    size_t length;
} forms[] = {
    {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

size_t utf8_length(const char *bytes, size_t available)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t form = 0;

    while (form < sizeof forms / sizeof forms[0] && (s[0] < forms[form].low || s[0] > forms[form].high))
        form++;
    if (form == sizeof forms / sizeof forms[0] || forms[form].length > available)
        return 0;
    if (forms[form].length > 1 && (s[1] < forms[form].second_low || s[1] > forms[form].second_high))
        return 0;
    for (size_t i = 2; i < forms[form].length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return forms[form].length;
}

size_t utf8_count(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

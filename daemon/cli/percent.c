/* See percent.h. */
#include "percent.h"

#include <string.h>

bool percent_encode(const char *text, const char *reserved, char *out, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = 0;

    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_plain = c > ' ' && c < 0x7f && c != '%' && !strchr(reserved, c);

        if (used + (is_plain ? 1 : 3) >= size)
            return false;
        if (is_plain) {
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

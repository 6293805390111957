/* What takes more than a division: see number_read.h. */
#include "number_read.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "json_text.h"

static const char *pass_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* What stands behind the number; NULL if there is none. */
static const char *pass_number(const char *at, const char *end)
{
    const char *begin = at + (at < end && *at == '-'), *part;

    at = begin < end && *begin == '0' ? begin + 1 : pass_digits(begin, end);
    if (at == begin)
        return NULL;
    if (at < end && *at == '.') {
        part = at + 1;
        at = pass_digits(part, end);
        if (at == part)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        part = at + 1;
        part += part < end && (*part == '-' || *part == '+');
        at = pass_digits(part, end);
        if (at == part)
            return NULL;
    }
    return at;
}

const char *number_read_slowly(const char *at, const char *end, double *out)
{
    const char *behind = pass_number(at, end);
    const size_t length = behind ? (size_t)(behind - at) : 0;
    char text[JSON_TEXT_NUMBER_MAX + 1], *taken;
    locale_t plain; /* a program's own locale may have another decimal point; glibc allocates nothing for this one */

    if (length == 0 || length > JSON_TEXT_NUMBER_MAX)
        return NULL;
    memcpy(text, at, length);
    text[length] = '\0';
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return NULL;
    *out = strtod_l(text, &taken, plain);
    freelocale(plain);
    return taken == text + length && isfinite(*out) ? behind : NULL;
}

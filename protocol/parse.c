/* Lines to checked JSON: see parse.h. */
#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** Index of the first byte that is no valid UTF-8 or is zero; `length` where there is none. cJSON takes any bytes. */
static size_t first_bad_byte(const unsigned char *s, size_t length)
{
    size_t i = 0;

    while (i < length) {
        unsigned char c = s[i];
        size_t more = c < 0x80                 ? 0
                      : c >= 0xc2 && c <= 0xdf ? 1
                      : c >= 0xe0 && c <= 0xef ? 2
                      : c >= 0xf0 && c <= 0xf4 ? 3
                                               : 9;

        if (c == 0 || more == 9 || i + more >= length + (more == 0))
            return i;
        for (size_t k = 1; k <= more; k++)
            if ((s[i + k] & 0xc0) != 0x80)
                return i;
        /* overlong forms, surrogates, beyond U+10FFFF */
        if ((c == 0xe0 && s[i + 1] < 0xa0) || (c == 0xed && s[i + 1] > 0x9f) || (c == 0xf0 && s[i + 1] < 0x90) ||
            (c == 0xf4 && s[i + 1] > 0x8f))
            return i;
        i += more + 1;
    }
    return length;
}

/** A key that stands twice in one object, or a number that became infinite, anywhere below; NULL where there is none. */
static const char *first_trouble(const cJSON *value, const char **out_what)
{
    const cJSON *child;

    if (cJSON_IsNumber(value) && !isfinite(value->valuedouble)) {
        *out_what = "a number is out of range";
        return value->string ? value->string : "";
    }
    cJSON_ArrayForEach(child, value)
    {
        const char *below;

        for (const cJSON *other = child->next; cJSON_IsObject(value) && other; other = other->next) {
            if (strcmp(child->string, other->string) == 0) {
                *out_what = "a key stands twice";
                return child->string;
            }
        }
        below = first_trouble(child, out_what);
        if (below)
            return below;
    }
    return NULL;
}

static bool only_spaces(const char *text, const char *end)
{
    for (; text < end; text++)
        if (*text != ' ' && *text != '\t' && *text != '\r')
            return false;
    return true;
}

static cJSON *refuse(cJSON *value, char *out_error, size_t size, const char *what, const char *where)
{
    snprintf(out_error, size, "%s%s%.40s%s", what, where[0] ? " at \"" : "", where, where[0] ? "\"" : "");
    cJSON_Delete(value);
    return NULL;
}

cJSON *parse_line(const char *line, size_t length, char *out_error, size_t size)
{
    const char *end = line, *what = NULL, *key;
    size_t bad = first_bad_byte((const unsigned char *)line, length);
    cJSON *value;

    if (bad < length) {
        snprintf(out_error, size, "byte %zu (0x%02x) is no valid UTF-8 text", bad, (unsigned char)line[bad]);
        return NULL;
    }
    value = cJSON_ParseWithLengthOpts(line, length, &end, 0);
    if (!value) {
        size_t at = end && end >= line && end <= line + length ? (size_t)(end - line) : 0;

        snprintf(out_error, size, "not JSON: expected one object, it breaks off at byte %zu: \"%.*s\"", at,
                 (int)(length - at < 20 ? length - at : 20), line + at);
        return NULL;
    }
    if (!only_spaces(end, line + length))
        return refuse(value, out_error, size, "expected one object a line, something follows it", "");
    key = first_trouble(value, &what);
    if (key)
        return refuse(value, out_error, size, what, key);
    return value;
}

const char *parse_string(const cJSON *object, const char *key, const char *otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

float parse_float(const cJSON *object, const char *key, float otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? (float)item->valuedouble : otherwise;
}

bool parse_bool(const cJSON *object, const char *key, bool otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : otherwise;
}

int64_t parse_int(const cJSON *object, const char *key, int64_t otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : otherwise;
}

clash_vec3 parse_vec3(const cJSON *array)
{
    const cJSON *x = array ? array->child : NULL, *y = x ? x->next : NULL, *z = y ? y->next : NULL;

    return z ? (clash_vec3){(float)x->valuedouble, (float)y->valuedouble, (float)z->valuedouble}
             : (clash_vec3){0.0f, 0.0f, 0.0f};
}

clash_quat parse_quat(const cJSON *array)
{
    const cJSON *x = array ? array->child : NULL, *y = x ? x->next : NULL, *z = y ? y->next : NULL;
    const cJSON *w = z ? z->next : NULL;

    return w ? (clash_quat){(float)x->valuedouble, (float)y->valuedouble, (float)z->valuedouble, (float)w->valuedouble}
             : (clash_quat){0.0f, 0.0f, 0.0f, 0.0f};
}

bool parse_fits_float(const cJSON *value)
{
    const cJSON *child;

    if (cJSON_IsNumber(value))
        return isfinite((float)value->valuedouble);
    cJSON_ArrayForEach(child, value)
    {
        if (!parse_fits_float(child))
            return false;
    }
    return true;
}

/* Lines to checked JSON: see parse.h. */
#include "parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/json/json_text.h"

/* Beyond this neighbouring integers cannot be told apart: numbers in JSON are doubles. */
#define LARGEST_INTEGER INT64_C(9007199254740991)
/* Up to this many keys, comparing each with each is the fastest. */
#define FEW_MEMBERS 24

const char parse_out_of_memory[] = "out of memory";

/** Return whether every number below is one that a double holds: cJSON makes 1e999 infinite. */
static bool is_finite(const cJSON *value)
{
    const cJSON *child;

    if (cJSON_IsNumber(value))
        return isfinite(value->valuedouble);
    cJSON_ArrayForEach(child, value)
    {
        if (!is_finite(child))
            return false;
    }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** A key that stands twice among the `count` members of one object; NULL if there is none, or no memory to look. */
static const char *doubled_among_many(const cJSON *object, size_t count)
{
    const char **keys = malloc(count * sizeof *keys), *doubled = NULL;
    const cJSON *member;
    size_t i = 0;

    if (!keys)
        return NULL;
    cJSON_ArrayForEach(member, object)
    {
        keys[i++] = member->string;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (i = 1; i < count && !doubled; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            doubled = keys[i];
    free(keys);
    return doubled;
}

/** Sorted if there are many: whoever sends an object of ten thousand keys must not stop everybody else's events. */
static const char *doubled_key(const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object);

    if (count > FEW_MEMBERS)
        return doubled_among_many(object, count);
    for (const cJSON *member = object->child; member; member = member->next)
        for (const cJSON *other = member->next; other; other = other->next)
            if (strcmp(member->string, other->string) == 0)
                return member->string;
    return NULL;
}

/** A key that stands twice in one object anywhere below. */
static const char *doubled_below(const cJSON *value)
{
    const char *doubled = cJSON_IsObject(value) ? doubled_key(value) : NULL;

    for (const cJSON *child = value->child; child && !doubled; child = child->next)
        if (child->child)
            doubled = doubled_below(child);
    return doubled;
}

/** Skip a byte order mark, which some editors write first and parsers may skip (RFC 8259, 8.1); cJSON does not always. */
static size_t mark_length(const char *line, size_t length)
{
    return length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool parse_is_blank(const char *line, size_t length)
{
    for (size_t i = mark_length(line, length); i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

cJSON *parse_line(const char *line, size_t length, failure *out_failure)
{
    size_t mark = mark_length(line, length);
    failure reason = {0};
    const char *doubled;
    cJSON *value;

    if (!json_text_check(line + mark, length - mark, &reason)) {
        fail_with(out_failure, "not JSON: %s", reason.text);
        return NULL;
    }
    value = cJSON_ParseWithLength(line + mark, length - mark);
    doubled = value ? doubled_below(value) : NULL;
    if (value && !doubled && is_finite(value))
        return value;
    if (!value)
        fail_with(out_failure, "%s", parse_out_of_memory);
    else if (!is_finite(value))
        fail_with(out_failure, "a number is out of range");
    else
        fail_with(out_failure, "the key \"%.40s\" stands twice", doubled);
    cJSON_Delete(value);
    return NULL;
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

    if (!cJSON_IsNumber(item))
        return otherwise;
    if (item->valuedouble > (double)LARGEST_INTEGER)
        return LARGEST_INTEGER;
    return item->valuedouble < (double)-LARGEST_INTEGER ? -LARGEST_INTEGER : (int64_t)item->valuedouble;
}

bool parse_integer(const cJSON *value, int64_t *out_value)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : 0.5;

    if (!(fabs(number) <= (double)LARGEST_INTEGER) || floor(number) != number)
        return false;
    *out_value = (int64_t)number;
    return true;
}

bool parse_copy(const cJSON *value, char *out, size_t size)
{
    size_t length = strlen(value->valuestring);

    if (length >= size) {
        out[0] = '\0';
        return false;
    }
    memcpy(out, value->valuestring, length + 1);
    return true;
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

static uint32_t parse_uint32(const cJSON *object, const char *key, uint32_t otherwise)
{
    const int64_t value = parse_int(object, key, otherwise);

    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

clash_layers parse_layers(const cJSON *object)
{
    return clash_layers_of(parse_uint32(object, "layers", CLASH_LAYERS_DEFAULT),
                           parse_uint32(object, "mask", CLASH_MASK_DEFAULT));
}

const char *parse_blade_properties(const cJSON *object, clash_blade_properties *out)
{
#define TAKE(type, member, key, otherwise)                                \
    if (cJSON_GetObjectItemCaseSensitive(object, key) &&                  \
        !parse_fits_float(cJSON_GetObjectItemCaseSensitive(object, key))) \
        return key;                                                       \
    out->member = parse_##type(object, key, otherwise);
    CLASH_BLADE_PROPERTIES(TAKE)
#undef TAKE
    out->is_disabled = !parse_bool(object, "enabled", true);
    out->layers = parse_layers(object);
    return NULL;
}

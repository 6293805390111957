/* Schemas and values in words: see describe.h. */
#include "describe.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What does not fit is cut off. */
static void append(char *out, size_t size, const char *text)
{
    size_t length = strlen(out), more = strlen(text);

    if (more > size - length - 1)
        more = size - length - 1;
    memcpy(out + length, text, more);
    out[length + more] = '\0';
}

static const cJSON *number_of(const cJSON *schema, const char *keyword)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(schema, keyword);

    return cJSON_IsNumber(n) ? n : NULL;
}

/** As short as it reads back to the same number. */
static void append_number(char *out, size_t size, const char *before, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    append(out, size, before);
    append(out, size, text);
}

/** " from 0 to 1", or with a unit " of 1 to 64 items". */
static void append_range(char *out, size_t size, const cJSON *least, const cJSON *most, const char *unit)
{
    bool single = least && most && least->valuedouble == most->valuedouble;

    if (!least && !most)
        return;
    if (least)
        append_number(out, size,
                      single || (most && unit[0]) ? " of "
                      : most                      ? " from "
                                                  : " of at least ",
                      least->valuedouble);
    if (most && !single)
        append_number(out, size, least ? " to " : " of at most ", most->valuedouble);
    append(out, size, unit);
}

static void append_array(char *out, size_t size, const cJSON *schema)
{
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items");
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(items, "type");
    char unit[40];

    snprintf(unit, sizeof unit, " %s%s", cJSON_IsString(type) ? type->valuestring : "item", "s");
    append(out, size, "an array");
    append_range(out, size, number_of(schema, "minItems"), number_of(schema, "maxItems"), unit);
}

static void append_type(char *out, size_t size, const cJSON *schema, const char *type)
{
    const cJSON *above = number_of(schema, "exclusiveMinimum"), *most = number_of(schema, "maximum");

    if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) {
        append(out, size, type[0] == 'i' ? "an " : "a ");
        append(out, size, type);
        if (above)
            append_number(out, size, " above ", above->valuedouble);
        if (above && most)
            append_number(out, size, ", at most ", most->valuedouble);
        else if (!above)
            append_range(out, size, number_of(schema, "minimum"), most, "");
    } else if (strcmp(type, "string") == 0) {
        append(out, size, "a string");
        append_range(out, size, number_of(schema, "minLength"), number_of(schema, "maxLength"), " characters");
    } else if (strcmp(type, "array") == 0) {
        append_array(out, size, schema);
    } else if (strcmp(type, "boolean") == 0) {
        append(out, size, "true or false");
    } else if (strcmp(type, "object") == 0) {
        append(out, size, "an object");
    } else {
        append(out, size, type);
    }
}

static void append_list(char *out, size_t size, const cJSON *values)
{
    const char *comma = "";
    const cJSON *one;

    append(out, size, "one of ");
    cJSON_ArrayForEach(one, values)
    {
        char text[80];

        schema_describe_value(one, text, sizeof text);
        append(out, size, comma);
        append(out, size, text);
        comma = ", ";
    }
}

void schema_describe(const cJSON *schema, char *out, size_t size)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type"), *one;
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const cJSON *fixed = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const char *between = "";

    out[0] = '\0';
    if (fixed) {
        schema_describe_value(fixed, out, size);
    } else if (values) {
        append_list(out, size, values);
    } else if (cJSON_IsString(type)) {
        append_type(out, size, schema, type->valuestring);
    } else if (type) {
        cJSON_ArrayForEach(one, type)
        {
            append(out, size, between);
            append_type(out, size, schema, one->valuestring);
            between = " or ";
        }
    } else {
        append(out, size, "something else");
    }
}

void schema_describe_value(const cJSON *value, char *out, size_t size)
{
    char *text = cJSON_PrintUnformatted(value);
    size_t length = text ? strlen(text) : 0;

    if (!text) {
        snprintf(out, size, "something that cannot be printed");
        return;
    }
    if (length >= size && size > 4) {
        length = size - 4;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--; /* never within a character */
        snprintf(out, size, "%.*s...", (int)length, text);
    } else {
        snprintf(out, size, "%s", text);
    }
    cJSON_free(text);
}

void schema_describe_keys(const cJSON *properties, char *out, size_t size)
{
    const char *comma = "";
    const cJSON *one;

    out[0] = '\0';
    cJSON_ArrayForEach(one, properties)
    {
        append(out, size, comma);
        append(out, size, one->string);
        comma = ", ";
    }
}

/** How many characters must be put in, left out or changed to make one key of the other. Keys of schemas are short. */
static size_t distance(const char *key, const char *known)
{
    size_t row[64], length = strlen(known);

    assert(length < sizeof row / sizeof row[0]);
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 0; key[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t k = 0; k < length; k++) {
            size_t changed = diagonal + (key[i] != known[k]);
            size_t longer = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;

            diagonal = row[k + 1];
            row[k + 1] = changed < longer ? changed : longer;
        }
    }
    return row[length];
}

const char *schema_closest_key(const cJSON *properties, const char *key)
{
    /* One character in three may be wrong, and the key that is asked for ("hold_rate") may lack a short ending. */
    size_t length = strlen(key), least = length / 3 + 1;
    const char *closest = NULL;
    const cJSON *one;

    if (length > 60)
        return NULL;
    cJSON_ArrayForEach(one, properties)
    {
        size_t d = distance(key, one->string);

        if (d <= least && d < strlen(one->string) && (!closest || d < least)) {
            least = d;
            closest = one->string;
        }
    }
    return closest;
}

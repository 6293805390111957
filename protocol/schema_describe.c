/* Schemas and values in words: see schema_describe.h. */
#include "schema_describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void append(char *out, size_t size, const char *format, ...)
{
    size_t length = strlen(out);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(out + length, size - length, format, arguments);
    va_end(arguments);
}

static const cJSON *number_of(const cJSON *schema, const char *keyword)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(schema, keyword);

    return cJSON_IsNumber(n) ? n : NULL;
}

static void append_range(char *out, size_t size, const cJSON *least, const cJSON *most, const char *unit)
{
    if (least && most && least->valuedouble == most->valuedouble)
        append(out, size, " of %.12g%s", least->valuedouble, unit);
    else if (least && most)
        append(out, size, " from %.12g to %.12g%s", least->valuedouble, most->valuedouble, unit);
    else if (least)
        append(out, size, " of at least %.12g%s", least->valuedouble, unit);
    else if (most)
        append(out, size, " of at most %.12g%s", most->valuedouble, unit);
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
    const cJSON *above = number_of(schema, "exclusiveMinimum");

    if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) {
        append(out, size, "%s %s", type[0] == 'i' ? "an" : "a", type);
        if (above)
            append(out, size, " above %.12g", above->valuedouble);
        if (above && number_of(schema, "maximum"))
            append(out, size, " and");
        append_range(out, size, number_of(schema, "minimum"), number_of(schema, "maximum"), "");
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
        append(out, size, "%s", type);
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
        append(out, size, "%s%s", comma, text);
        comma = ", ";
    }
}

void schema_describe(const cJSON *schema, char *out, size_t size)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type"), *one;
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const cJSON *fixed = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const char * or = "";

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
            append(out, size, "%s", or);
            append_type(out, size, schema, one->valuestring);
            or = " or ";
        }
    } else {
        append(out, size, "something else");
    }
}

void schema_describe_value(const cJSON *value, char *out, size_t size)
{
    char *text = cJSON_PrintUnformatted(value);

    if (!text) {
        snprintf(out, size, "something that cannot be printed");
        return;
    }
    snprintf(out, size, "%s", text);
    if (strlen(text) >= size && size > 4)
        memcpy(out + size - 4, "...", 4);
    cJSON_free(text);
}

void schema_describe_keys(const cJSON *properties, char *out, size_t size)
{
    const char *comma = "";
    const cJSON *one;

    out[0] = '\0';
    cJSON_ArrayForEach(one, properties)
    {
        append(out, size, "%s%s", comma, one->string);
        comma = ", ";
    }
}

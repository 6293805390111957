/* A schema in words: the text of error messages. See compile.h. */
#include "compile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *get(const cJSON *schema, const char *keyword)
{
    return cJSON_GetObjectItemCaseSensitive(schema, keyword);
}

/** As short as it reads back to the same number. */
static void put_number(FILE *out, const char *before, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fprintf(out, "%s%s", before, text);
}

/** " from 0 to 1", or with a unit " of 1 to 64 items". */
static void put_range(FILE *out, const cJSON *least, const cJSON *most, const char *unit)
{
    bool single = least && most && least->valuedouble == most->valuedouble;

    if (!least && !most)
        return;
    if (least)
        put_number(out, single || (most && unit[0]) ? " of " : most ? " from " : " of at least ", least->valuedouble);
    if (most && !single)
        put_number(out, least ? " to " : " of at most ", most->valuedouble);
    fputs(unit, out);
}

static void put_type(FILE *out, const cJSON *schema, const char *type)
{
    const cJSON *above = get(schema, "exclusiveMinimum"), *most = get(schema, "maximum");

    if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) {
        fprintf(out, "%s %s", type[0] == 'i' ? "an" : "a", type);
        if (above)
            put_number(out, " above ", above->valuedouble);
        if (above && most)
            put_number(out, ", at most ", most->valuedouble);
        else if (!above)
            put_range(out, get(schema, "minimum"), most, "");
    } else if (strcmp(type, "string") == 0) {
        fputs("a string", out);
        put_range(out, get(schema, "minLength"), get(schema, "maxLength"), " characters");
    } else if (strcmp(type, "array") == 0) {
        const cJSON *of = get(get(schema, "items"), "type");
        char unit[40];

        snprintf(unit, sizeof unit, " %ss", cJSON_IsString(of) ? of->valuestring : "item");
        fputs("an array", out);
        put_range(out, get(schema, "minItems"), get(schema, "maxItems"), unit);
    } else {
        fputs(strcmp(type, "boolean") == 0 ? "true or false" : strcmp(type, "object") == 0 ? "an object" : type, out);
    }
}

void schema_put_words(FILE *out, const cJSON *schema)
{
    const cJSON *type = get(schema, "type"), *values = get(schema, "enum"), *fixed = get(schema, "const"), *one;
    const char *between = "";

    if (fixed) {
        fprintf(out, "\"%s\"", fixed->valuestring);
    } else if (values) {
        fputs("one of ", out);
        cJSON_ArrayForEach(one, values)
        {
            fprintf(out, "%s\"%s\"", between, one->valuestring);
            between = ", ";
        }
    } else if (cJSON_IsString(type)) {
        put_type(out, schema, type->valuestring);
    } else if (type) {
        cJSON_ArrayForEach(one, type)
        {
            fputs(between, out);
            put_type(out, schema, one->valuestring);
            between = " or ";
        }
    } else {
        fputs("something else", out);
    }
}

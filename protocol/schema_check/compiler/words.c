/* A schema in words: the text of error messages. See compile.h. */
#include "compile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
    const cJSON *above = schema_get(schema, "exclusiveMinimum"), *most = schema_get(schema, "maximum");

    if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0) {
        fprintf(out, "%s %s", type[0] == 'i' ? "an" : "a", type);
        if (above)
            put_number(out, " above ", above->valuedouble);
        if (above && most)
            put_number(out, ", at most ", most->valuedouble);
        else if (!above)
            put_range(out, schema_get(schema, "minimum"), most, "");
    } else if (strcmp(type, "string") == 0) {
        fputs("a string", out);
        put_range(out, schema_get(schema, "minLength"), schema_get(schema, "maxLength"), " characters");
    } else if (strcmp(type, "array") == 0) {
        const cJSON *of = schema_get(schema_get(schema, "items"), "type");
        char unit[40];

        snprintf(unit, sizeof unit, " %ss", cJSON_IsString(of) ? of->valuestring : "item");
        fputs("an array", out);
        put_range(out, schema_get(schema, "minItems"), schema_get(schema, "maxItems"), unit);
    } else {
        fputs(strcmp(type, "boolean") == 0 ? "true or false" : strcmp(type, "object") == 0 ? "an object" : type, out);
    }
}

void schema_put_words(FILE *out, const cJSON *schema)
{
    const cJSON *type = schema_get(schema, "type"), *values = schema_get(schema, "enum"),
                *fixed = schema_get(schema, "const"), *one;
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

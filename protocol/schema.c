/* A validator for the part of JSON Schema that our schemas use: see schema.h. A protocol_schema is its parsed text. */
#include "schema.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "schema_describe.h"
#include "schema_table.h"

#define SCHEMAS_MAX 64
#define PATH_MAX_LENGTH 256

static cJSON *parsed[SCHEMAS_MAX];
static pthread_once_t parse_once = PTHREAD_ONCE_INIT;

static void parse_all(void)
{
    for (size_t i = 0; i < SCHEMAS_MAX && schema_table[i].name; i++)
        parsed[i] = cJSON_Parse(schema_table[i].text);
}

const char *protocol_schema_name(size_t i)
{
    for (size_t k = 0; k <= i && k < SCHEMAS_MAX; k++)
        if (!schema_table[k].name)
            return NULL;
    return i < SCHEMAS_MAX ? schema_table[i].name : NULL;
}

const protocol_schema *protocol_schema_get(const char *name)
{
    pthread_once(&parse_once, parse_all);
    for (size_t i = 0; i < SCHEMAS_MAX && schema_table[i].name; i++)
        if (strcmp(schema_table[i].name, name) == 0)
            return (const protocol_schema *)parsed[i];
    return NULL;
}

/** A walk through a value: where it is, and where its first mistake goes. */
typedef struct walk {
    char path[PATH_MAX_LENGTH];
    char *out;
    size_t size;
} walk;

__attribute__((format(printf, 2, 3))) static int mistake(walk *w, const char *format, ...)
{
    va_list arguments;
    int start = w->path[0] ? snprintf(w->out, w->size, "%s: ", w->path) : 0;

    va_start(arguments, format);
    if (start >= 0 && (size_t)start < w->size)
        vsnprintf(w->out + start, w->size - (size_t)start, format, arguments);
    va_end(arguments);
    return -1;
}

static int expected(walk *w, const cJSON *schema, const cJSON *value)
{
    char allowed[256], found[80];

    schema_describe(schema, allowed, sizeof allowed);
    schema_describe_value(value, found, sizeof found);
    return mistake(w, "expected %s, got %s", allowed, found);
}

/** The schema itself, or what its $ref points to: "..common.schema.json#/$defs/NAME". */
static const cJSON *resolve(const cJSON *schema)
{
    const cJSON *ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref");
    const char *name = cJSON_IsString(ref) ? strstr(ref->valuestring, "#/$defs/") : NULL;
    const cJSON *common, *defs;

    if (!name)
        return schema;
    common = (const cJSON *)protocol_schema_get("common");
    defs = cJSON_GetObjectItemCaseSensitive(common, "$defs");
    return cJSON_GetObjectItemCaseSensitive(defs, name + strlen("#/$defs/"));
}

static bool is_type(const cJSON *value, const char *type)
{
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(value);
    if (strcmp(type, "array") == 0)
        return cJSON_IsArray(value);
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(value);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(value);
    if (strcmp(type, "null") == 0)
        return cJSON_IsNull(value);
    if (strcmp(type, "number") == 0)
        return cJSON_IsNumber(value);
    return strcmp(type, "integer") == 0 && cJSON_IsNumber(value) && floor(value->valuedouble) == value->valuedouble;
}

static bool type_allows(const cJSON *type, const cJSON *value)
{
    const cJSON *one;

    if (!type)
        return true;
    if (cJSON_IsString(type))
        return is_type(value, type->valuestring);
    cJSON_ArrayForEach(one, type)
    {
        if (is_type(value, one->valuestring))
            return true;
    }
    return false;
}

static bool number_is_in(const cJSON *schema, const char *keyword, double value, int sign, bool exclusive)
{
    const cJSON *bound = cJSON_GetObjectItemCaseSensitive(schema, keyword);
    double above = cJSON_IsNumber(bound) ? sign * (value - bound->valuedouble) : 1.0;

    return exclusive ? above > 0.0 : above >= 0.0;
}

/** Characters, as JSON Schema counts: UTF-8's leading bytes. */
static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static bool size_is_in(const cJSON *schema, const char *least, const char *most, size_t size)
{
    return number_is_in(schema, least, (double)size, 1, false) && number_is_in(schema, most, (double)size, -1, false);
}

static bool is_one_of(const cJSON *schema, const cJSON *value)
{
    const cJSON *fixed = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(schema, "enum"), *one;

    if (fixed && !cJSON_Compare(fixed, value, true))
        return false;
    if (!all)
        return true;
    cJSON_ArrayForEach(one, all)
    {
        if (cJSON_Compare(one, value, true))
            return true;
    }
    return false;
}

static bool scalar_allows(const cJSON *schema, const cJSON *value)
{
    if (!type_allows(cJSON_GetObjectItemCaseSensitive(schema, "type"), value) || !is_one_of(schema, value))
        return false;
    if (cJSON_IsNumber(value))
        return isfinite(value->valuedouble) && number_is_in(schema, "minimum", value->valuedouble, 1, false) &&
               number_is_in(schema, "maximum", value->valuedouble, -1, false) &&
               number_is_in(schema, "exclusiveMinimum", value->valuedouble, 1, true);
    if (cJSON_IsString(value))
        return size_is_in(schema, "minLength", "maxLength", characters(value->valuestring));
    if (cJSON_IsArray(value))
        return size_is_in(schema, "minItems", "maxItems", (size_t)cJSON_GetArraySize(value));
    return true;
}

static int check(walk *w, const cJSON *schema, const cJSON *value);

/** Checks a part of a value with its name or index added to the path. */
static int check_part(walk *w, const cJSON *schema, const cJSON *value, const char *name, size_t index)
{
    size_t length = strlen(w->path);
    int result;

    if (name)
        snprintf(w->path + length, sizeof w->path - length, "%s%s", length ? "." : "", name);
    else
        snprintf(w->path + length, sizeof w->path - length, "[%zu]", index);
    result = check(w, schema, value);
    w->path[length] = '\0';
    return result;
}

static int check_items(walk *w, const cJSON *schema, const cJSON *value)
{
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items"), *one;
    size_t index = 0;

    if (!items)
        return 0;
    cJSON_ArrayForEach(one, value)
    {
        if (check_part(w, items, one, NULL, index++) < 0)
            return -1;
    }
    return 0;
}

static int unknown_key(walk *w, const cJSON *properties, const char *key)
{
    char known[400];

    schema_describe_keys(properties, known, sizeof known);
    return mistake(w, "unknown key \"%.60s\"; allowed are %s", key, known);
}

static int check_members(walk *w, const cJSON *schema, const cJSON *value)
{
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required"), *one;
    bool closed = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties"));

    cJSON_ArrayForEach(one, required)
    {
        if (!cJSON_GetObjectItemCaseSensitive(value, one->valuestring))
            return mistake(w, "\"%s\" is missing", one->valuestring);
    }
    cJSON_ArrayForEach(one, value)
    {
        const cJSON *property = cJSON_GetObjectItemCaseSensitive(properties, one->string);

        if (!property && closed)
            return unknown_key(w, properties, one->string);
        if (property && check_part(w, property, one, one->string, 0) < 0)
            return -1;
    }
    return 0;
}

static int check(walk *w, const cJSON *schema, const cJSON *value)
{
    schema = resolve(schema);
    if (!scalar_allows(schema, value))
        return expected(w, schema, value);
    if (cJSON_IsArray(value))
        return check_items(w, schema, value);
    if (cJSON_IsObject(value))
        return check_members(w, schema, value);
    return 0;
}

int protocol_schema_validate(const protocol_schema *schema, const cJSON *value, char *out_error, size_t size)
{
    walk w = {.out = out_error, .size = size};

    return check(&w, (const cJSON *)schema, value);
}

static bool has_unknown_keyword(const cJSON *schema, char *out, size_t size)
{
    static const char *const known[] = {"type",        "const",
                                        "enum",        "properties",
                                        "required",    "additionalProperties",
                                        "items",       "minItems",
                                        "maxItems",    "minLength",
                                        "maxLength",   "minimum",
                                        "maximum",     "exclusiveMinimum",
                                        "$ref",        "title",
                                        "description", "default",
                                        "$id",         "$schema",
                                        "$defs",       "$comment",
                                        "examples"};
    const cJSON *one, *part;

    cJSON_ArrayForEach(one, schema)
    {
        bool found = false;

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found = found || strcmp(one->string, known[i]) == 0;
        if (!found) {
            snprintf(out, size, "%s", one->string);
            return true;
        }
        if (strcmp(one->string, "items") == 0 && has_unknown_keyword(one, out, size))
            return true;
        if (strcmp(one->string, "properties") != 0 && strcmp(one->string, "$defs") != 0)
            continue;
        cJSON_ArrayForEach(part, one)
        {
            if (has_unknown_keyword(part, out, size))
                return true;
        }
    }
    return false;
}

bool protocol_schema_unknown_keyword(const protocol_schema *schema, char *out_keyword, size_t size)
{
    return has_unknown_keyword((const cJSON *)schema, out_keyword, size);
}

/* A validator for the part of JSON Schema that our schemas use: see schema.h. Follows the compiled schema, never the value
 * alone, so a value's depth costs nothing. Where it is, it knows by names out of schemas, and by
 * others only if they are plain. */
#include "schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"
#include "node.h"

const char *protocol_schema_name(size_t i)
{
    size_t k = 0;

    while (k < i && schema_table[k].name)
        k++;
    return schema_table[k].name;
}

const protocol_schema *protocol_schema_get(const char *name)
{
    for (const schema_row *row = schema_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row->schema;
    return NULL;
}

/** A part of the value by its name or, if that is NULL, its index; the whole is NULL. */
typedef struct place {
    const struct place *around;
    const char *name;
    size_t index;
} place;

static void put_place(const place *at, char *out, size_t size)
{
    size_t length;

    if (!at)
        return;
    put_place(at->around, out, size);
    length = strlen(out);
    if (at->name)
        snprintf(out + length, size - length, "%s%s", length ? "." : "", at->name);
    else
        snprintf(out + length, size - length, "[%zu]", at->index);
}

__attribute__((format(printf, 3, 4))) static int mistake(failure *f, const place *at, const char *format, ...)
{
    char where[FAILURE_MAX] = "", what[FAILURE_MAX];
    va_list arguments;

    put_place(at, where, sizeof where);
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail_int(f, "%s%s%s", where, *where ? ": " : "", what);
}

static int expected(failure *f, const place *at, const protocol_schema *schema, const cJSON *value)
{
    const char *near = schema_closest_value(schema, value);
    char found[80];

    schema_describe_value(value, found, sizeof found);
    if (near)
        return mistake(f, at, "expected %s, got %s, is it \"%s\"?", schema->expected, found, near);
    return mistake(f, at, "expected %s, got %s", schema->expected, found);
}

static unsigned type_of(const cJSON *value)
{
    switch (value->type & 0xff) {
    case cJSON_Object:
        return SCHEMA_OBJECT;
    case cJSON_Array:
        return SCHEMA_ARRAY;
    case cJSON_String:
        return SCHEMA_STRING;
    case cJSON_Number:
        return floor(value->valuedouble) == value->valuedouble ? SCHEMA_NUMBER | SCHEMA_INTEGER : SCHEMA_NUMBER;
    case cJSON_True:
    case cJSON_False:
        return SCHEMA_BOOLEAN;
    default:
        return SCHEMA_NULL;
    }
}

/** Characters, as JSON Schema counts: UTF-8's leading bytes. */
static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static bool is_one_of(const char *const *values, const cJSON *value)
{
    while (*values && cJSON_IsString(value) && strcmp(*values, value->valuestring) != 0)
        values++;
    return *values && cJSON_IsString(value);
}

static bool size_is_in(size_t least, size_t most, size_t size)
{
    return least <= size && size <= most;
}

/** All that can be said without a look at the parts. */
static bool allows(const protocol_schema *schema, const cJSON *value)
{
    unsigned type = type_of(value);
    double number = value->valuedouble;

    if ((schema->types && !(schema->types & type)) || (schema->values && !is_one_of(schema->values, value)))
        return false;
    if (type & SCHEMA_NUMBER)
        return isfinite(number) && number >= schema->minimum && number <= schema->maximum && number > schema->above;
    if (type == SCHEMA_STRING && (schema->length_min > 0 || schema->length_max < SIZE_MAX))
        return size_is_in(schema->length_min, schema->length_max, characters(value->valuestring));
    if (type == SCHEMA_ARRAY && (schema->items_min > 0 || schema->items_max < SIZE_MAX))
        return size_is_in(schema->items_min, schema->items_max, (size_t)cJSON_GetArraySize(value));
    return true;
}

static int check(failure *f, const place *at, const protocol_schema *schema, const cJSON *value);

static int check_items(failure *f, const place *at, const protocol_schema *schema, const cJSON *value)
{
    place here = {.around = at};
    const cJSON *one;

    if (!schema->items)
        return 0;
    cJSON_ArrayForEach(one, value)
    {
        if (check(f, &here, schema->items, one) < 0)
            return -1;
        here.index++;
    }
    return 0;
}

static size_t find_member(const protocol_schema *schema, const char *name)
{
    size_t i = 0;

    while (i < schema->member_count && strcmp(schema->members[i].name, name) != 0)
        i++;
    return i;
}

static int unknown_key(failure *f, const place *at, const protocol_schema *schema, const char *key)
{
    cJSON text = {.type = cJSON_String, .valuestring = (char *)(uintptr_t)key};
    const char *near = schema_closest_key(schema, key);
    char known[400], found[80];

    schema_describe_keys(schema, known, sizeof known);
    schema_describe_value(&text, found, sizeof found);
    if (near)
        return mistake(f, at, "unknown key %s, is it \"%s\"? Allowed are %s", found, near, known);
    return mistake(f, at, "unknown key %s; allowed are %s", found, known);
}

static int missing_key(failure *f, const place *at, const protocol_schema *schema, uint64_t missing)
{
    size_t i = 0;

    while (!(missing >> i & 1))
        i++;
    return mistake(f, at, "\"%s\" is missing", schema->members[i].name);
}

/** Return the name, or NULL if it is long or has other characters than such names need. */
static const char *plain_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-");

    return length > 0 && length < 128 && !name[length] ? name : NULL;
}

/** `at` is the object, `index` the member's place in it: its name is the value's, and may be anything. */
static int check_other(failure *f, const place *at, const protocol_schema *schema, size_t index, const cJSON *value)
{
    place here = {.around = at, .name = plain_name(value->string), .index = index};

    if (schema->closed)
        return unknown_key(f, at, schema, value->string);
    return schema->others ? check(f, &here, schema->others, value) : 0;
}

static int check_members(failure *f, const place *at, const protocol_schema *schema, const cJSON *value)
{
    place here = {.around = at};
    uint64_t missing = schema->required;
    size_t index = 0;
    const cJSON *one;

    cJSON_ArrayForEach(one, value)
    {
        size_t i = find_member(schema, one->string);

        index++;
        if (i == schema->member_count) {
            if (check_other(f, at, schema, index - 1, one) < 0)
                return -1;
            continue;
        }
        missing &= ~(UINT64_C(1) << i);
        here.name = schema->members[i].name;
        if (schema->members[i].schema && check(f, &here, schema->members[i].schema, one) < 0)
            return -1;
    }
    return missing ? missing_key(f, at, schema, missing) : 0;
}

static int check(failure *f, const place *at, const protocol_schema *schema, const cJSON *value)
{
    if (!allows(schema, value))
        return expected(f, at, schema, value);
    if (cJSON_IsArray(value))
        return check_items(f, at, schema, value);
    if (cJSON_IsObject(value))
        return check_members(f, at, schema, value);
    return 0;
}

bool protocol_schema_has_member(const protocol_schema *schema, const char *name)
{
    size_t i = find_member(schema, name);

    return i < schema->member_count && schema->members[i].schema;
}

int protocol_schema_validate(const protocol_schema *schema, const cJSON *value, failure *out_failure)
{
    return check(out_failure, NULL, schema, value);
}

/* See compile.h. */
#include "compile.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../node.h"

/* Deeper than any schema of ours: a $ref that comes back to itself ends here. */
#define DEPTH_MAX 16
#define NO_NODE SIZE_MAX

typedef struct member {
    const char *name;
    size_t node; /* NO_NODE: only required */
} member;

static cJSON_bool is_anything(const cJSON *value)
{
    (void)value;
    return true;
}

static cJSON_bool is_size(const cJSON *value)
{
    return cJSON_IsNumber(value) && value->valuedouble >= 0.0 && value->valuedouble < 1e15;
}

static cJSON_bool is_strings(const cJSON *value)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, value)
    {
        if (!cJSON_IsString(one))
            return false;
    }
    return cJSON_IsArray(value);
}

static cJSON_bool is_objects(const cJSON *value)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, value)
    {
        if (!cJSON_IsObject(one))
            return false;
    }
    return cJSON_IsObject(value) && cJSON_GetArraySize(value) <= SCHEMA_MEMBERS_MAX;
}

static cJSON_bool is_false_or_object(const cJSON *value)
{
    return cJSON_IsFalse(value) || cJSON_IsObject(value);
}

static unsigned type_bit(const cJSON *name)
{
    static const char *const names[] = {"object", "array", "string", "number", "integer", "boolean", "null"};

    for (size_t i = 0; cJSON_IsString(name) && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name->valuestring, names[i]) == 0)
            return 1u << i;
    return 0;
}

static unsigned type_bits(const cJSON *value)
{
    unsigned bits = type_bit(value);
    const cJSON *one;

    cJSON_ArrayForEach(one, value)
    {
        if (type_bit(one) == 0)
            return 0;
        bits |= type_bit(one);
    }
    return bits;
}

static cJSON_bool is_type(const cJSON *value)
{
    return type_bits(value) != 0;
}

static const struct {
    const char *keyword;
    cJSON_bool (*is_understood)(const cJSON *value);
    bool external_ref; /* does not restrict values, so it may stand beside a $ref */
} keywords[] = {
    {"type", is_type, false},           {"const", cJSON_IsString, false},
    {"enum", is_strings, false},        {"properties", is_objects, false},
    {"required", is_strings, false},    {"additionalProperties", is_false_or_object, false},
    {"items", cJSON_IsObject, false},   {"minItems", is_size, false},
    {"maxItems", is_size, false},       {"minLength", is_size, false},
    {"maxLength", is_size, false},      {"minimum", cJSON_IsNumber, false},
    {"maximum", cJSON_IsNumber, false}, {"exclusiveMinimum", cJSON_IsNumber, false},
    {"$defs", is_objects, false},       {"$ref", is_anything, true},
    {"$id", is_anything, true},         {"$schema", is_anything, true},
    {"title", is_anything, true},       {"description", is_anything, true},
    {"default", is_anything, true},     {"examples", is_anything, true},
};

/* "x-": what our own documents are made of. */
static bool is_understood(const cJSON *keyword, bool external_ref)
{
    if (strncmp(keyword->string, "x-", 2) == 0)
        return true;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i].keyword, keyword->string) == 0)
            return (keywords[i].external_ref || !external_ref) && keywords[i].is_understood(keyword);
    return false;
}

static void check_keywords(schema_compilation *c, const cJSON *text, bool external_ref)
{
    const cJSON *keyword;

    cJSON_ArrayForEach(keyword, text)
    {
        if (!c->unknown && !is_understood(keyword, external_ref))
            c->unknown = keyword->string;
    }
}

void schema_put_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text >= ' ' && *text < 127 && !strchr("\"\\?", *text))
            putc(*text, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*text);
    }
    putc('"', out);
}

static void put_number(FILE *out, const char *field, const cJSON *value, const char *otherwise)
{
    if (value)
        fprintf(out, ", .%s = %.17g", field, value->valuedouble);
    else if (otherwise)
        fprintf(out, ", .%s = %s", field, otherwise);
}

static void put_words(schema_compilation *c, const cJSON *text)
{
    char *words = NULL;
    size_t size;
    FILE *out = open_memstream(&words, &size);

    if (!out)
        abort();
    schema_put_words(out, text);
    fclose(out);
    fprintf(c->nodes, "    {.expected = ");
    schema_put_string(c->nodes, words);
    free(words);
}

static void put_values(schema_compilation *c, const cJSON *values, const cJSON *fixed)
{
    const cJSON *one;

    if (!values && !fixed)
        return;
    values = fixed ? NULL : values; /* which say no more */
    fprintf(c->arrays, "static const char *const values_%zu[] = {", c->count);
    cJSON_ArrayForEach(one, values)
    {
        schema_put_string(c->arrays, one->valuestring);
        fprintf(c->arrays, ", ");
    }
    if (fixed) {
        schema_put_string(c->arrays, fixed->valuestring);
        fprintf(c->arrays, ", ");
    }
    fprintf(c->arrays, "0};\n");
    fprintf(c->nodes, ", .values = values_%zu", c->count);
}

/** The members that have a schema, then those that are only required. */
static size_t compile_members(schema_compilation *c, const cJSON *text, member members[SCHEMA_MEMBERS_MAX],
                              uint64_t *out_required)
{
    size_t count = 0;
    const cJSON *one;

    cJSON_ArrayForEach(one, schema_get(text, "properties"))
    {
        members[count++] = (member){one->string, schema_compile(c, one)};
    }
    cJSON_ArrayForEach(one, schema_get(text, "required"))
    {
        size_t i = 0;

        while (i < count && strcmp(members[i].name, one->valuestring) != 0)
            i++;
        if (i == SCHEMA_MEMBERS_MAX) {
            c->unknown = c->unknown ? c->unknown : "required";
            break;
        }
        if (i == count)
            members[count++] = (member){one->valuestring, NO_NODE};
        *out_required |= UINT64_C(1) << i;
    }
    return count;
}

static void put_members(schema_compilation *c, const member *members, size_t count, uint64_t required)
{
    if (count == 0)
        return;
    fprintf(c->arrays, "static const schema_member members_%zu[] = {", c->count);
    for (size_t i = 0; i < count; i++) {
        fprintf(c->arrays, "{");
        schema_put_string(c->arrays, members[i].name);
        if (members[i].node == NO_NODE)
            fprintf(c->arrays, ", 0}, ");
        else
            fprintf(c->arrays, ", schema_nodes + %zu}, ", members[i].node);
    }
    fprintf(c->arrays, "};\n");
    fprintf(c->nodes, ", .members = members_%zu, .member_count = %zu, .required = UINT64_C(%llu)", c->count, count,
            (unsigned long long)required);
}

static size_t compile_part(schema_compilation *c, const cJSON *part)
{
    return cJSON_IsObject(part) ? schema_compile(c, part) : NO_NODE;
}

static void put_part(FILE *out, const char *field, size_t node)
{
    if (node != NO_NODE)
        fprintf(out, ", .%s = schema_nodes + %zu", field, node);
}

/** Write what it points to first: a node's index is known once it is written. */
static size_t compile_here(schema_compilation *c, const cJSON *text)
{
    const cJSON *additional = schema_get(text, "additionalProperties"), *one;
    member members[SCHEMA_MEMBERS_MAX];
    size_t items, others, count;
    uint64_t required = 0;

    check_keywords(c, text, false);
    if (c->unknown)
        return NO_NODE;
    cJSON_ArrayForEach(one, schema_get(text, "$defs"))
    {
        schema_compile(c, one);
    }
    items = compile_part(c, schema_get(text, "items"));
    others = compile_part(c, additional);
    count = compile_members(c, text, members, &required);
    put_words(c, text);
    fprintf(c->nodes, ", .types = %uu", type_bits(schema_get(text, "type")));
    put_values(c, schema_get(text, "enum"), schema_get(text, "const"));
    put_number(c->nodes, "minimum", schema_get(text, "minimum"), "-INFINITY");
    put_number(c->nodes, "maximum", schema_get(text, "maximum"), "INFINITY");
    put_number(c->nodes, "above", schema_get(text, "exclusiveMinimum"), "-INFINITY");
    put_number(c->nodes, "length_min", schema_get(text, "minLength"), NULL);
    put_number(c->nodes, "length_max", schema_get(text, "maxLength"), "SIZE_MAX");
    put_number(c->nodes, "items_min", schema_get(text, "minItems"), NULL);
    put_number(c->nodes, "items_max", schema_get(text, "maxItems"), "SIZE_MAX");
    put_part(c->nodes, "items", items);
    put_part(c->nodes, "others", others);
    put_members(c, members, count, required);
    fprintf(c->nodes, "%s},\n", cJSON_IsFalse(additional) ? ", .closed = true" : "");
    c->compiled[c->count] = text;
    return c->count++;
}

/** What a $ref points to: "common.schema.json#/$defs/NAME", "../" before it or not. Return NULL if there is no such thing. */
static const cJSON *target_of(const schema_compilation *c, const cJSON *ref)
{
    static const char file[] = "common.schema.json#/$defs/";
    const char *path = cJSON_IsString(ref) ? ref->valuestring : "";

    if (strncmp(path, "../", 3) == 0)
        path += 3;
    return strncmp(path, file, sizeof file - 1) == 0
               ? schema_get(schema_get(c->common, "$defs"), path + sizeof file - 1)
               : NULL;
}

void schema_spread(const schema_compilation *c, cJSON *text)
{
    cJSON *own = cJSON_GetObjectItemCaseSensitive(text, "properties"), *one, *there;
    const cJSON *target = own ? target_of(c, schema_get(text, "$ref")) : NULL,
                *theirs = schema_get(target, "properties");

    cJSON_ArrayForEach(one, text)
    {
        schema_spread(c, one);
    }
    cJSON_ArrayForEach(one, theirs)
    {
        if (!schema_get(own, one->string))
            cJSON_AddItemToObject(own, one->string, cJSON_Duplicate(one, true));
    }
    if (target)
        cJSON_DeleteItemFromObjectCaseSensitive(text, "$ref");
    there = target ? cJSON_DetachItemFromObjectCaseSensitive(text, "unevaluatedProperties") : NULL;
    if (there)
        cJSON_AddItemToObject(text, "additionalProperties", there);
}

size_t schema_compile(schema_compilation *c, const cJSON *text)
{
    const cJSON *ref = schema_get(text, "$ref"), *target = ref ? target_of(c, ref) : text;
    size_t node = NO_NODE;

    for (size_t i = 0; i < c->count && !ref; i++)
        if (c->compiled[i] == text)
            return i;
    if (ref)
        check_keywords(c, text, true);
    if (!target || c->depth == DEPTH_MAX || c->count == SCHEMA_NODES_MAX - 1) {
        c->unknown = c->unknown ? c->unknown : "$ref";
        return NO_NODE;
    }
    c->depth++;
    node = ref ? schema_compile(c, target) : compile_here(c, text);
    c->depth--;
    return node;
}

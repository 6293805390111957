/* Schema texts to what is checked: see node.h. Each keyword has one function that takes it, so a keyword, or a form
 * of one, that nobody takes is found. What is made lives as long as the program. */
#include "node.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than any schema of ours: a $ref that comes back to itself ends here. */
#define DEPTH_MAX 16

typedef struct compilation {
    const cJSON *common;
    const char *unknown;
    bool out_of_memory;
    int depth;
} compilation;

/** False where the value's form is not understood. */
typedef bool take_function(compilation *c, protocol_schema *s, const cJSON *value);

static const protocol_schema *compile(compilation *c, const cJSON *text);

/* All that was made, the last first. What stands in $defs is compiled only to be checked, and a leak checker should still
 * see that somebody has it. */
static const protocol_schema *made;

static bool take_nothing(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c, (void)s, (void)value;
    return true;
}

static unsigned type_bit(const cJSON *name)
{
    static const char *const names[] = {"object", "array", "string", "number", "integer", "boolean", "null"};

    for (size_t i = 0; cJSON_IsString(name) && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name->valuestring, names[i]) == 0)
            return 1u << i;
    return 0;
}

static bool take_type(compilation *c, protocol_schema *s, const cJSON *value)
{
    const cJSON *one;

    (void)c;
    s->types = type_bit(value);
    cJSON_ArrayForEach(one, value)
    {
        if (type_bit(one) == 0)
            return false;
        s->types |= type_bit(one);
    }
    return s->types != 0;
}

static bool take_const(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    s->fixed = value;
    return cJSON_IsString(value);
}

static bool take_enum(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    s->values = value;
    return cJSON_IsArray(value);
}

static bool take_number(double *out, const cJSON *value)
{
    *out = cJSON_IsNumber(value) ? value->valuedouble : 0.0;
    return cJSON_IsNumber(value);
}

static bool take_minimum(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_number(&s->minimum, value);
}

static bool take_maximum(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_number(&s->maximum, value);
}

static bool take_exclusive_minimum(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_number(&s->above, value);
}

static bool take_size(size_t *out, const cJSON *value)
{
    bool whole = cJSON_IsNumber(value) && value->valuedouble >= 0.0 && value->valuedouble < 1e15;

    *out = whole ? (size_t)value->valuedouble : 0;
    return whole;
}

static bool take_min_length(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_size(&s->length_min, value);
}

static bool take_max_length(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_size(&s->length_max, value);
}

static bool take_min_items(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_size(&s->items_min, value);
}

static bool take_max_items(compilation *c, protocol_schema *s, const cJSON *value)
{
    (void)c;
    return take_size(&s->items_max, value);
}

static bool take_items(compilation *c, protocol_schema *s, const cJSON *value)
{
    s->items = cJSON_IsObject(value) ? compile(c, value) : NULL;
    return cJSON_IsObject(value);
}

static bool take_additional(compilation *c, protocol_schema *s, const cJSON *value)
{
    s->closed = cJSON_IsFalse(value);
    s->others = cJSON_IsObject(value) ? compile(c, value) : NULL;
    return s->closed || cJSON_IsObject(value);
}

static bool take_defs(compilation *c, protocol_schema *s, const cJSON *value)
{
    const cJSON *one;

    (void)s;
    cJSON_ArrayForEach(one, value)
    {
        if (!cJSON_IsObject(one))
            return false;
        compile(c, one);
    }
    return cJSON_IsObject(value);
}

/** The member of that name, added where there is none yet; SCHEMA_MEMBERS_MAX where there is no room. */
static size_t member_at(protocol_schema *s, const char *name)
{
    for (size_t i = 0; i < s->member_count; i++)
        if (strcmp(s->members[i].name, name) == 0)
            return i;
    if (s->member_count < SCHEMA_MEMBERS_MAX)
        s->members[s->member_count++] = (schema_member){.name = name};
    else
        return SCHEMA_MEMBERS_MAX;
    return s->member_count - 1;
}

static bool reserve_members(compilation *c, protocol_schema *s)
{
    if (!s->members)
        s->members = calloc(SCHEMA_MEMBERS_MAX, sizeof s->members[0]);
    c->out_of_memory = c->out_of_memory || !s->members;
    return s->members != NULL;
}

static bool take_properties(compilation *c, protocol_schema *s, const cJSON *value)
{
    const cJSON *one;

    s->properties = value;
    if (!cJSON_IsObject(value) || !reserve_members(c, s))
        return false;
    cJSON_ArrayForEach(one, value)
    {
        size_t i = member_at(s, one->string);

        if (i == SCHEMA_MEMBERS_MAX || !cJSON_IsObject(one))
            return false;
        s->members[i].schema = compile(c, one);
    }
    return true;
}

static bool take_required(compilation *c, protocol_schema *s, const cJSON *value)
{
    const cJSON *one;

    if (!cJSON_IsArray(value) || !reserve_members(c, s))
        return false;
    cJSON_ArrayForEach(one, value)
    {
        size_t i = cJSON_IsString(one) ? member_at(s, one->valuestring) : SCHEMA_MEMBERS_MAX;

        if (i == SCHEMA_MEMBERS_MAX)
            return false;
        s->required |= UINT64_C(1) << i;
    }
    return true;
}

static const struct {
    const char *keyword;
    take_function *take;
    bool beside_ref; /* says nothing about a value, so it may stand beside a $ref */
} keywords[] = {
    {"type", take_type, false},
    {"const", take_const, false},
    {"enum", take_enum, false},
    {"properties", take_properties, false},
    {"required", take_required, false},
    {"additionalProperties", take_additional, false},
    {"items", take_items, false},
    {"minItems", take_min_items, false},
    {"maxItems", take_max_items, false},
    {"minLength", take_min_length, false},
    {"maxLength", take_max_length, false},
    {"minimum", take_minimum, false},
    {"maximum", take_maximum, false},
    {"exclusiveMinimum", take_exclusive_minimum, false},
    {"$defs", take_defs, false},
    {"$ref", take_nothing, true},
    {"$id", take_nothing, true},
    {"$schema", take_nothing, true},
    {"title", take_nothing, true},
    {"description", take_nothing, true},
    {"default", take_nothing, true},
};

static bool take_keyword(compilation *c, protocol_schema *s, const cJSON *keyword, bool beside_ref)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i].keyword, keyword->string) == 0)
            return (keywords[i].beside_ref || !beside_ref) && keywords[i].take(c, s, keyword);
    return false;
}

static void take_keywords(compilation *c, protocol_schema *s, const cJSON *text, bool beside_ref)
{
    const cJSON *keyword;

    cJSON_ArrayForEach(keyword, text)
    {
        if (!take_keyword(c, s, keyword, beside_ref) && !c->unknown)
            c->unknown = keyword->string;
    }
}

/** What a $ref points to: "common.schema.json#/$defs/NAME", "../" before it or not. NULL where there is no such thing. */
static const cJSON *target_of(const compilation *c, const cJSON *ref)
{
    static const char file[] = "common.schema.json#/$defs/";
    const cJSON *defs = cJSON_GetObjectItemCaseSensitive(c->common, "$defs");
    const char *path = cJSON_IsString(ref) ? ref->valuestring : "";

    if (strncmp(path, "../", 3) == 0)
        path += 3;
    if (strncmp(path, file, sizeof file - 1) != 0)
        return NULL;
    return cJSON_GetObjectItemCaseSensitive(defs, path + sizeof file - 1);
}

static const protocol_schema *compile_ref(compilation *c, const cJSON *text, const cJSON *ref)
{
    const cJSON *target = target_of(c, ref);

    take_keywords(c, NULL, text, true);
    if (target)
        return compile(c, target);
    c->unknown = c->unknown ? c->unknown : "$ref";
    return NULL;
}

static const protocol_schema *compile_here(compilation *c, const cJSON *text)
{
    protocol_schema *s = calloc(1, sizeof *s);

    if (!s) {
        c->out_of_memory = true;
        return NULL;
    }
    s->made_before = made;
    made = s;
    s->text = text;
    s->minimum = s->above = -INFINITY;
    s->maximum = INFINITY;
    s->length_max = s->items_max = SIZE_MAX;
    take_keywords(c, s, text, false);
    return s;
}

static const protocol_schema *compile(compilation *c, const cJSON *text)
{
    const cJSON *ref = cJSON_GetObjectItemCaseSensitive(text, "$ref");
    const protocol_schema *s;

    if (c->depth == DEPTH_MAX) {
        c->unknown = c->unknown ? c->unknown : "$ref";
        return NULL;
    }
    c->depth++;
    s = ref ? compile_ref(c, text, ref) : compile_here(c, text);
    c->depth--;
    return s;
}

const protocol_schema *schema_compile(const cJSON *text, const cJSON *common, const char **out_unknown)
{
    compilation c = {.common = common};
    const protocol_schema *s = text ? compile(&c, text) : NULL;

    *out_unknown = c.unknown;
    return c.out_of_memory ? NULL : s;
}

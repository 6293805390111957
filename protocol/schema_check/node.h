/* A schema as it is checked: compiled from its text once, so that checking a value looks nothing up and cannot come upon
 * a keyword that it does not understand. Shared by schema.c and compile.c. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_NODE_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_NODE_H

#include <stdint.h>

#include "schema.h"

/** As bits. A number that is whole is both a NUMBER and an INTEGER. */
enum schema_types {
    SCHEMA_OBJECT = 1u << 0,
    SCHEMA_ARRAY = 1u << 1,
    SCHEMA_STRING = 1u << 2,
    SCHEMA_NUMBER = 1u << 3,
    SCHEMA_INTEGER = 1u << 4,
    SCHEMA_BOOLEAN = 1u << 5,
    SCHEMA_NULL = 1u << 6
};

/** `required` is a bit set over the members. */
#define SCHEMA_MEMBERS_MAX 64

typedef struct schema_member {
    const char *name;
    const protocol_schema *schema; /* NULL: anything goes */
} schema_member;

struct protocol_schema {
    const protocol_schema *made_before;
    const cJSON *text; /* itself, a $ref followed: what messages describe */
    unsigned types;    /* 0: any */
    const cJSON *fixed, *values;
    double minimum, maximum, above;
    size_t length_min, length_max; /* characters of a string */
    size_t items_min, items_max;
    const protocol_schema *items; /* NULL: any */
    schema_member *members;
    size_t member_count;
    uint64_t required;
    const cJSON *properties;       /* for the list of allowed keys */
    bool closed;                   /* no members but these */
    const protocol_schema *others; /* of all members but these; NULL: anything goes */
};

/** Compiles a schema; `common` is the parsed text that $refs point into. NULL when out of memory or `text` is NULL.
 *  *out_unknown is the first keyword that is not understood, NULL where all are. */
const protocol_schema *schema_compile(const cJSON *text, const cJSON *common, const char **out_unknown);

#endif

/* A schema as it is checked. The rows of these are made from protocol/schema when clashd is built, by the program in
 * compiler/: checking a value parses nothing and cannot come upon a keyword that it does not understand. */
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
    const protocol_schema *schema; /* NULL: it is required, and nothing else is said of it */
} schema_member;

struct protocol_schema {
    const char *expected;      /* what it allows, in words */
    unsigned types;            /* 0: any */
    const char *const *values; /* the only strings that it allows, NULL after the last; NULL: any */
    double minimum, maximum, above;
    size_t length_min, length_max; /* characters of a string */
    size_t items_min, items_max;
    const protocol_schema *items; /* NULL: any */
    const schema_member *members;
    size_t member_count;
    uint64_t required;
    bool closed;                   /* no members but these */
    const protocol_schema *others; /* of all members but these; NULL: anything goes */
};

typedef struct schema_row {
    const char *name;
    const protocol_schema *schema;
} schema_row;

extern const protocol_schema schema_nodes[];
/** Ends with a row of zeros. */
extern const schema_row schema_table[];

#endif

/* The schema files' texts, built in by embed.cmake. Ends with a row of zeros. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_TABLE_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_TABLE_H

typedef struct schema_text {
    const char *name, *text;
} schema_text;

extern const schema_text schema_table[];

#endif

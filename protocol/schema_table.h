/* The schema files' texts, built in by embed.cmake. Ends with a row of zeros. */
#ifndef CLASH_PROTOCOL_SCHEMA_TABLE_H
#define CLASH_PROTOCOL_SCHEMA_TABLE_H

typedef struct schema_text {
    const char *name, *text;
} schema_text;

extern const schema_text schema_table[];

#endif

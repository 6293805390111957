/* Says in words what a schema allows and what was found instead: the text of error messages. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_DESCRIBE_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_DESCRIBE_H

#include "schema.h"

/** The value as JSON text, cut if it is long. */
void schema_describe_value(const cJSON *value, char *out, size_t size);
/** The keys that are allowed: "a, b, c". */
void schema_describe_keys(const protocol_schema *schema, char *out, size_t size);
/** The allowed string that a value was probably meant to be; NULL if none is near, or it is no string. */
const char *schema_closest_value(const protocol_schema *schema, const cJSON *value);
/** The allowed key that `key` was probably meant to be; NULL if none is near. */
const char *schema_closest_key(const protocol_schema *schema, const char *key);

#endif

/* Says in words what a schema allows and what was found instead: the text of error messages. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_DESCRIBE_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_DESCRIBE_H

#include <cjson/cJSON.h>
#include <stddef.h>

/** "a number from 0 to 1000", "one of "stage", "local"", "an array of 3 numbers", "a string or null". */
void schema_describe(const cJSON *schema, char *out, size_t size);
/** The value as JSON text, cut where it is long. */
void schema_describe_value(const cJSON *value, char *out, size_t size);
/** "a, b, c" */
void schema_describe_keys(const cJSON *properties, char *out, size_t size);
/** The key that `key` was probably meant to be; NULL where none is near. */
const char *schema_closest_key(const cJSON *properties, const char *key);

#endif

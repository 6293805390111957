/* From lines to checked JSON, and from checked JSON to values. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_H

#include <cjson/cJSON.h>
#include <clash/blade.h>
#include <clash/pose.h>

#include "cli/failure.h"

/** Parses one line (any bytes, no newline) to a value, of whatever type. NULL with what was wrong and where in out_failure:
 *  no JSON, more than one value, a zero character, broken UTF-8, a doubled key, a number that no double holds. No line
 *  takes long, whatever is in it. If memory does not suffice, it is parse_out_of_memory. Free with cJSON_Delete. */
extern const char parse_out_of_memory[];
cJSON *parse_line(const char *line, size_t length, failure *out_failure);
/** Return whether a line (any bytes, no newline) is empty: white space, and a byte order mark before it. Nobody minds those. */
bool parse_is_blank(const char *line, size_t length);

/** Return false if it is no number, no integer, or 2^53 or more either way: it may then stand for several. */
bool parse_integer(const cJSON *value, int64_t *out_value);

/** Copy a string value. Return false, with an empty string, if it does not fit: half a name may be another one. */
bool parse_copy(const cJSON *value, char *out, size_t size);

/** Return the member of that name, or NULL. */
static inline const cJSON *parse_at(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/** Return the member's value, or `otherwise` if it is missing. Only for values that a schema has accepted. An integer
 *  beyond 2^53 becomes 2^53 - 1. */
const char *parse_string(const cJSON *object, const char *key, const char *otherwise);
float parse_float(const cJSON *object, const char *key, float otherwise);
bool parse_bool(const cJSON *object, const char *key, bool otherwise);
/** Take `layers` and `mask`. A number that no schema has checked is clamped to what 32 bits hold. */
clash_layers parse_layers(const cJSON *object);
int64_t parse_int(const cJSON *object, const char *key, int64_t otherwise);
clash_vec3 parse_vec3(const cJSON *array);
clash_quat parse_quat(const cJSON *array);

/** Return false if a number of the value does not fit into a float. */
bool parse_fits_float(const cJSON *value);

/** Take the rows of CLASH_BLADE_PROPERTIES, `enabled`, `layers` and `mask`; the rest of `out` stays. Return NULL, or the key of one that no float
 *  holds. */
const char *parse_blade_properties(const cJSON *object, clash_blade_properties *out);

#endif

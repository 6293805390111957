/* From lines to checked JSON, and from checked JSON to values. */
#ifndef CLASH_PROTOCOL_PARSE_H
#define CLASH_PROTOCOL_PARSE_H

#include <cjson/cJSON.h>
#include <clash/pose.h>

/** Parses one line (any bytes, no newline) to a value, of whatever type. NULL with what was wrong and where in out_error:
 *  no JSON, more than one value, a zero byte, broken UTF-8, a doubled key, a number that no double holds. Free with
 *  cJSON_Delete. */
cJSON *parse_line(const char *line, size_t length, char *out_error, size_t size);

/** What follows trusts that a schema has accepted the value; where a key is missing `otherwise` is returned. */
const char *parse_string(const cJSON *object, const char *key, const char *otherwise);
float parse_float(const cJSON *object, const char *key, float otherwise);
bool parse_bool(const cJSON *object, const char *key, bool otherwise);
int64_t parse_int(const cJSON *object, const char *key, int64_t otherwise);
clash_vec3 parse_vec3(const cJSON *array);
clash_quat parse_quat(const cJSON *array);

/** False where a number of the value does not fit into a float. */
bool parse_fits_float(const cJSON *value);

#endif

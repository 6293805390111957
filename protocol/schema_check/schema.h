/* Holds JSON values against the schemas below schema/, which are built in: the one place that says what a message or the
 * configuration may contain. Understands the part of JSON Schema that they use and no more: type, const, enum, properties,
 * required, additionalProperties (false or a schema), items, minItems, maxItems, minLength, maxLength,
 * minimum, maximum, exclusiveMinimum, $ref into common.schema.json; title, description, default, $id, $schema, $defs say
 * nothing about a value: compiler/ makes them tables when clashd is built. Any thread. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/failure.h"

typedef struct protocol_schema protocol_schema;

/** By its path below schema/ without the ending: "config", "recording", "client/subscribe", "server/clash". NULL for an
 *  unknown name. Never freed. */
const protocol_schema *protocol_schema_get(const char *name);

/** The i-th schema's name, NULL after the last: for tests and documents. */
const char *protocol_schema_name(size_t i);

/** Return 0, or -1 with the first mistake in out_failure: its path ("contact.hold_rate_hz", "blades[1].tip"), what is allowed and
 *  what was found. `value` may come straight from outside. */
int protocol_schema_validate(const protocol_schema *schema, const cJSON *value, failure *out_failure);

/** Return whether the schema names a member so. */
bool protocol_schema_has_member(const protocol_schema *schema, const char *name);

#endif

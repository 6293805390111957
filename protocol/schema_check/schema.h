/* Holds JSON values against the schemas below schema/, which are built in: the one place that says what a message or the
 * configuration may contain. Understands the part of JSON Schema that they use and no more: type, const, enum, properties,
 * required, additionalProperties (false or a schema), items, minItems, maxItems, minLength, maxLength,
 * minimum, maximum, exclusiveMinimum, $ref into common.schema.json; title, description, default, $id, $schema, $defs say
 * nothing about a value. Any thread, after the first call. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_SCHEMA_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct protocol_schema protocol_schema;

/** By its path below schema/ without the ending: "config", "recording", "client/subscribe", "server/clash". NULL for an
 *  unknown name. Never freed. */
const protocol_schema *protocol_schema_get(const char *name);

/** False where memory did not suffice for one of them, at the first call: what it is for would be refused ever after. */
bool protocol_schema_is_ready(void);

/** The i-th schema's name, NULL after the last: for tests and documents. */
const char *protocol_schema_name(size_t i);

/** 0, or -1 with the first mistake in out_error: its path ("contact.hold_rate_hz", "blades[1].tip"), what is allowed and
 *  what was found. `value` may come straight from outside. */
int protocol_schema_validate(const protocol_schema *schema, const cJSON *value, char *out_error, size_t size);

/** Whether the schema names a member so. */
bool protocol_schema_has_member(const protocol_schema *schema, const char *name);

/** True where the schema uses a keyword that is not understood, which is then in out_keyword: a mistake of ours. */
bool protocol_schema_unknown_keyword(const protocol_schema *schema, char *out_keyword, size_t size);

#endif

/* Whether bytes are one JSON text, strictly (RFC 8259), before a parser that forgives more makes a tree of them: what is
 * let through here means the same to every JSON parser. Allocates nothing; any bytes. */
#ifndef CLASHD_PROTOCOL_JSON_JSON_TEXT_H
#define CLASHD_PROTOCOL_JSON_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/failure.h"

/** Brackets within brackets, at most. Nothing of ours has more than five. */
#define JSON_TEXT_DEPTH_MAX 64
/** Digits, signs and all; longer ones are refused. A double's shortest text has at most 24. */
#define JSON_TEXT_NUMBER_MAX 63

/** Return false with "expected a value at byte 12" in out_failure. */
bool json_text_check(const char *text, size_t length, failure *out_failure);

#endif

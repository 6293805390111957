/* What a blade is made of, from checked JSON: one capsule, a collider of Unity's that is one, or parts. The same words in the configuration, in what clients
 * push and in recordings. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_BLADE_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_BLADE_H

#include "cli/failure.h"
#include "codec.h"

#include <cjson/cJSON.h>

/** Who wrote it. People and games may write either parts, or base, tip, radius and edge; clashd writes both. */
typedef enum parse_blade_hand { PARSE_BLADE_THEIRS, PARSE_BLADE_OURS } parse_blade_hand;

/** Fill all of `out`, in OpenXR's axes, but name and device. The object has been held against a schema. Return false with a
 *  message in out_failure that begins with the key below `object` ("parts[1].name: .."). */
bool parse_blade(const cJSON *object, protocol_axes axes, parse_blade_hand hand, clash_blade_definition *out,
                 failure *out_failure);

#endif

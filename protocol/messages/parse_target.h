/* What a target is, from checked JSON. The same words in the configuration, in what clients push and in recordings. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_TARGET_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_TARGET_H

#include "cli/failure.h"
#include "parse_shape.h"

/** The object has been held against a schema. `axes` are those of all but a unity_collider; what comes out is in OpenXR's.
 *  Return false with a message in out_failure that begins with the key below `object` ("sphere.radius: .."). */
bool parse_target(const cJSON *object, protocol_axes axes, parse_target_hand hand, clash_target_definition *out,
                  failure *out_failure);

#endif

/* `unity_collider` from checked JSON: a target, or a blade. Always in Unity's axes; what comes out is in OpenXR's. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_UNITY_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_UNITY_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <clash/target.h>

/** Fill kind, shape, pose and unity_negative of `out`. Return false with a message in out_failure that begins with "unity_collider". */
bool parse_unity_target(const cJSON *collider, clash_target_definition *out, failure *out_failure);

/** A capsule, or a sphere as a capsule without length, in the device's frame; its tip is at the end of its direction's
 *  axis. *out_negative: a size is, and its absolute value counts. False likewise. */
bool parse_unity_blade(const cJSON *collider, clash_capsule *out, bool *out_negative, failure *out_failure);

#endif

/* What clients push, from checked JSON: blades and poses of their own, and which devices they feed. All come out in OpenXR's axes. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_PUSH_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_PUSH_H

#include "parse_blade.h"

/** Each 0, or -1 with out_error. The object has been held against its schema. */
int parse_own_blade(const cJSON *object, parse_blade_hand hand, clash_blade_definition *out, protocol_error *out_error);
int parse_own_name(const cJSON *object, clash_blade_definition *out, protocol_error *out_error);
int parse_feed(const cJSON *object, protocol_feed *out, protocol_error *out_error);
/** Parse one pose, pushed or recorded. Numbers are the taker's to check; one beyond float becomes the greatest float.
 *  Return false with `why` if the device has no name that fits. */
bool parse_pose(const cJSON *object, protocol_axes axes, protocol_own_pose *out, failure *why);
int parse_own_poses(const cJSON *object, protocol_own_poses *out, protocol_error *out_error);

#endif

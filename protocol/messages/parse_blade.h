/* What a blade is made of, from checked JSON: one capsule, a collider of Unity's that is one, or parts. The same words in the configuration, in what clients
 * push and in recordings. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_BLADE_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_BLADE_H

#include "codec.h"

#include <cjson/cJSON.h>

/** In OpenXR's axes. With parts, `shape` and `edge` stand for the blade where only one capsule can be told: they are the
 *  first part's, straight from its one end to the other. */
typedef struct parsed_blade {
    clash_capsule shape;
    bool has_edge;
    clash_vec3 edge;
    clash_sword sword; /* part_count 0: none */
    bool is_body;
    bool unity_negative; /* a collider of Unity's has a negative size, and its absolute value counts */
} parsed_blade;

/** Who wrote it: in what people and games write, base, tip, radius and edge are not to stand beside parts; clashd itself
 *  writes both. */
typedef enum parse_blade_hand { PARSE_BLADE_THEIRS, PARSE_BLADE_OURS } parse_blade_hand;

/** The object has been held against a schema. False with a message in out_error that begins with the key below `object`
 *  ("parts[1].name: .."). */
bool parse_blade(const cJSON *object, protocol_axes axes, parse_blade_hand hand, parsed_blade *out, char *out_error,
                 size_t size);

#endif

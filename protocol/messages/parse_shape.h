/* The shapes that a target may have, from checked JSON. The same words in the configuration, in what clients push and in
 * recordings. */
#ifndef CLASHD_PROTOCOL_MESSAGES_PARSE_SHAPE_H
#define CLASHD_PROTOCOL_MESSAGES_PARSE_SHAPE_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <clash/target.h>

#include "codec.h"

/** Who wrote it. A client has to write out its surfaces, as clashd reads no files for clients; only what clashd wrote
 *  has a digest. */
typedef enum parse_target_hand { PARSE_TARGET_CLIENT, PARSE_TARGET_CONFIG, PARSE_TARGET_RECORDING } parse_target_hand;

/** `object` is what stands at the kind's own key ("sphere", "mesh"); it has been held against a schema. Fills kind, shape
 *  and file of `out` in OpenXR's axes, and moves its pose where a mirrored terrain begins at its other end. Return false with a
 *  message in out_failure that begins with the key below the target ("mesh.triangles[3]: .."). */
bool parse_shape(const cJSON *object, clash_shape_kind kind, protocol_axes axes, parse_target_hand hand,
                 clash_target_definition *out, failure *out_failure);

/** The word for a kind, and its key. */
const char *parse_shape_key(clash_shape_kind kind);

/** Pieces of it for unity_collider: written numbers as they stand, in whatever axes. `where` is what stands before the key
 *  in a message. The first: whether every number that has a meaning in a shape or transform fits into a float. */
bool parse_shape_numbers_fit(const cJSON *object, const char *where, failure *out_failure);
bool parse_mesh_numbers(const cJSON *object, const char *where, clash_target_mesh *out, failure *out_failure);
bool parse_terrain_numbers(const cJSON *object, const char *where, clash_target_terrain *out, failure *out_failure);

/** From Unity's axes to OpenXR's. Vertices are mirrored, and triangles wound the other way, as a mirror turns out to in. */
void parse_mirror_mesh(clash_target_mesh *mesh);
/** Reverse the rows: the terrain then begins at its other end, which moves its pose. */
void parse_mirror_terrain(clash_target_terrain *terrain, clash_pose *pose);

#endif

/* Check the sizes and nodes in the JSON of a glTF 2.0 before the loader trusts it: some values would make it read out
 * of bounds, or take endless memory for a small file. Knows nothing of files, and of triangles only where they are
 * stored. */
#ifndef CLASHD_MESH_HELPER_GLTF_CHECK_H
#define CLASHD_MESH_HELPER_GLTF_CHECK_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>

#include "mesh/helper/gltf_data.h"

/** The depth of nodes, and of lists and objects in the JSON: real scenes are far below, and recursive loaders have room
 *  for more. */
#define GLTF_NODES_DEEP_MAX 250
#define GLTF_JSON_DEEP_MAX 500
/** In all of a file: a loader needs a second for some 100,000, and nothing here uses them. */
#define GLTF_TARGETS_MAX 65536

/** Check a whole file, binary (.glb) or not. Return whether the loader may have it, or false with what is wrong in
 *  `why`. */
bool gltf_check(const char *bytes, size_t size, const gltf_external *beside, failure *why);

#endif

/* What the JSON of a glTF 2.0 says of sizes and of its nodes, looked at before the loader believes it: for some of it would
 * read before a buffer, or take memory without end, where the file is small. Knows nothing of files, and of triangles only
 * where they are said to be. */
#ifndef CLASHD_MESH_HELPER_GLTF_CHECK_H
#define CLASHD_MESH_HELPER_GLTF_CHECK_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>

#include "mesh/helper/gltf_data.h"

/** Of nodes, and of lists and objects in the JSON: scenes that somebody made are far from either, and loaders that go down by
 *  calling themselves have room for more. */
#define GLTF_NODES_DEEP_MAX 250
#define GLTF_JSON_DEEP_MAX 500

/** Of a whole file's bytes, binary (.glb) or not: whether its loader may have it; else what is wrong in `why`. */
bool gltf_check(const char *bytes, size_t size, const gltf_external *beside, failure *why);

#endif

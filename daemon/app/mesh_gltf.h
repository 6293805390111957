/* What the JSON of a glTF 2.0 says of sizes and of its nodes, looked at before the loader believes it: for some of it would
 * read before a buffer, or take memory without end, where the file is small. Knows nothing of files, and of triangles only
 * where they are said to be. */
#ifndef CLASHD_APP_MESH_GLTF_H
#define CLASHD_APP_MESH_GLTF_H

#include <stdbool.h>
#include <stddef.h>

/** Of a whole file's bytes, binary (.glb) or not: whether its loader may have it; else what is wrong in out_why. Bytes that are
 *  no glTF at all are left to the loader, which says so. */
bool mesh_gltf_check(const char *bytes, size_t size, char *out_why, size_t why_size);

#endif

/* Meshes from files: Wavefront OBJ (.obj) and glTF 2.0 (.gltf, .glb), read by assimp. Gives plain vertices and
 * triangles; knows nothing of targets or configuration. Other files that one refers to are read only from its own
 * folder. */
#ifndef CLASHD_MESH_HELPER_IMPORTED_H
#define CLASHD_MESH_HELPER_IMPORTED_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** Return whether the file's name has a known ending. */
bool scene_is_known(const char *path);

/** Load all triangles of a scene with its nodes' transforms applied; metres and axes are the file's own. `bytes` are
 *  the file's content with a zero after it; they are changed, and the file is not opened again. Polygons are
 *  triangulated, points and lines left out, and windings reversed below a mirroring node, so that they still face
 *  outward. Fills vertices and triangles. Return false with the cause in `why`; what was filled must be freed in either
 *  case. */
bool scene_load(const char *path, char *bytes, size_t length, surface *out, failure *why);

#endif

/* Meshes from files: Wavefront OBJ (.obj) and glTF 2.0 (.gltf, .glb), read by assimp. Gives plain vertices and triangles;
 * knows nothing of targets or configuration. What a file asks for beside it is only read from its own folder. */
#ifndef CLASHD_MESH_HELPER_IMPORTED_H
#define CLASHD_MESH_HELPER_IMPORTED_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** Whether it has the name of a file that can be read. */
bool scene_is_known(const char *path);

/** All triangles of a scene, its nodes' transforms applied: metres and axes are the file's own. `bytes` are what stands in the
 *  file, which is not opened again, with a zero behind them; they are changed. Polygons are triangulated; points and lines left
 *  out; where a node mirrors, windings are turned round so that they still face outward. Fills vertices and triangles. False
 *  with the cause in `why`; what it had filled by then is to be freed as well. */
bool scene_load(const char *path, char *bytes, size_t length, surface *out, failure *why);

#endif

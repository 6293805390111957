/* Meshes from files: Wavefront OBJ (.obj) and glTF 2.0 (.gltf, .glb), read by assimp. Gives plain vertices and triangles, which
 * clash_mesh_create takes; knows nothing of targets or configuration. What a file asks for beside it is only read from its
 * own folder. */
#ifndef CLASHD_APP_MESH_FILE_H
#define CLASHD_APP_MESH_FILE_H

#include <clash/mesh.h>

/** The most that is read, with what a glTF has in files of its own. */
#define MESH_FILE_BYTES_MAX (UINT64_C(1) << 30)

/** All triangles of a scene, its nodes' transforms applied: metres and axes are the file's own. */
typedef struct mesh_file {
    clash_vec3 *vertices;
    uint32_t vertex_count;
    uint32_t (*triangles)[3];
    uint32_t triangle_count;
} mesh_file;

/** 0, or -1 with one line in out_error that names the file and the cause. Polygons are triangulated; points and lines left
 *  out; where a node mirrors, windings are turned round so that they still face outward. Blocks on the disk. */
int mesh_file_load(const char *path, mesh_file *out, char *out_error, size_t size);

/** Frees what a load gave. */
void mesh_file_finish(mesh_file *file);

#endif

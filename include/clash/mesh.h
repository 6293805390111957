/* Surfaces made of many triangles: meshes and terrains. Each is built once, with a tree of bounding boxes over its
 * triangles, and never changes: any number of threads may use it at the same time. */
#ifndef CLASH_MESH_H
#define CLASH_MESH_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** A mesh of `triangle_count` triangles over `vertices` (m, in its device's frame), three indices each, counter-clockwise
 *  seen from outside; all copied. Triangles may be degenerate (they count as the segments and points they are), double,
 *  crossing; the surface may be open. NULL, with errno, when out of memory (ENOMEM), where an index is no vertex, a vertex
 *  is not finite, or there is no triangle or more than CLASH_TRIANGLES_MAX (EINVAL). */
CLASH_API clash_mesh *clash_mesh_create(const clash_vec3 *vertices, uint32_t vertex_count,
                                        const uint32_t (*triangles)[3], uint32_t triangle_count);
CLASH_API void clash_mesh_destroy(clash_mesh *mesh);

/** A height field over the device's x and z: the point of column i (along x) and row j (along z) is at
 *  (i * spacing_x, heights[j * columns + i], j * spacing_z), m. Every cell is two triangles, 2 (j * (columns - 1) + i)
 *  with the corners (i, j) (i, j + 1) (i + 1, j), and the one after it with (i + 1, j) (i, j + 1) (i + 1, j + 1), both
 *  facing up. All copied. NULL, with errno, when out of memory (ENOMEM), or where a height is not finite, a spacing is not
 *  above 0, there are fewer than two columns or rows, or more than CLASH_TRIANGLES_MAX triangles (EINVAL). */
CLASH_API clash_terrain *clash_terrain_create(const float *heights, uint32_t columns, uint32_t rows, float spacing_x,
                                              float spacing_z);
CLASH_API void clash_terrain_destroy(clash_terrain *terrain);

#define CLASH_TRIANGLES_MAX (UINT32_C(1) << 27)

CLASH_API uint32_t clash_mesh_triangle_count(const clash_mesh *mesh);
CLASH_API uint32_t clash_terrain_triangle_count(const clash_terrain *terrain);

/** The corners (m, device's frame) of a triangle, as given to clash_mesh_create. -1 where there is no such triangle. */
CLASH_API int clash_mesh_triangle(const clash_mesh *mesh, uint32_t triangle, clash_vec3 out_corners[3]);
CLASH_API int clash_terrain_triangle(const clash_terrain *terrain, uint32_t triangle, clash_vec3 out_corners[3]);

CLASH_END_DECLS

#endif

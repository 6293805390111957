/* Surfaces made of many triangles: meshes and terrains. Each is built once, with a tree of bounding boxes over its
 * triangles, and never changes: any number of threads may use it at the same time. */
#ifndef CLASH_MESH_H
#define CLASH_MESH_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** A mesh of `triangle_count` triangles over `vertices` (m, in its device's frame), three indices each, counter-clockwise
 *  seen from outside; all copied. Before C23 see clash_triples (base.h). Triangles may be degenerate (they count as the segments and points they are), double,
 *  crossing; the surface may be open. NULL, with errno, when out of memory (ENOMEM), if an index is no vertex, a vertex
 *  is not finite, or there is no triangle or more than CLASH_TRIANGLES_MAX (EINVAL). */
CLASH_API clash_mesh *clash_mesh_create(const clash_vec3 *vertices, uint32_t vertex_count,
                                        const uint32_t (*triangles)[3], uint32_t triangle_count);
CLASH_API void clash_mesh_destroy(clash_mesh *mesh);

/** The most triangles of a convex hull. A contact inside of it costs a look at each. */
#define CLASH_HULL_TRIANGLES_MAX UINT32_C(2048)

/** Create a convex hull that is solid in sweeps, distances and contacts, as a box is: a blade whose axis is inside touches it
 *  at distance 0 until it has left by the release margin. The output's `triangle` is then the one nearest to the contact's
 *  point. Use it as CLASH_SHAPE_MESH; input and ownership are as for clash_mesh_create. The surface must be closed,
 *  counter-clockwise seen from outside, and convex except for what rounding its vertices to float changes. Return NULL with errno
 *  as clash_mesh_create does, and EINVAL also if the surface is not closed or not convex, or has more than
 *  CLASH_HULL_TRIANGLES_MAX triangles. `out_why` may be NULL; it receives the reason as a static string, or NULL. */
CLASH_API clash_mesh *clash_hull_create(const clash_vec3 *vertices, uint32_t vertex_count,
                                        const uint32_t (*triangles)[3], uint32_t triangle_count, const char **out_why);

/** A height field over the device's x and z: the point of column i (along x) and row j (along z) is at
 *  (i * spacing_x, heights[j * columns + i], j * spacing_z), m. Every cell is two triangles, 2 (j * (columns - 1) + i)
 *  with the corners (i, j) (i, j + 1) (i + 1, j), and the one after it with (i + 1, j) (i, j + 1) (i + 1, j + 1), both
 *  facing up. All copied. NULL, with errno, when out of memory (ENOMEM), or if a height is not finite, a spacing is not
 *  above 0, there are fewer than two columns or rows, or more than CLASH_TRIANGLES_MAX triangles (EINVAL). */
CLASH_API clash_terrain *clash_terrain_create(const float *heights, uint32_t columns, uint32_t rows, float spacing_x,
                                              float spacing_z);
CLASH_API void clash_terrain_destroy(clash_terrain *terrain);

#define CLASH_TRIANGLES_MAX (UINT32_C(1) << 27)

CLASH_API uint32_t clash_mesh_triangle_count(const clash_mesh *mesh);
CLASH_API uint32_t clash_terrain_triangle_count(const clash_terrain *terrain);

/** Return how many of a mesh's triangles enclose something that has an inside: those of parts that are watertight. Corners at the same
 *  place (the same floats) are one, whatever their indices; triangles that share a corner are of one part; and a part is
 *  watertight if each of its edges is run through as often one way as the other, and encloses its inside if its
 *  triangles are counter-clockwise seen from outside. One whose triangles face inward is the wall of a hollow if it lies
 *  inside of another part; else it is a surface like what is open. Push-out (push_out.h) keeps blades out of insides. */
CLASH_API uint32_t clash_mesh_closed_count(const clash_mesh *mesh);

/** Write the corners (m, device's frame) of a triangle, as given to clash_mesh_create. Returns -1 if there is no such
 *  triangle. */
CLASH_API int clash_mesh_triangle(const clash_mesh *mesh, uint32_t triangle, clash_vec3 out_corners[3]);
CLASH_API int clash_terrain_triangle(const clash_terrain *terrain, uint32_t triangle, clash_vec3 out_corners[3]);

/** A triangle that a capsule touches. Stage space. */
typedef struct clash_triangle_touch {
    uint32_t triangle; /**< its index */
    float distance;    /**< of the capsule's axis from it, m: at most its radius, 0 if the axis crosses it */
    float along;       /**< the axis' closest point: 0 at the base, 1 at the tip */
    clash_vec3 point;  /**< the triangle's closest point, m */
    clash_vec3 normal; /**< unit, by its winding (which side the axis is on: see `point`); {0, 0, 0} without an area */
} clash_triangle_touch;

/** All triangles that are at most the capsule's radius from its axis: of a mesh that stands at `pose` (stage_from_device), a
 *  capsule that stands at `capsule_pose`. *out_count is how many there are; the first `room` of them, in the order of their
 *  indices, are written to `out_touches` (NULL if `room` is 0), so that a call with too little room says how much is
 *  needed and gives those with the lowest indices. What takes time is how many there are, and little more. False, and nothing
 *  is written, if a number is not finite, the radius negative or a quaternion zero. No allocation; any thread. */
CLASH_API bool clash_mesh_overlaps(const clash_mesh *mesh, const clash_pose *pose, const clash_capsule *capsule,
                                   const clash_pose *capsule_pose, clash_triangle_touch *out_touches, size_t room,
                                   size_t *out_count);
CLASH_API bool clash_terrain_overlaps(const clash_terrain *terrain, const clash_pose *pose,
                                      const clash_capsule *capsule, const clash_pose *capsule_pose,
                                      clash_triangle_touch *out_touches, size_t room, size_t *out_count);

CLASH_END_DECLS

#endif

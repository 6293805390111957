/* Rays: what a line with a beginning meets first. Of a mesh or terrain by its tree, so that the time hardly grows with the
 * number of triangles. Pure: no clock, no allocation; thread-safe; the same bits for the same input in every build. */
#ifndef CLASH_RAY_H
#define CLASH_RAY_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** Where a ray first meets a shape. Stage space. */
typedef struct clash_ray_hit {
    double parameter; /**< the hit is at origin + parameter direction: metres if the direction is of unit length */
    clash_vec3 point; /**< m */
    clash_vec3
        normal; /**< unit, out of the shape; of a triangle by its winding (mesh.h), whichever side the ray comes from:
                            along the direction if that is the back. Against the direction if there is none: `inside`,
                            a shape without a size, a triangle without an area */
    uint32_t triangle; /**< of a mesh or terrain; CLASH_NO_TRIANGLE for other shapes */
    bool inside;       /**< the ray begins in a solid shape: the parameter is 0 */
} clash_ray_hit;

/** The first point at which the ray from `origin` along `direction` (stage space, any length above 0) meets `shape`, which
 *  stands at `pose` (stage_from_device), of those up to the parameter `most` (0 .. INFINITY). Returns 1, with *out_hit (may
 *  be NULL) filled; 0 if it meets nothing; -1 if a number is not finite, the direction or a quaternion zero, a size
 *  negative, `most` negative or NaN, or the point beyond the range of float. Of 0 and -1 nothing is written.
 *
 *  Triangles are met from both sides, edges and corners belong to them: a ray that is aimed between two triangles with a
 *  common edge, as exactly as may be, does not get through (S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle
 *  Intersection", 2013, in double precision). Those that the ray runs along, or that have no area, are not met. Of triangles
 *  met at the same parameter the one with the lowest index counts: the answer depends on the triangles alone. */
CLASH_API int clash_ray_shape(clash_vec3 origin, clash_vec3 direction, double most, const clash_shape *shape,
                              const clash_pose *pose, clash_ray_hit *out_hit);

CLASH_END_DECLS

#endif

/* A ray against a mesh or a terrain. */
#ifndef CLASH_GEOMETRY_RAY_SURFACE_H
#define CLASH_GEOMETRY_RAY_SURFACE_H

#include <clash/mesh.h>

#include "vec.h"

/** What a ray meets first, in the shape's device's frame. */
typedef struct ray_found {
    double parameter;
    dvec normal; /* of any length; 0: against the direction */
    uint32_t triangle;
    bool inside;
} ray_found;

/** One of the two is NULL. The direction is not zero. */
bool ray_meets_surface(const clash_mesh *mesh, const clash_terrain *terrain, dvec origin, dvec direction, double most,
                       ray_found *out);

#endif

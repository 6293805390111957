/* The convex hull of points, by qhull. */
#ifndef CLASHD_MESH_HELPER_HULL_H
#define CLASHD_MESH_HELPER_HULL_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** Puts in the place of a surface's vertices those that are corners of their hull, in their order and to the bit, and in the place of
 *  its triangles those of the hull: closed, counter-clockwise as seen from outside, in an order that follows from the corners'
 *  alone. False with the cause in `why`: what has no inside has no hull. qhull may end the process where it finds itself at
 *  fault. */
bool hull_make(surface *s, failure *why);

#endif

/* The convex hull of points, by qhull. */
#ifndef CLASHD_MESH_HELPER_HULL_H
#define CLASHD_MESH_HELPER_HULL_H

#include "mesh/mesh_data.h"

/** Puts in the place of a surface's vertices those that are corners of their hull, in their order and to the bit, and in the place of
 *  its triangles those of the hull: closed, counter-clockwise as seen from outside, in an order that follows from the corners'
 *  alone. 0, or -1 with the cause in out_why: what has no inside has no hull. qhull may end the process where it finds itself at
 *  fault. */
int hull_make(surface *s, char *out_why, size_t size);

#endif

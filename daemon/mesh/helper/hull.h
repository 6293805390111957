/* The convex hull of points, by qhull. */
#ifndef CLASHD_MESH_HELPER_HULL_H
#define CLASHD_MESH_HELPER_HULL_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** Replace a surface's vertices by those that are corners of their hull, in their order and to the bit, and its
 *  triangles by the hull's: closed, counter-clockwise seen from outside, in an order that depends only on the corners.
 *  Return false with the cause in `why`: points without an inside have no hull. qhull may end the process if it finds an error
 *  in itself. */
bool hull_make(surface *s, failure *why);

#endif

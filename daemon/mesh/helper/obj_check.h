/* Check an OBJ's faces before the loader trusts it: one of its versions takes for ever over a face that another
 * refuses. Knows nothing of files. */
#ifndef CLASHD_MESH_HELPER_OBJ_CHECK_H
#define CLASHD_MESH_HELPER_OBJ_CHECK_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>

/** Corners of one face. The time to triangulate it grows with the square, and one version of the loader has this limit
 *  itself. */
#define OBJ_CORNERS_MAX 32767

/** Check a whole file's bytes, followed by a zero. Return whether the loader may have them, or false with what is wrong
 *  in `why`. */
bool obj_check(const char *bytes, size_t size, failure *why);

#endif

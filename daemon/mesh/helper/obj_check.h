/* What an OBJ says of its faces, looked at before the loader believes it: one of its versions would take for ever over a face
 * that another refuses. Knows nothing of files. */
#ifndef CLASHD_MESH_HELPER_OBJ_CHECK_H
#define CLASHD_MESH_HELPER_OBJ_CHECK_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>

/** Corners of one face. The time to find its triangles grows with their square, and one version of the loader has this limit
 *  itself. */
#define OBJ_CORNERS_MAX 32767

/** Of a whole file's bytes, behind which is a zero: whether its loader may have it; else what is wrong in `why`. */
bool obj_check(const char *bytes, size_t size, failure *why);

#endif

/* Where the helper program is. */
#ifndef CLASHD_MESH_PLACE_H
#define CLASHD_MESH_PLACE_H

#include "platform/helper_place.h"

/** Names another helper program, for tests and unusual installations. */
#define MESH_HELPER_VARIABLE "CLASHD_MESH_HELPER"
#define MESH_HELPER_NAME "clashd-mesh"

/** See platform/helper_place.h. */
static inline int mesh_helper_place(char *out_path, size_t size)
{
    return helper_place(MESH_HELPER_NAME, MESH_HELPER_VARIABLE, "mesh", out_path, size);
}

#endif

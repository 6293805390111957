/* Where the helper program is. */
#ifndef CLASHD_MESH_PLACE_H
#define CLASHD_MESH_PLACE_H

#include <stddef.h>

/** Names another one, for tests and for who installs it elsewhere. */
#define MESH_HELPER_VARIABLE "CLASHD_MESH_HELPER"
#define MESH_HELPER_NAME "clashd-mesh"

/** What $CLASHD_MESH_HELPER says; else, as seen from the directory of the running program, the first that is there of where it
 *  is installed and where it is built. Also where there is none: where it ought to be. 0, or -1 with errno. */
int mesh_helper_place(char *out_path, size_t size);

#endif

/* Carry out a request in the helper: anything wrong with the file is reported in words, if the helper survives it. */
#ifndef CLASHD_MESH_HELPER_READER_H
#define CLASHD_MESH_HELPER_READER_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** Read the surface. Return false with what is wrong in `why`, one line without the file's name. Blocks on the disk. */
bool reader_read(const surface_request *request, surface *out, failure *why);

#endif

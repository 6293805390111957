/* What the helper does with a request: whatever is wrong with the file comes back as words, if it comes back at all. */
#ifndef CLASHD_MESH_HELPER_READER_H
#define CLASHD_MESH_HELPER_READER_H

#include "cli/failure.h"
#include "mesh/mesh_data.h"

/** False with what is wrong in `why`, one line without the file's name. Blocks on the disk. */
bool reader_read(const surface_request *request, surface *out, failure *why);

#endif

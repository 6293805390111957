/* What the helper does with a request: whatever is wrong with the file comes back as words, if it comes back at all. */
#ifndef CLASHD_MESH_HELPER_READER_H
#define CLASHD_MESH_HELPER_READER_H

#include "mesh/mesh_data.h"

/** 0, or -1 with what is wrong in out_why, one line without the file's name. Blocks on the disk. */
int reader_read(const surface_request *request, surface *out, char *out_why, size_t size);

#endif

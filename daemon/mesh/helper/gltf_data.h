/* Check that the parts of a glTF 2.0 fit each other: buffers, views, accessors, and what meshes and nodes use of them.
 * Done before the loader trusts it, because its versions read broken files differently. */
#ifndef CLASHD_MESH_HELPER_GLTF_DATA_H
#define CLASHD_MESH_HELPER_GLTF_DATA_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** How to read a glTF's other files. */
typedef struct gltf_external {
    void *context;
    /** Return the content of the URI's file, for the caller to free, and its size. NULL if not available: the loader
     *  reports that. */
    char *(*read)(void *context, const char *uri, size_t *out_size);
} gltf_external;

/** Check a document whose sizes are whole numbers within limits (gltf_check.c). `binary`: the chunk of a binary file,
 *  or NULL. What is wrong is in `why`. */
bool gltf_check_data(const cJSON *document, const char *binary, size_t binary_size, const gltf_external *beside,
                     failure *why);

#endif

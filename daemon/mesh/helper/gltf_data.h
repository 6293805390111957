/* Whether the parts of a glTF 2.0 fit each other: buffers, views, accessors, and what meshes and nodes want of them. Looked at
 * before the loader believes it: its versions read different lies as different truths. */
#ifndef CLASHD_MESH_HELPER_GLTF_DATA_H
#define CLASHD_MESH_HELPER_GLTF_DATA_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** How to get at what a glTF has in other files. */
typedef struct gltf_external {
    void *context;
    /** What is in the file of that URI, to be freed, with its size. NULL if it is not to be had: that is the loader's to
     *  say. */
    char *(*read)(void *context, const char *uri, size_t *out_size);
} gltf_external;

/** Of a document whose sizes are whole numbers that are not too large (gltf_check.c). `binary`: the chunk of a binary file, NULL
 *  if there is none. What is wrong is in `why`. */
bool gltf_check_data(const cJSON *document, const char *binary, size_t binary_size, const gltf_external *beside,
                     failure *why);

#endif

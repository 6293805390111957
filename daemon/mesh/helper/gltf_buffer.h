/* The bytes of one buffer of a glTF: in a data URI, in the chunk of a binary file, or in another file. */
#ifndef CLASHD_MESH_HELPER_GLTF_BUFFER_H
#define CLASHD_MESH_HELPER_GLTF_BUFFER_H

#include "cli/failure.h"
#include "mesh/helper/gltf_data.h"

typedef struct gltf_buffer {
    size_t length;     /* as the document says */
    const char *uri;   /* or NULL */
    const char *bytes; /* NULL: not loaded, or not available */
    char *own;         /* bytes to be freed, or NULL */
    bool is_tried;
} gltf_buffer;

/** Begin "buffers[i]". Return whether it states its length and, if its data is in the glTF itself, that is long enough.
 *  `binary` is NULL if it is not this buffer's. */
bool gltf_buffer_init(gltf_buffer *out, const cJSON *object, size_t i, const char *binary, size_t binary_size,
                      failure *why);
/** Set bytes, at least `length` of them, if they are available. Return false if there are fewer. */
bool gltf_buffer_load(gltf_buffer *buffer, size_t i, const gltf_external *beside, failure *why);

#endif

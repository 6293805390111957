/* The bytes of one buffer of a glTF: in a data URI, in the chunk of a binary file, or in another file. */
#ifndef CLASHD_MESH_HELPER_GLTF_BUFFER_H
#define CLASHD_MESH_HELPER_GLTF_BUFFER_H

#include "cli/failure.h"
#include "mesh/helper/gltf_data.h"

typedef struct gltf_buffer {
    size_t length;     /* as the document says */
    const char *uri;   /* or NULL */
    const char *bytes; /* NULL: not there, or not yet */
    char *own;         /* bytes that are to be freed, or NULL */
    bool is_tried;
} gltf_buffer;

/** Of "buffers[i]": whether it says how long it is, and what is in the glTF itself is so long. `binary` is NULL if it is not this
 *  buffer's. */
bool gltf_buffer_init(gltf_buffer *out, const cJSON *object, size_t i, const char *binary, size_t binary_size,
                      failure *why);
/** Sets bytes, at least `length` of them, if they can be had. False if they are fewer. */
bool gltf_buffer_load(gltf_buffer *buffer, size_t i, const gltf_external *beside, failure *why);

#endif

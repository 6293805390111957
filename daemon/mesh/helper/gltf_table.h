/* The lists of a glTF as tables: gltf_table.c fills them and gltf_data.c uses them. Nobody else includes it. */
#ifndef CLASHD_MESH_HELPER_GLTF_TABLE_H
#define CLASHD_MESH_HELPER_GLTF_TABLE_H

#include "cli/failure.h"
#include <stdint.h>

#include "mesh/helper/gltf_buffer.h"

#define GLTF_NOWHERE SIZE_MAX
/** The size of a place in the document, such as "meshes[0].primitives[0].indices". */
#define GLTF_PLACE_MAX 96

typedef struct gltf_view {
    size_t buffer, offset, length, stride; /* stride 0: elements without gaps */
} gltf_view;

typedef struct gltf_accessor {
    size_t view, offset, count; /* view GLTF_NOWHERE: zeros */
    size_t component_bytes, components;
    int component_type;
    bool is_sparse, has_highest;
    uint32_t highest; /* of its values, once scanned */
} gltf_accessor;

typedef struct gltf_table {
    const cJSON *document;
    const char *binary;
    size_t binary_size;
    const gltf_external *beside;
    gltf_buffer *buffers;
    gltf_view *views;
    gltf_accessor *accessors;
    size_t buffer_count, view_count, accessor_count;
    failure *why; /* what is wrong is written here */
} gltf_table;

/** Return the member of that name, or NULL. */
static inline const cJSON *gltf_at(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/** Fill in the rest from "document", "binary", "beside" and "why"; check that each view is in its buffer and each
 *  accessor in its view. */
bool gltf_table_fill(gltf_table *c);
void gltf_table_finish(gltf_table *c);

/** Read an index of a list of `count` things; GLTF_NOWHERE if there is none and it `may_miss`. */
bool gltf_take_index(const gltf_table *c, const cJSON *number, size_t count, bool may_miss, const char *where,
                     const char *list, size_t *out);

#endif

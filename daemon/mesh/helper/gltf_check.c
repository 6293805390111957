/* Go through a document once for each of its lists. Numbers are doubles here, which hold every size below the limit
 * exactly. See gltf_check.h. */
#include "mesh/helper/gltf_check.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/helper/gltf_data.h"
#include "mesh/mesh_data.h"

#define MAGIC "glTF"
/** The size of a binary file's header, then of its first chunk's, which is the JSON. */
#define HEADER_BYTES 12
#define CHUNK_BYTES 8
#define BINARY 0x004e4942
/** The size of an accessor's largest element: a 4x4 matrix of floats. */
#define ELEMENT_BYTES_MAX 64

typedef struct checking {
    const cJSON *document;
    failure *why;
} checking;

/* Return whether it is a whole number of at most the bytes that are ever read, or missing. */
static bool is_size(const cJSON *number)
{
    return !number ||
           (cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble <= (double)MESH_FILE_BYTES_MAX &&
            floor(number->valuedouble) == number->valuedouble);
}

static bool check_sizes(const checking *c, const char *list, const cJSON *object, const char *where, size_t i)
{
    static const char *const keys[] = {"byteLength", "byteOffset", "byteStride", "count"};

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (!is_size(cJSON_GetObjectItemCaseSensitive(object, keys[k])))
            return fail_with(c->why, "%s[%zu]%s.%s: expected a whole number up to %llu", list, i, where, keys[k],
                             (unsigned long long)MESH_FILE_BYTES_MAX);
    return true;
}

static bool check_list(const checking *c, const char *name)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->document, name), *one;
    size_t i = 0;

    cJSON_ArrayForEach(one, list)
    {
        const cJSON *sparse = cJSON_GetObjectItemCaseSensitive(one, "sparse");

        if (!check_sizes(c, name, one, "", i) || !check_sizes(c, name, sparse, ".sparse", i) ||
            !check_sizes(c, name, cJSON_GetObjectItemCaseSensitive(sparse, "indices"), ".sparse.indices", i) ||
            !check_sizes(c, name, cJSON_GetObjectItemCaseSensitive(sparse, "values"), ".sparse.values", i))
            return false;
        i++;
    }
    return true;
}

/* A sparse accessor has all its elements allocated, however few are in the file. */
static bool check_sparse(const checking *c)
{
    const cJSON *one;
    double bytes = 0;
    size_t i = 0;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(c->document, "accessors"))
    {
        const cJSON *count = cJSON_GetObjectItemCaseSensitive(one, "count");

        if (cJSON_GetObjectItemCaseSensitive(one, "sparse") && count)
            bytes += count->valuedouble * ELEMENT_BYTES_MAX;
        if (bytes > (double)MESH_FILE_BYTES_MAX)
            return fail_with(c->why, "accessors[%zu].count: sparse accessors take more than %llu bytes", i,
                             (unsigned long long)MESH_FILE_BYTES_MAX);
        i++;
    }
    return true;
}

/* ---- nodes ---- */

#define NOBODY UINT32_MAX

/* Require that nodes are trees: a node with two parents exists twice, and a few dozen of them in a row exceed any
 * memory. */
static bool note_children(const checking *c, const cJSON *node, uint32_t i, uint32_t *parents, uint32_t count)
{
    const cJSON *child;

    cJSON_ArrayForEach(child, cJSON_GetObjectItemCaseSensitive(node, "children"))
    {
        const double index = cJSON_IsNumber(child) ? child->valuedouble : -1;

        if (!(index >= 0 && index < (double)count) || floor(index) != index)
            return fail_with(c->why, "nodes[%u].children: expected numbers of nodes, from 0 to %u", (unsigned)i,
                             (unsigned)count - 1);
        if (parents[(size_t)index] != NOBODY)
            return fail_with(c->why, "nodes[%u].children: node %u is a child twice", (unsigned)i, (unsigned)index);
        parents[(size_t)index] = i;
    }
    return true;
}

/* Walk up from each node until the way is too long: a node that is its own ancestor has no end. `depths` are those
 * known so far, 0: unknown. */
static bool check_depth(const checking *c, uint32_t i, const uint32_t *parents, uint32_t *depths)
{
    uint32_t steps = 0, at = i;

    for (; at != NOBODY && depths[at] == 0; at = parents[at])
        if (++steps > GLTF_NODES_DEEP_MAX)
            break;
    if (steps + (at == NOBODY ? 0 : depths[at]) > GLTF_NODES_DEEP_MAX)
        return fail_with(c->why, "nodes[%u]: lies more than %d nodes deep, or within itself", (unsigned)i,
                         GLTF_NODES_DEEP_MAX);
    depths[i] = steps + (at == NOBODY ? 0 : depths[at]);
    return true;
}

static bool check_tree(const checking *c, const cJSON *nodes, uint32_t *parents, uint32_t *depths, uint32_t count)
{
    const cJSON *node;
    uint32_t i = 0;

    for (; i < count; i++)
        parents[i] = NOBODY;
    i = 0;
    cJSON_ArrayForEach(node, nodes)
    {
        if (!note_children(c, node, i++, parents, count))
            return false;
    }
    for (i = 0; i < count; i++)
        if (!check_depth(c, i, parents, depths))
            return false;
    return true;
}

static bool check_nodes(const checking *c)
{
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(c->document, "nodes");
    const uint32_t count = (uint32_t)cJSON_GetArraySize(nodes);
    uint32_t *parents = calloc((size_t)count + 1, sizeof *parents), *depths = calloc((size_t)count + 1, sizeof *depths);
    const bool is_good = parents && depths ? check_tree(c, nodes, parents, depths, count)
                                           : fail_with(c->why, "takes more memory than there is");

    free(parents);
    free(depths);
    return is_good;
}

/* ---- the document ---- */

/* Check the depth first: a parser that recurses has no room for any number of levels. */
static bool is_shallow(const char *json, size_t length)
{
    bool is_string = false;
    size_t depth = 0;

    for (size_t i = 0; i < length; i++) {
        if (is_string && json[i] == '\\')
            i++;
        else if (json[i] == '"')
            is_string = !is_string;
        else if (!is_string && (json[i] == '[' || json[i] == '{') && ++depth > GLTF_JSON_DEEP_MAX)
            return false;
        else if (!is_string && (json[i] == ']' || json[i] == '}') && depth > 0)
            depth--;
    }
    return true;
}

/* Any other version is another format. */
static bool check_version(const checking *c)
{
    const cJSON *asset = cJSON_GetObjectItemCaseSensitive(c->document, "asset");
    const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(asset, "version"));

    return version && strncmp(version, "2.", 2) == 0 ? true : fail_with(c->why, "asset.version: expected 2.0");
}

/** `binary`: what follows the JSON in a binary file, or NULL. */
static bool check_document(const char *json, size_t length, const char *binary, size_t binary_size,
                           const gltf_external *beside, failure *why)
{
    checking here = {NULL, why}, *c = &here;
    cJSON *document;
    bool is_good;

    if (!is_shallow(json, length))
        return fail_with(c->why, "its JSON is nested more than %d deep", GLTF_JSON_DEEP_MAX);
    here.document = document = cJSON_ParseWithLength(json, length);
    if (!cJSON_IsObject(document))
        is_good = fail_with(c->why, "is no JSON");
    else
        is_good = check_version(c) && check_list(c, "buffers") && check_list(c, "bufferViews") &&
                  check_list(c, "accessors") && check_sparse(c) && check_nodes(c) &&
                  gltf_check_data(document, binary, binary_size, beside, why);
    cJSON_Delete(document);
    return is_good;
}

static uint32_t word_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/** Check a binary file. Of the chunks after the JSON only the first may be the binary one. */
static bool check_binary(const char *bytes, size_t size, const gltf_external *beside, failure *why)
{
    const char *json = bytes + HEADER_BYTES + CHUNK_BYTES, *binary = NULL;
    const size_t room = size - HEADER_BYTES - CHUNK_BYTES, length = word_at(bytes + HEADER_BYTES);
    const size_t next = (length + 3) / 4 * 4 + CHUNK_BYTES; /* chunks are whole words */
    size_t binary_size = 0;

    if (length > room) {
        return fail_with(why, "its JSON has %zu bytes, and the file only %zu", length, size);
    }
    if (next <= room && word_at(json + next - 4) == BINARY) {
        binary = json + next;
        binary_size = word_at(json + next - 8);
        if (binary_size > room - next) {
            return fail_with(why, "its binary chunk has %zu bytes, and the file only %zu", binary_size, size);
        }
    }
    return check_document(json, length, binary, binary_size, beside, why);
}

bool gltf_check(const char *bytes, size_t size, const gltf_external *beside, failure *why)
{
    size_t first = 0;

    if (size >= HEADER_BYTES + CHUNK_BYTES && memcmp(bytes, MAGIC, 4) == 0)
        return check_binary(bytes, size, beside, why);
    while (first < size && strchr("\xef\xbb\xbf \t\r\n", bytes[first]) && bytes[first])
        first++;
    if (first < size && bytes[first] == '{')
        return check_document(bytes + first, size - first, NULL, 0, beside, why);
    return fail_with(why, "is no glTF: it begins neither with glTF nor with {");
}

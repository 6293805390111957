/* A document is gone through once for each of its lists. Numbers are doubles here, which have every size below the limit
 * exactly. See mesh_gltf.h. */
#include "app/mesh_gltf.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/mesh_file.h"

#define MAGIC "glTF"
/** A binary file's own header, then that of its first chunk, which is the JSON. */
#define HEADER_BYTES 12
#define CHUNK_BYTES 8
/** An accessor's largest element: a 4x4 matrix of floats. */
#define ELEMENT_BYTES_MAX 64

typedef struct checking {
    const cJSON *document;
    char *why;
    size_t why_size;
} checking;

#define FAIL(...) (snprintf(c->why, c->why_size, __VA_ARGS__), false)

/* A whole number of at most the bytes that are ever read; or nothing. */
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
            return FAIL("%s[%zu]%s.%s: expected a whole number up to %llu", list, i, where, keys[k],
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

/* What is sparse has all its elements made, however few are in the file. */
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
            return FAIL("accessors[%zu].count: sparse accessors take more than %llu bytes", i,
                        (unsigned long long)MESH_FILE_BYTES_MAX);
        i++;
    }
    return true;
}

/* Nodes are trees: of one that had two parents there would be two, and of a few dozen such more than any memory holds. */
static bool mark_children(const checking *c, const cJSON *node, size_t i, bool *is_child, size_t count)
{
    const cJSON *child;

    cJSON_ArrayForEach(child, cJSON_GetObjectItemCaseSensitive(node, "children"))
    {
        const double index = cJSON_IsNumber(child) ? child->valuedouble : -1;

        if (!(index >= 0 && index < (double)count) || floor(index) != index)
            return FAIL("nodes[%zu].children: expected numbers of nodes, from 0 to %zu", i, count - 1);
        if (is_child[(size_t)index])
            return FAIL("nodes[%zu].children: node %zu is a child twice", i, (size_t)index);
        is_child[(size_t)index] = true;
    }
    return true;
}

static bool check_nodes(const checking *c)
{
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(c->document, "nodes"), *node;
    const size_t count = (size_t)cJSON_GetArraySize(nodes);
    bool *is_child = calloc(count + 1, sizeof *is_child), is_good = true;
    size_t i = 0;

    if (!is_child)
        return FAIL("takes more memory than there is");
    cJSON_ArrayForEach(node, nodes)
    {
        is_good = is_good && mark_children(c, node, i, is_child, count);
        i++;
    }
    free(is_child);
    return is_good;
}

/* What else there is under that version is another format. */
static bool check_version(const checking *c)
{
    const cJSON *asset = cJSON_GetObjectItemCaseSensitive(c->document, "asset");
    const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(asset, "version"));

    return version && strncmp(version, "2.", 2) == 0 ? true : FAIL("asset.version: expected 2.0");
}

static bool check_document(const char *json, size_t length, char *out_why, size_t why_size)
{
    cJSON *document = cJSON_ParseWithLength(json, length);
    const checking here = {document, out_why, why_size}, *c = &here;
    bool is_good;

    if (!cJSON_IsObject(document))
        is_good = FAIL("is no JSON, or nested too deep");
    else
        is_good = check_version(c) && check_list(c, "buffers") && check_list(c, "bufferViews") &&
                  check_list(c, "accessors") && check_sparse(c) && check_nodes(c);
    cJSON_Delete(document);
    return is_good;
}

static uint32_t word_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

bool mesh_gltf_check(const char *bytes, size_t size, char *out_why, size_t why_size)
{
    const size_t start = HEADER_BYTES + CHUNK_BYTES;
    size_t first = 0;

    if (size >= start && memcmp(bytes, MAGIC, 4) == 0) {
        const uint32_t length = word_at(bytes + HEADER_BYTES);

        if (length <= size - start)
            return check_document(bytes + start, length, out_why, why_size);
        snprintf(out_why, why_size, "its JSON has %u bytes, and the file only %zu", (unsigned)length, size);
        return false;
    }
    while (first < size && strchr("\xef\xbb\xbf \t\r\n", bytes[first]) && bytes[first])
        first++;
    return first == size || bytes[first] != '{' || check_document(bytes + first, size - first, out_why, why_size);
}

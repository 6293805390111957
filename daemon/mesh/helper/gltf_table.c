/* Put each list into a table, because cJSON's lists are linked. See gltf_table.h. */
#include "mesh/helper/gltf_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_of(const gltf_table *c, const char *list)
{
    return (size_t)cJSON_GetArraySize(gltf_at(c->document, list));
}

/** Return a size that gltf_check.c has checked. */
static size_t size_of(const cJSON *object, const char *key)
{
    const cJSON *number = gltf_at(object, key);

    return number && cJSON_IsNumber(number) ? (size_t)number->valuedouble : 0;
}

bool gltf_take_index(const gltf_table *c, const cJSON *number, size_t count, bool may_miss, const char *where,
                     const char *list, size_t *out)
{
    const double index = number && cJSON_IsNumber(number) ? number->valuedouble : -1;

    *out = GLTF_NOWHERE;
    if (!number && may_miss)
        return true;
    if (!(index >= 0 && index < (double)count) || floor(index) != index)
        return fail_with(c->why, "%s: expected the number of one of its %zu %s, from 0 on", where, count, list);
    *out = (size_t)index;
    return true;
}

/* ---- buffers and views ---- */

static bool take_buffers(gltf_table *c)
{
    const cJSON *one;
    size_t i = 0;

    cJSON_ArrayForEach(one, gltf_at(c->document, "buffers"))
    {
        if (!gltf_buffer_init(&c->buffers[i], one, i, i == 0 ? c->binary : NULL, c->binary_size, c->why))
            return false;
        i++;
    }
    return true;
}

static bool take_views(gltf_table *c)
{
    char where[GLTF_PLACE_MAX];
    const cJSON *one;
    size_t i = 0;

    cJSON_ArrayForEach(one, gltf_at(c->document, "bufferViews"))
    {
        gltf_view *v = &c->views[i];

        *v = (gltf_view){0, size_of(one, "byteOffset"), size_of(one, "byteLength"), size_of(one, "byteStride")};
        snprintf(where, sizeof where, "bufferViews[%zu].buffer", i);
        if (!gltf_take_index(c, gltf_at(one, "buffer"), c->buffer_count, false, where, "buffers", &v->buffer))
            return false;
        if (v->offset + v->length > c->buffers[v->buffer].length)
            return fail_with(c->why, "bufferViews[%zu]: ends at byte %zu of buffers[%zu], which has %zu", i,
                             v->offset + v->length, v->buffer, c->buffers[v->buffer].length);
        i++;
    }
    return true;
}

/* ---- accessors ---- */

static size_t component_bytes(int type)
{
    switch (type) {
    case 5120:
    case 5121:
        return 1;
    case 5122:
    case 5123:
        return 2;
    case 5125:
    case 5126:
        return 4;
    default:
        return 0;
    }
}

static size_t component_count(const char *type)
{
    static const struct {
        const char *type;
        size_t count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};

    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].count;
    return 0;
}

static int whole(const cJSON *number)
{
    return number && cJSON_IsNumber(number) && fabs(number->valuedouble) < 1e6 ? (int)number->valuedouble : -1;
}

/** Return whether all of `count` elements from an offset of a view on exist. */
static bool fits(const gltf_table *c, const char *where, size_t v, size_t offset, size_t count, size_t element)
{
    const gltf_view *in = &c->views[v];
    const size_t stride = in->stride ? in->stride : element;
    const double last = count > 0 ? (double)(count - 1) * (double)stride + (double)element : 0;

    if (count > 1 && stride < element)
        return fail_with(c->why, "bufferViews[%zu].byteStride: expected at least %zu, for %s", v, element, where);
    if ((double)offset + last > (double)in->length)
        return fail_with(c->why, "%s: ends at byte %.0f of bufferViews[%zu], which has %zu", where,
                         (double)offset + last, v, in->length);
    return true;
}

/** Check either half of a sparse accessor. */
static bool check_sparse(const gltf_table *c, const cJSON *sparse, const char *half, size_t i, size_t count,
                         size_t element)
{
    const cJSON *one = gltf_at(sparse, half);
    char where[GLTF_PLACE_MAX], key[GLTF_PLACE_MAX + 16];
    size_t v;

    snprintf(where, sizeof where, "accessors[%zu].sparse.%s", i, half);
    snprintf(key, sizeof key, "%s.bufferView", where);
    if (element == 0)
        return fail_with(c->why, "%s.componentType: expected 5121, 5123 or 5125", where);
    return gltf_take_index(c, gltf_at(one, "bufferView"), c->view_count, false, key, "bufferViews", &v) &&
           fits(c, where, v, size_of(one, "byteOffset"), count, element);
}

static bool check_accessor(const gltf_table *c, const cJSON *one, const gltf_accessor *a, size_t i)
{
    const cJSON *sparse = gltf_at(one, "sparse");
    const int type = whole(gltf_at(gltf_at(sparse, "indices"), "componentType"));
    const size_t element = a->components * a->component_bytes, count = size_of(sparse, "count");
    char where[GLTF_PLACE_MAX];

    if (a->component_bytes == 0)
        return fail_with(c->why, "accessors[%zu].componentType: expected 5120, 5121, 5122, 5123, 5125 or 5126", i);
    if (a->components == 0)
        return fail_with(c->why, "accessors[%zu].type: expected SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4", i);
    snprintf(where, sizeof where, "accessors[%zu]", i);
    if (a->view != GLTF_NOWHERE && !fits(c, where, a->view, a->offset, a->count, element))
        return false;
    if (!sparse)
        return true;
    if (count > a->count)
        return fail_with(c->why, "accessors[%zu].sparse.count: expected at most %zu, which the accessor has", i,
                         a->count);
    return check_sparse(c, sparse, "indices", i, count,
                        type == 5121 || type == 5123 || type == 5125 ? component_bytes(type) : 0) &&
           check_sparse(c, sparse, "values", i, count, element);
}

static bool take_accessors(gltf_table *c)
{
    char where[GLTF_PLACE_MAX];
    const cJSON *one;
    size_t i = 0;

    cJSON_ArrayForEach(one, gltf_at(c->document, "accessors"))
    {
        gltf_accessor *a = &c->accessors[i];

        *a = (gltf_accessor){.offset = size_of(one, "byteOffset"), .count = size_of(one, "count")};
        a->component_type = whole(gltf_at(one, "componentType"));
        a->component_bytes = component_bytes(a->component_type);
        a->components = component_count(cJSON_GetStringValue(gltf_at(one, "type")));
        a->is_sparse = gltf_at(one, "sparse") != NULL;
        snprintf(where, sizeof where, "accessors[%zu].bufferView", i);
        if (!gltf_take_index(c, gltf_at(one, "bufferView"), c->view_count, true, where, "bufferViews", &a->view) ||
            !check_accessor(c, one, a, i))
            return false;
        i++;
    }
    return true;
}

/* ---- all of them ---- */

bool gltf_table_fill(gltf_table *c)
{
    c->buffer_count = count_of(c, "buffers");
    c->view_count = count_of(c, "bufferViews");
    c->accessor_count = count_of(c, "accessors");
    c->buffers = calloc(c->buffer_count + 1, sizeof *c->buffers);
    c->views = calloc(c->view_count + 1, sizeof *c->views);
    c->accessors = calloc(c->accessor_count + 1, sizeof *c->accessors);
    if (!c->buffers || !c->views || !c->accessors)
        return fail_with(c->why, "takes more memory than there is");
    return take_buffers(c) && take_views(c) && take_accessors(c);
}

void gltf_table_finish(gltf_table *c)
{
    for (size_t i = 0; c->buffers && i < c->buffer_count; i++)
        free(c->buffers[i].own);
    free(c->buffers);
    free(c->views);
    free(c->accessors);
}

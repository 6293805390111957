/* What meshes, nodes and scenes refer to. An accessor's indices are scanned once, however many meshes use them. See
 * gltf_data.h. */
#include "mesh/helper/gltf_data.h"

#include <stdio.h>

#include "mesh/helper/gltf_check.h"
#include "mesh/helper/gltf_table.h"
#include "mesh/mesh_data.h"

/* ---- meshes ---- */

/** Return whether a triangle's data is there: a compressed mesh has it elsewhere. */
static bool check_use(const gltf_table *c, size_t i, size_t components, const char *where)
{
    const gltf_accessor *a = &c->accessors[i];
    size_t buffer;

    if (a->components != components)
        return fail_with(c->why, "accessors[%zu].type: expected %s, for %s", i, components == 1 ? "SCALAR" : "VEC3",
                         where);
    if (a->view == GLTF_NOWHERE)
        return a->is_sparse
                   ? true
                   : fail_with(c->why,
                               "accessors[%zu].bufferView: is missing, for %s (of what is compressed nothing is read)",
                               i, where);
    buffer = c->views[a->view].buffer;
    return gltf_buffer_load(&c->buffers[buffer], buffer, c->beside, c->why);
}

static uint32_t value_at(const unsigned char *at, size_t bytes)
{
    uint32_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

/** Find the highest index. Return whether it is known: not if the accessor is sparse or its data is not available. */
static bool find_highest(const gltf_table *c, gltf_accessor *a)
{
    const gltf_view *v = a->view != GLTF_NOWHERE ? &c->views[a->view] : NULL;
    const char *bytes = v && !a->is_sparse ? c->buffers[v->buffer].bytes : NULL;
    const size_t stride = v && v->stride ? v->stride : a->component_bytes;

    if (!bytes || a->has_highest)
        return bytes != NULL;
    for (size_t i = 0; i < a->count; i++) {
        const uint32_t value =
            value_at((const unsigned char *)bytes + v->offset + a->offset + i * stride, a->component_bytes);

        a->highest = value > a->highest ? value : a->highest;
    }
    a->has_highest = true;
    return true;
}

static bool check_indices(const gltf_table *c, size_t indices, size_t positions, const char *where)
{
    gltf_accessor *a = &c->accessors[indices];

    if (a->component_type != 5121 && a->component_type != 5123 && a->component_type != 5125)
        return fail_with(c->why, "accessors[%zu].componentType: expected 5121, 5123 or 5125, for %s", indices, where);
    if (!check_use(c, indices, 1, where))
        return false;
    if (positions != GLTF_NOWHERE && find_highest(c, a) && a->count > 0 && a->highest >= c->accessors[positions].count)
        return fail_with(c->why, "accessors[%zu]: has the index %u, and there are %zu positions in accessors[%zu]",
                         indices, (unsigned)a->highest, c->accessors[positions].count, positions);
    return true;
}

/* What a loader takes for a primitive, and for each of its morph targets, apart from their numbers. */
#define PRIMITIVE_BYTES 2048
#define TARGET_BYTES 1536
/* Of a position, and of a corner with its part of a triangle. */
#define POSITION_BYTES 12
#define CORNER_BYTES 24

/** What all primitives so far take. */
typedef struct cost {
    double bytes;
    size_t targets;
} cost;

/** Require the corners that the mode needs: loaders compute the number of triangles in 32 bits, so fewer become 4 thousand million. */
static bool check_mode(const gltf_table *c, const cJSON *primitive, size_t corners, const char *where)
{
    const cJSON *number = gltf_at(primitive, "mode");
    const double mode = !number ? 4 : cJSON_IsNumber(number) ? number->valuedouble : -1;
    const size_t least = mode == 5 || mode == 6 ? 3 : mode == 2 || mode == 3 ? 2 : 0;

    if (!(mode >= 0 && mode <= 6) || (double)(int)mode != mode)
        return fail_with(c->why, "%s.mode: expected a whole number from 0 to 6", where);
    return corners >= least || fail_with(c->why, "%s: has %zu corners, expected at least %zu with mode %d", where,
                                         corners, least, (int)mode);
}

/** Add what a loader takes for it, which is copied for each morph target. */
static bool check_cost(const gltf_table *c, const cJSON *primitive, size_t positions, size_t corners, const char *where,
                       cost *all)
{
    const size_t targets = (size_t)cJSON_GetArraySize(gltf_at(primitive, "targets"));

    all->targets += targets;
    all->bytes += PRIMITIVE_BYTES + (double)positions * POSITION_BYTES + (double)corners * CORNER_BYTES +
                  (double)targets * (TARGET_BYTES + (double)positions * POSITION_BYTES);
    if (all->targets > GLTF_TARGETS_MAX)
        return fail_with(c->why,
                         "%s.targets: the file has more than %d morph targets, which are not used: leave them out",
                         where, GLTF_TARGETS_MAX);
    return all->bytes <= (double)MESH_MEMORY_MAX ||
           fail_with(c->why, "%s: with those before it takes more than %llu bytes of memory", where,
                     (unsigned long long)MESH_MEMORY_MAX);
}

static bool check_size(const gltf_table *c, const cJSON *primitive, size_t positions, size_t indices, size_t mesh,
                       size_t i, cost *all)
{
    const size_t count = positions == GLTF_NOWHERE ? 0 : c->accessors[positions].count;
    const size_t corners = indices == GLTF_NOWHERE ? count : c->accessors[indices].count;
    char where[GLTF_PLACE_MAX];

    snprintf(where, sizeof where, "meshes[%zu].primitives[%zu]", mesh, i);
    return check_mode(c, primitive, corners, where) && check_cost(c, primitive, count, corners, where, all);
}

static bool check_primitive(const gltf_table *c, const cJSON *primitive, size_t mesh, size_t i, cost *all)
{
    char where[GLTF_PLACE_MAX];
    size_t positions, indices;

    snprintf(where, sizeof where, "meshes[%zu].primitives[%zu].attributes.POSITION", mesh, i);
    if (!gltf_take_index(c, gltf_at(gltf_at(primitive, "attributes"), "POSITION"), c->accessor_count, true, where,
                         "accessors", &positions))
        return false;
    if (positions != GLTF_NOWHERE) {
        if (c->accessors[positions].component_type != 5126)
            return fail_with(c->why, "accessors[%zu].componentType: expected 5126, for %s", positions, where);
        if (!check_use(c, positions, 3, where))
            return false;
    }
    snprintf(where, sizeof where, "meshes[%zu].primitives[%zu].indices", mesh, i);
    if (!gltf_take_index(c, gltf_at(primitive, "indices"), c->accessor_count, true, where, "accessors", &indices))
        return false;
    return (indices == GLTF_NOWHERE || check_indices(c, indices, positions, where)) &&
           check_size(c, primitive, positions, indices, mesh, i, all);
}

static bool check_meshes(const gltf_table *c)
{
    const cJSON *mesh, *primitive;
    cost all = {0};
    size_t i = 0, k;

    cJSON_ArrayForEach(mesh, gltf_at(c->document, "meshes"))
    {
        k = 0;
        cJSON_ArrayForEach(primitive, gltf_at(mesh, "primitives"))
        {
            if (!check_primitive(c, primitive, i, k++, &all))
                return false;
        }
        i++;
    }
    return true;
}

/* ---- nodes and scenes ---- */

static bool check_nodes(const gltf_table *c)
{
    const size_t meshes = (size_t)cJSON_GetArraySize(gltf_at(c->document, "meshes"));
    const size_t nodes = (size_t)cJSON_GetArraySize(gltf_at(c->document, "nodes"));
    const size_t scenes = (size_t)cJSON_GetArraySize(gltf_at(c->document, "scenes"));
    char where[GLTF_PLACE_MAX];
    const cJSON *one, *root;
    size_t i = 0, found;

    cJSON_ArrayForEach(one, gltf_at(c->document, "nodes"))
    {
        snprintf(where, sizeof where, "nodes[%zu].mesh", i++);
        if (!gltf_take_index(c, gltf_at(one, "mesh"), meshes, true, where, "meshes", &found))
            return false;
    }
    i = 0;
    cJSON_ArrayForEach(one, gltf_at(c->document, "scenes"))
    {
        snprintf(where, sizeof where, "scenes[%zu].nodes", i++);
        cJSON_ArrayForEach(root, gltf_at(one, "nodes"))
        {
            if (!gltf_take_index(c, root, nodes, false, where, "nodes", &found))
                return false;
        }
    }
    return gltf_take_index(c, gltf_at(c->document, "scene"), scenes, true, "scene", "scenes", &found);
}

bool gltf_check_data(const cJSON *document, const char *binary, size_t binary_size, const gltf_external *beside,
                     failure *why)
{
    gltf_table table = {document, binary, binary_size, beside, .why = why};
    const bool is_good = gltf_table_fill(&table) && check_meshes(&table) && check_nodes(&table);

    gltf_table_finish(&table);
    return is_good;
}

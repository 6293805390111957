/* What a schema cannot say of shapes: which keys go together, numbers that no float holds, triangles on vertices that are
 * not there, heights that are too few. See parse_shape.h. */
#include "parse_shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"

#define UNIT_TOLERANCE 0.01f

const char *parse_shape_key(clash_shape_kind kind)
{
    static const char *const keys[] = {
        [CLASH_SHAPE_SPHERE] = "sphere", [CLASH_SHAPE_CAPSULE] = "capsule", [CLASH_SHAPE_BOX] = "box",
        [CLASH_SHAPE_MESH] = "mesh",     [CLASH_SHAPE_TERRAIN] = "terrain",
    };

    return (size_t)kind < sizeof keys / sizeof keys[0] ? keys[kind] : "sphere";
}

bool parse_shape_numbers_fit(const cJSON *object, const char *where, failure *out_failure)
{
    static const char *const keys[] = {"center",  "radius",  "base",   "tip",   "size",     "orientation", "vertices",
                                       "spacing", "heights", "height", "scale", "position", "rotation"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (parse_at(object, keys[i]) && !parse_fits_float(parse_at(object, keys[i])))
            return fail_with(out_failure, "%s%s: a number is out of range", where, keys[i]);
    return true;
}

static clash_vec3 take_vector(const cJSON *object, const char *key, protocol_axes axes)
{
    return protocol_axes_vec3(axes, parse_vec3(parse_at(object, key)));
}

static bool take_box(const cJSON *object, protocol_axes axes, clash_box *out, failure *out_failure)
{
    const cJSON *turn = parse_at(object, "orientation");
    const clash_vec3 whole = parse_vec3(parse_at(object, "size"));
    const clash_quat q = turn ? parse_quat(turn) : (clash_quat){0.0f, 0.0f, 0.0f, 1.0f};

    if (!clash_quat_is_unit(q, UNIT_TOLERANCE))
        return fail_with(out_failure, "box.orientation: expected a quaternion of unit length");
    *out = (clash_box){.center = take_vector(object, "center", axes),
                       .orientation = protocol_axes_quat(axes, q),
                       .half = {whole.x / 2.0f, whole.y / 2.0f, whole.z / 2.0f}};
    return true;
}

/* ---- surfaces ---- */

static bool take_vertices(const cJSON *array, clash_target_mesh *out)
{
    const cJSON *vertex;

    out->vertex_count = 0;
    cJSON_ArrayForEach(vertex, array)
    {
        if (out->vertex_count == CLASH_TARGET_VERTICES_MAX)
            return false; /* the schema allows no more */
        out->vertices[out->vertex_count++] = parse_vec3(vertex);
    }
    return out->vertex_count > 0;
}

static bool take_triangles(const cJSON *array, const char *where, clash_target_mesh *out, failure *out_failure)
{
    const cJSON *triangle, *corner;

    out->triangle_count = 0;
    cJSON_ArrayForEach(triangle, array)
    {
        size_t i = 0;

        if (out->triangle_count == CLASH_TARGET_TRIANGLES_MAX)
            return fail_with(out_failure, "%striangles: expected at most %d", where, CLASH_TARGET_TRIANGLES_MAX);
        cJSON_ArrayForEach(corner, triangle)
        {
            const uint32_t vertex = (uint32_t)corner->valuedouble;

            if (vertex >= out->vertex_count)
                return fail_with(out_failure, "%striangles[%u]: there is no vertex %u: there are %u, counted from 0",
                                 where, (unsigned)out->triangle_count, (unsigned)vertex, (unsigned)out->vertex_count);
            if (i < 3) /* the schema allows no more */
                out->triangles[out->triangle_count][i++] = vertex;
        }
        out->triangle_count++;
    }
    return true;
}

bool parse_mesh_numbers(const cJSON *object, const char *where, clash_target_mesh *out, failure *out_failure)
{
    const cJSON *vertices = parse_at(object, "vertices"), *triangles = parse_at(object, "triangles");

    out->convex = cJSON_IsTrue(parse_at(object, "convex"));
    if (!vertices || (!triangles && !out->convex))
        return fail_with(out_failure, "%s%s: is missing: expected vertices and triangles", where,
                         vertices ? "triangles" : "vertices");
    if (!take_vertices(vertices, out))
        return fail_with(out_failure, "%svertices: expected 1 to %d", where, CLASH_TARGET_VERTICES_MAX);
    return take_triangles(triangles, where, out, out_failure);
}

static bool take_grid(const cJSON *object, const char *where, clash_target_terrain *out, failure *out_failure)
{
    static const char *const keys[] = {"columns", "rows", "spacing"};
    const cJSON *spacing = parse_at(object, "spacing");

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!parse_at(object, keys[i]))
            return fail_with(out_failure, "%s%s: is missing: a terrain has columns, rows, spacing and heights", where,
                             keys[i]);
    out->columns = (uint32_t)parse_int(object, "columns", 0);
    out->rows = (uint32_t)parse_int(object, "rows", 0);
    out->spacing_x = (float)spacing->child->valuedouble;
    out->spacing_z = (float)spacing->child->next->valuedouble;
    if (!(out->spacing_x > 0.0f && out->spacing_z > 0.0f))
        return fail_with(out_failure, "%sspacing: a number is out of range", where);
    return true;
}

bool parse_terrain_numbers(const cJSON *object, const char *where, clash_target_terrain *out, failure *out_failure)
{
    const cJSON *heights = parse_at(object, "heights"), *height;
    const int there = cJSON_GetArraySize(heights);
    size_t count = 0;

    if (!take_grid(object, where, out, out_failure))
        return false;
    if (!heights)
        return fail_with(out_failure, "%sheights: is missing: a terrain has columns, rows, spacing and heights", where);
    if ((uint64_t)out->columns * out->rows != (uint64_t)there || there > CLASH_TARGET_HEIGHTS_MAX)
        return fail_with(out_failure, "%sheights: expected %llu, %u columns by %u rows, got %d", where,
                         (unsigned long long)out->columns * out->rows, (unsigned)out->columns, (unsigned)out->rows,
                         there);
    cJSON_ArrayForEach(height, heights)
    {
        out->heights[count++] = (float)height->valuedouble;
    }
    return true;
}

static clash_vec3 mirror(clash_vec3 v)
{
    return protocol_axes_vec3(PROTOCOL_AXES_UNITY, v);
}

void parse_mirror_mesh(clash_target_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = mirror(mesh->vertices[i]);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t second = mesh->triangles[i][1];

        mesh->triangles[i][1] = mesh->triangles[i][2];
        mesh->triangles[i][2] = second;
    }
}

void parse_mirror_terrain(clash_target_terrain *terrain, clash_pose *pose)
{
    const size_t columns = terrain->columns, row = columns * sizeof terrain->heights[0];
    float kept[CLASH_TARGET_HEIGHTS_MAX / 2];

    for (uint32_t i = 0; i < terrain->rows / 2; i++) {
        float *one = &terrain->heights[i * columns];
        float *other = &terrain->heights[(terrain->rows - 1 - i) * columns];

        memcpy(kept, one, row);
        memcpy(one, other, row);
        memcpy(other, kept, row);
    }
    pose->position =
        clash_pose_apply(pose, (clash_vec3){0.0f, 0.0f, (float)(1 - (int)terrain->rows) * terrain->spacing_z});
}

/* ---- surfaces of files ---- */

static bool take_digest(const cJSON *object, parse_target_hand hand, clash_target_definition *out)
{
    const cJSON *digest = parse_at(object, "digest");

    return hand != PARSE_TARGET_RECORDING || !digest || parse_copy(digest, out->digest, sizeof out->digest);
}

static bool take_file(const cJSON *object, const char *key, parse_target_hand hand, clash_target_definition *out,
                      failure *out_failure)
{
    static const char *const written[] = {"vertices", "triangles", "heights"};

    if (hand == PARSE_TARGET_CLIENT)
        return fail_with(out_failure, "%s.file: clashd reads no files for clients: expected %s", key,
                         out->kind == CLASH_SHAPE_MESH ? "vertices and triangles" : "heights");
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        if (parse_at(object, written[i]))
            return fail_with(out_failure, "%s.%s: stands beside file, which has them", key, written[i]);
    if (!parse_copy(parse_at(object, "file"), out->file, sizeof out->file))
        return fail_with(out_failure, "%s.file: expected at most %zu bytes", key, sizeof out->file - 1);
    if (!take_digest(object, hand, out))
        return fail_with(out_failure, "%s.digest: expected %zu hexadecimal digits", key, sizeof out->digest - 1);
    return true;
}

static bool take_mesh(const cJSON *object, protocol_axes axes, parse_target_hand hand, clash_target_definition *out,
                      failure *out_failure)
{
    out->as.mesh.scale = parse_float(object, "scale", 1.0f);
    out->as.mesh.convex = cJSON_IsTrue(parse_at(object, "convex"));
    if (parse_at(object, "file"))
        return take_file(object, "mesh", hand, out, out_failure);
    if (!parse_mesh_numbers(object, "mesh.", &out->as.mesh, out_failure))
        return false;
    if (protocol_axes_are_mirrored(axes))
        parse_mirror_mesh(&out->as.mesh);
    return true;
}

static bool take_terrain(const cJSON *object, protocol_axes axes, parse_target_hand hand, clash_target_definition *out,
                         failure *out_failure)
{
    out->as.terrain.height = parse_float(object, "height", 1.0f);
    if (parse_at(object, "file")) {
        if (hand != PARSE_TARGET_CLIENT && !parse_at(object, "height"))
            return fail_with(out_failure, "terrain.height: is missing: a file's numbers say nothing of metres");
        return take_grid(object, "terrain.", &out->as.terrain, out_failure) &&
               take_file(object, "terrain", hand, out, out_failure);
    }
    if (!parse_terrain_numbers(object, "terrain.", &out->as.terrain, out_failure))
        return false;
    if (protocol_axes_are_mirrored(axes))
        parse_mirror_terrain(&out->as.terrain, &out->pose);
    return true;
}

bool parse_shape(const cJSON *object, clash_shape_kind kind, protocol_axes axes, parse_target_hand hand,
                 clash_target_definition *out, failure *out_failure)
{
    char where[16];

    snprintf(where, sizeof where, "%s.", parse_shape_key(kind));
    if (!parse_shape_numbers_fit(object, where, out_failure))
        return false;
    out->kind = kind;
    switch (kind) {
    case CLASH_SHAPE_SPHERE:
        out->as.sphere = (clash_sphere){take_vector(object, "center", axes), parse_float(object, "radius", 0.0f)};
        return true;
    case CLASH_SHAPE_CAPSULE:
        out->as.capsule = (clash_capsule){take_vector(object, "base", axes), take_vector(object, "tip", axes),
                                          parse_float(object, "radius", 0.0f)};
        return true;
    case CLASH_SHAPE_BOX:
        return take_box(object, axes, &out->as.box, out_failure);
    case CLASH_SHAPE_MESH:
        return take_mesh(object, axes, hand, out, out_failure);
    case CLASH_SHAPE_TERRAIN:
        return take_terrain(object, axes, hand, out, out_failure);
    }
    return false;
}

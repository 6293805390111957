/* Of plain numbers a shape: what a device carries is put into the device's frame, surfaces get their trees. See
 * target_shape.h. */
#include "target_shape.h"

#include "mesh_file.h"
#include "sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) (snprintf(out_error, size, __VA_ARGS__), -1)

static clash_quat turned(clash_quat first, clash_quat then)
{
    return (clash_quat){then.w * first.x + then.x * first.w + then.y * first.z - then.z * first.y,
                        then.w * first.y - then.x * first.z + then.y * first.w + then.z * first.x,
                        then.w * first.z + then.x * first.y - then.y * first.x + then.z * first.w,
                        then.w * first.w - then.x * first.x - then.y * first.y - then.z * first.z};
}

/* A still one stands where its pose says; of a carried one the pipeline knows only the device's. */
static void place(const clash_target_definition *d, clash_shape *shape)
{
    if (d->device[0] == '\0')
        return;
    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        shape->as.sphere.center = clash_pose_apply(&d->pose, shape->as.sphere.center);
        break;
    case CLASH_SHAPE_CAPSULE:
        shape->as.capsule.base = clash_pose_apply(&d->pose, shape->as.capsule.base);
        shape->as.capsule.tip = clash_pose_apply(&d->pose, shape->as.capsule.tip);
        break;
    case CLASH_SHAPE_BOX:
        shape->as.box.center = clash_pose_apply(&d->pose, shape->as.box.center);
        shape->as.box.orientation = turned(shape->as.box.orientation, d->pose.orientation);
        break;
    case CLASH_SHAPE_MESH: /* its vertices have been placed; a terrain is not carried */
    case CLASH_SHAPE_TERRAIN:
        break;
    }
}

static int make_mesh(const clash_target_definition *d, target_shape *out, char *out_error, size_t size)
{
    const clash_target_mesh *from = &d->as.mesh;
    clash_vec3 vertices[CLASH_TARGET_VERTICES_MAX];

    for (uint32_t i = 0; i < from->vertex_count; i++)
        vertices[i] = d->device[0] ? clash_pose_apply(&d->pose, from->vertices[i]) : from->vertices[i];
    out->mesh = clash_mesh_create(vertices, from->vertex_count, from->triangles, from->triangle_count);
    if (!out->mesh)
        return FAIL("mesh: %s", errno == ENOMEM ? "out of memory" : "its numbers are no mesh");
    return 0;
}

static int make_terrain(const clash_target_terrain *from, const float *heights, target_shape *out, char *out_error,
                        size_t size)
{
    out->terrain = clash_terrain_create(heights, from->columns, from->rows, from->spacing_x, from->spacing_z);
    if (!out->terrain)
        return FAIL("terrain: %s", errno == ENOMEM ? "out of memory" : "its numbers are no terrain");
    return 0;
}

/* ---- files ---- */

static int check_digest(clash_target_definition *d, char *out_error, size_t size)
{
    char found[SHA256_TEXT_MAX];

    if (sha256_of_file(d->file, found) != 0)
        return FAIL("%s: %s", d->file, strerror(errno));
    if (d->digest[0] && strcmp(d->digest, found) != 0)
        return FAIL("%s: is not the file that is meant: its SHA-256 is %.12s.., not %.12s..", d->file, found,
                    d->digest);
    snprintf(d->digest, sizeof d->digest, "%s", found);
    return 0;
}

/* As Unity and others export heights: 16 bits, the low byte first, 65535 the highest. */
static int read_heights(const clash_target_definition *d, float *out, size_t count, char *out_error, size_t size)
{
    FILE *file = fopen(d->file, "rb");
    unsigned char bytes[2];
    size_t i = 0;
    bool is_more;

    if (!file)
        return FAIL("%s: %s", d->file, strerror(errno));
    while (i < count && fread(bytes, 1, 2, file) == 2)
        out[i++] = (float)((double)(bytes[0] | bytes[1] << 8) / 65535.0 * (double)d->as.terrain.height);
    is_more = i == count && fgetc(file) != EOF;
    fclose(file);
    if (i < count || is_more)
        return FAIL("%s: expected %zu bytes, two for each of %u columns by %u rows", d->file, 2 * count,
                    (unsigned)d->as.terrain.columns, (unsigned)d->as.terrain.rows);
    return 0;
}

static int load_terrain(const clash_target_definition *d, target_shape *out, char *out_error, size_t size)
{
    const size_t count = (size_t)d->as.terrain.columns * d->as.terrain.rows;
    float *heights = malloc(count * sizeof *heights);
    int result;

    if (!heights)
        return FAIL("terrain: out of memory");
    result = read_heights(d, heights, count, out_error, size);
    if (result == 0)
        result = make_terrain(&d->as.terrain, heights, out, out_error, size);
    free(heights);
    return result;
}

/* Of the digest, what stands in the file itself; a glTF may have more in files beside it. */
static int load_mesh(const clash_target_definition *d, target_shape *out, char *out_error, size_t size)
{
    const float scale = d->as.mesh.scale;
    mesh_file file;

    if (mesh_file_load(d->file, &file, out_error, size) != 0)
        return -1;
    for (uint32_t i = 0; i < file.vertex_count; i++) {
        clash_vec3 *v = &file.vertices[i];

        *v = (clash_vec3){v->x * scale, v->y * scale, v->z * scale};
        if (d->device[0])
            *v = clash_pose_apply(&d->pose, *v);
    }
    out->mesh =
        clash_mesh_create(file.vertices, file.vertex_count, (const uint32_t(*)[3])file.triangles, file.triangle_count);
    if (!out->mesh)
        snprintf(out_error, size, "%s: %s", d->file, errno == ENOMEM ? "out of memory" : "its numbers are no mesh");
    mesh_file_finish(&file);
    return out->mesh ? 0 : -1;
}

static int make_surface(clash_target_definition *d, target_shape *out, char *out_error, size_t size)
{
    int result;

    if (d->file[0] && check_digest(d, out_error, size) != 0)
        return -1;
    if (d->kind == CLASH_SHAPE_MESH) {
        result = d->file[0] ? load_mesh(d, out, out_error, size) : make_mesh(d, out, out_error, size);
        out->shape.as.mesh = out->mesh;
    } else {
        result = d->file[0] ? load_terrain(d, out, out_error, size)
                            : make_terrain(&d->as.terrain, d->as.terrain.heights, out, out_error, size);
        out->shape.as.terrain = out->terrain;
    }
    return result;
}

int target_shape_make(clash_target_definition *definition, target_shape *out, char *out_error, size_t size)
{
    *out = (target_shape){.shape.kind = definition->kind};
    switch (definition->kind) {
    case CLASH_SHAPE_SPHERE:
        out->shape.as.sphere = definition->as.sphere;
        break;
    case CLASH_SHAPE_CAPSULE:
        out->shape.as.capsule = definition->as.capsule;
        break;
    case CLASH_SHAPE_BOX:
        out->shape.as.box = definition->as.box;
        break;
    case CLASH_SHAPE_MESH:
    case CLASH_SHAPE_TERRAIN:
        if (make_surface(definition, out, out_error, size) != 0)
            return -1;
        break;
    }
    place(definition, &out->shape);
    return 0;
}

void target_shape_finish(target_shape *s)
{
    clash_mesh_destroy(s->mesh);
    clash_terrain_destroy(s->terrain);
    *s = (target_shape){.shape.kind = CLASH_SHAPE_SPHERE};
}

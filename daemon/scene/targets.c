#include "targets.h"

#include "mesh/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the shape of a definition ---- */

static clash_quat turned(clash_quat first, clash_quat then)
{
    return (clash_quat){then.w * first.x + then.x * first.w + then.y * first.z - then.z * first.y,
                        then.w * first.y - then.x * first.z + then.y * first.w + then.z * first.x,
                        then.w * first.z + then.x * first.y - then.y * first.x + then.z * first.w,
                        then.w * first.w - then.x * first.x - then.y * first.y - then.z * first.z};
}

/* Place a static shape at its pose; for a carried one the pipeline knows only the device's pose. */
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
    case CLASH_SHAPE_MESH: /* its vertices are placed already; a terrain is not carried */
    case CLASH_SHAPE_TERRAIN:
        break;
    }
}

static int make_mesh(const clash_target_definition *d, target_shape *out, failure *out_failure)
{
    const clash_target_mesh *from = &d->as.mesh;
    clash_vec3 vertices[CLASH_TARGET_VERTICES_MAX];

    for (uint32_t i = 0; i < from->vertex_count; i++)
        vertices[i] = d->device[0] ? clash_pose_apply(&d->pose, from->vertices[i]) : from->vertices[i];
    out->mesh = clash_mesh_create(vertices, from->vertex_count, from->triangles, from->triangle_count);
    if (!out->mesh)
        return fail_int(out_failure, "mesh: %s", errno == ENOMEM ? "out of memory" : "its numbers are no mesh");
    return 0;
}

static int make_terrain(const clash_target_terrain *from, const float *heights, target_shape *out, failure *out_failure)
{
    out->terrain = clash_terrain_create(heights, from->columns, from->rows, from->spacing_x, from->spacing_z);
    if (!out->terrain)
        return fail_int(out_failure, "terrain: %s", errno == ENOMEM ? "out of memory" : "its numbers are no terrain");
    return 0;
}

/* ---- files ---- */

static bool request_hull(const clash_target_mesh *mesh, surface_request *out)
{
    out->kind = SURFACE_POINTS;
    out->point_count = mesh->vertex_count;
    memcpy(out->points, mesh->vertices, mesh->vertex_count * sizeof mesh->vertices[0]);
    return true;
}

static bool request_file(const clash_target_definition *d, surface_request *out)
{
    memcpy(out->file, d->file, sizeof out->file);
    memcpy(out->digest, d->digest, sizeof out->digest);
    if (d->kind == CLASH_SHAPE_MESH) {
        out->kind = SURFACE_MESH;
        out->scale = d->as.mesh.scale;
        out->convex = d->as.mesh.convex;
    } else {
        out->kind = SURFACE_HEIGHTS;
        out->columns = d->as.terrain.columns;
        out->rows = d->as.terrain.rows;
        out->height = d->as.terrain.height;
    }
    return true;
}

bool target_shape_request(const clash_target_definition *d, surface_request *out)
{
    memset(out, 0, sizeof *out);
    if ((d->kind == CLASH_SHAPE_MESH || d->kind == CLASH_SHAPE_TERRAIN) && d->file[0])
        return request_file(d, out);
    return d->kind == CLASH_SHAPE_MESH && d->as.mesh.convex && request_hull(&d->as.mesh, out);
}

/* The computed hull replaces the points, so that a recording has it. */
static int take_hull(clash_target_mesh *mesh, const surface *read, failure *out_failure)
{
    if (read->vertex_count > CLASH_TARGET_VERTICES_MAX || read->triangle_count > CLASH_TARGET_TRIANGLES_MAX)
        return fail_int(out_failure, "convex: the hull has %u vertices and %u triangles", (unsigned)read->vertex_count,
                        (unsigned)read->triangle_count);
    mesh->vertex_count = read->vertex_count;
    memcpy(mesh->vertices, read->vertices, read->vertex_count * sizeof mesh->vertices[0]);
    mesh->triangle_count = read->triangle_count;
    memcpy(mesh->triangles, read->triangles, read->triangle_count * sizeof mesh->triangles[0]);
    return 0;
}

static int make_read_mesh(const clash_target_definition *d, const surface *read, target_shape *out,
                          failure *out_failure)
{
    for (uint32_t i = 0; d->device[0] && i < read->vertex_count; i++)
        read->vertices[i] = clash_pose_apply(&d->pose, read->vertices[i]);
    out->mesh = clash_mesh_create(read->vertices, read->vertex_count, (const uint32_t(*)[3])read->triangles,
                                  read->triangle_count);
    if (!out->mesh)
        return fail_int(out_failure, "%s",
                        errno == ENOMEM ? "takes more memory than there is" : "its numbers are no mesh");
    return 0;
}

static int make_surface(clash_target_definition *d, const surface *read, target_shape *out, failure *out_failure)
{
    int result;

    if (read && d->file[0])
        memcpy(d->digest, read->digest, sizeof d->digest);
    else if (read && take_hull(&d->as.mesh, read, out_failure) != 0)
        return -1;
    if (d->kind == CLASH_SHAPE_MESH) {
        result = d->file[0] ? make_read_mesh(d, read, out, out_failure) : make_mesh(d, out, out_failure);
        out->shape.as.mesh = out->mesh;
    } else {
        result = make_terrain(&d->as.terrain, read ? read->heights : d->as.terrain.heights, out, out_failure);
        out->shape.as.terrain = out->terrain;
    }
    return result;
}

int target_shape_make(clash_target_definition *definition, const surface *read, target_shape *out, failure *out_failure)
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
        if (make_surface(definition, read, out, out_failure) != 0)
            return -1;
        break;
    }
    place(definition, &out->shape);
    if (out->mesh && clash_mesh_triangle_count(out->mesh) > TARGET_OUTLINE_LATER_MAX)
        target_shape_outline(out, definition);
    return 0;
}

int target_shape_make_now(clash_target_definition *definition, target_shape *out, failure *out_failure)
{
    surface_request request;
    surface read;
    int result;

    if (!target_shape_request(definition, &request))
        return target_shape_make(definition, NULL, out, out_failure);
    if (surface_load_now(&request, &read, out_failure) != 0)
        return -1;
    result = target_shape_make(definition, &read, out, out_failure);
    surface_finish(&read);
    return result;
}

void target_shape_outline(target_shape *s, const clash_target_definition *definition)
{
    const clash_pose origin = {.orientation = {.w = 1.0f}};
    const clash_pose *pose = definition->device[0] ? &origin : &definition->pose;
    clash_line *lines, *fitted;

    if (s->is_outlined)
        return;
    s->is_outlined = true;
    lines = malloc(TARGET_OUTLINE_MAX * sizeof *lines);
    if (!lines)
        return;
    s->outline_count = clash_shape_sketch(&s->shape, pose, lines, TARGET_OUTLINE_MAX, &s->is_outline_whole);
    fitted = realloc(lines, (s->outline_count + 1) * sizeof *lines);
    s->outline = fitted ? fitted : lines;
}

void target_shape_finish(target_shape *s)
{
    free(s->outline);
    clash_mesh_destroy(s->mesh);
    clash_terrain_destroy(s->terrain);
    *s = (target_shape){.shape.kind = CLASH_SHAPE_SPHERE};
}

/* ---- targets ---- */

bool scene_target_is_slow(const clash_target_definition *definition)
{
    surface_request request;

    return target_shape_request(definition, &request);
}

scene_target *scene_target_create(const clash_target_definition *definition)
{
    scene_target *target = calloc(1, sizeof *target);

    if (target)
        target->definition = *definition;
    return target;
}

int scene_target_build(scene_target *target, const surface *read, failure *out_failure)
{
    return target_shape_make(&target->definition, read, &target->shape, out_failure);
}

void scene_target_destroy(scene_target *target)
{
    if (target)
        target_shape_finish(&target->shape);
    free(target);
}

scene_target *scene_target_make(const clash_target_definition *definition, failure *out_failure)
{
    scene_target *target = scene_target_create(definition);

    if (!target)
        fail_with(out_failure, "out of memory");
    else if (target_shape_make_now(&target->definition, &target->shape, out_failure) == 0)
        return target;
    scene_target_destroy(target);
    return NULL;
}

/* ---- in a pipeline ---- */

const char *scene_target_put(pipeline *p, const scene_target *from)
{
    const clash_target_definition *d = &from->definition;
    pipeline_target target = {.is_static = d->device[0] == '\0',
                              .pose = d->pose,
                              .layers = d->layers,
                              .shape = from->shape.shape,
                              .owner = from};

    snprintf(target.name, sizeof target.name, "%s", d->name);
    if (!target.is_static)
        target.device = pipeline_device(p, d->device);
    return pipeline_add_target(p, &target);
}

scene_target *scene_targets_on(const pipeline *p, uint32_t device)
{
    scene_target *first = NULL;

    for (size_t i = 0; i < pipeline_target_count(p); i++) {
        const pipeline_target *target = pipeline_target_at(p, i);

        if (device != UINT32_MAX && (target->is_static || target->device != device))
            continue;
        scene_target_of(target)->next = first;
        first = scene_target_of(target);
    }
    return first;
}

void scene_targets_destroy(scene_target *first)
{
    while (first) {
        scene_target *next = first->next;

        scene_target_destroy(first);
        first = next;
    }
}

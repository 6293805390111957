/* A target as a line of a recording, in the words in which it may be written (schema/recording/target): numbers read back
 * to the same bits, and what the schema allows to be written out always fits into a line. And, with no more of a surface
 * than its name, as hello lists it. */
#include "encode.h"
#include "parse_shape.h"

static void put_sphere(json_writer *w, const clash_sphere *sphere)
{
    encode_key_vec3(w, "center", sphere->center);
    encode_key_float(w, "radius", sphere->radius);
}

static void put_capsule(json_writer *w, const clash_capsule *capsule)
{
    encode_key_vec3(w, "base", capsule->base);
    encode_key_vec3(w, "tip", capsule->tip);
    encode_key_float(w, "radius", capsule->radius);
}

static void put_box(json_writer *w, const clash_box *box)
{
    encode_key_vec3(w, "center", box->center);
    encode_key_quat(w, "orientation", box->orientation);
    encode_key_vec3(w, "size", (clash_vec3){2.0f * box->half.x, 2.0f * box->half.y, 2.0f * box->half.z});
}

static void put_file(json_writer *w, const clash_target_definition *target)
{
    encode_key_string(w, "file", target->file);
    if (target->digest[0])
        encode_key_string(w, "digest", target->digest);
}

static void put_convex(json_writer *w, const clash_target_mesh *mesh)
{
    if (!mesh->convex)
        return;
    json_key(w, "convex");
    json_bool(w, true);
}

/* A hull of what was written out is written out. */
static void put_mesh(json_writer *w, const clash_target_definition *target)
{
    const clash_target_mesh *mesh = &target->as.mesh;

    if (target->file[0]) {
        put_file(w, target);
        encode_key_float(w, "scale", mesh->scale);
        put_convex(w, mesh);
        return;
    }
    json_key(w, "vertices");
    json_array_begin(w);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        encode_vec3(w, mesh->vertices[i]);
    json_array_end(w);
    json_key(w, "triangles");
    json_array_begin(w);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        json_array_begin(w);
        for (int k = 0; k < 3; k++)
            json_uint(w, mesh->triangles[i][k]);
        json_array_end(w);
    }
    json_array_end(w);
}

static void put_terrain(json_writer *w, const clash_target_definition *target)
{
    const clash_target_terrain *terrain = &target->as.terrain;

    encode_key_uint(w, "columns", terrain->columns);
    encode_key_uint(w, "rows", terrain->rows);
    json_key(w, "spacing");
    json_array_begin(w);
    json_float(w, terrain->spacing_x);
    json_float(w, terrain->spacing_z);
    json_array_end(w);
    if (target->file[0]) {
        put_file(w, target);
        encode_key_float(w, "height", terrain->height);
        return;
    }
    json_key(w, "heights");
    json_array_begin(w);
    for (uint32_t i = 0; i < terrain->columns * terrain->rows && i < CLASH_TARGET_HEIGHTS_MAX; i++)
        json_float(w, terrain->heights[i]);
    json_array_end(w);
}

static void put_shape(json_writer *w, const clash_target_definition *target, bool whole)
{
    json_key(w, parse_shape_key(target->kind));
    json_object_begin(w);
    switch (target->kind) {
    case CLASH_SHAPE_SPHERE:
        put_sphere(w, &target->as.sphere);
        break;
    case CLASH_SHAPE_CAPSULE:
        put_capsule(w, &target->as.capsule);
        break;
    case CLASH_SHAPE_BOX:
        put_box(w, &target->as.box);
        break;
    case CLASH_SHAPE_MESH:
        if (whole)
            put_mesh(w, target);
        else
            put_convex(w, &target->as.mesh);
        break;
    case CLASH_SHAPE_TERRAIN:
        if (whole)
            put_terrain(w, target);
        break;
    }
    json_object_end(w);
}

static void put_target(json_writer *w, const clash_target_definition *target, bool whole)
{
    encode_key_string(w, "name", target->name);
    if (target->device[0])
        encode_key_string(w, "device", target->device);
    encode_key_vec3(w, "position", target->pose.position);
    encode_key_quat(w, "orientation", target->pose.orientation);
    put_shape(w, target, whole);
}

void encode_target_listed(json_writer *w, const clash_target_definition *target)
{
    json_object_begin(w);
    put_target(w, target, false);
    json_object_end(w);
}

size_t protocol_encode_recorded_target(char *out, size_t size, int64_t time_ns, const clash_target_definition *target)
{
    json_writer w;

    encode_begin(&w, out, size, "target");
    encode_key_int(&w, "time_ns", time_ns);
    put_target(&w, target, true);
    return encode_end(&w);
}

size_t protocol_encode_recorded_target_removal(char *out, size_t size, int64_t time_ns, const char *target)
{
    json_writer w;

    encode_begin(&w, out, size, "remove");
    encode_key_int(&w, "time_ns", time_ns);
    encode_key_string(&w, "target", target);
    return encode_end(&w);
}

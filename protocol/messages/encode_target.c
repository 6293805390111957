/* A target as a line of a recording, in the words in which it may be written (schema/recording/target): numbers read back
 * to the same bits, and what the schema allows to be written out always fits into a line. And, with no more of a surface
 * than its name, as hello lists it. */
#include "encode.h"
#include "parse_shape.h"

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
    encode_key_bool(w, "convex", true);
}

/* Write out the vertices of a hull whose input was written out. */
static void put_mesh(json_writer *w, const clash_target_definition *target)
{
    const clash_target_mesh *mesh = &target->as.mesh;

    if (target->file[0]) {
        put_file(w, target);
        encode_key_float(w, "scale", mesh->scale);
        put_convex(w, mesh);
        return;
    }
    json_array_begin_at(w, "vertices");
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        encode_vec3(w, mesh->vertices[i]);
    json_array_end(w);
    json_array_begin_at(w, "triangles");
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
    const size_t count = (size_t)terrain->columns * terrain->rows;

    encode_key_uint(w, "columns", terrain->columns);
    encode_key_uint(w, "rows", terrain->rows);
    json_key(w, "spacing");
    encode_floats(w, (const float[]){terrain->spacing_x, terrain->spacing_z}, 2);
    if (target->file[0]) {
        put_file(w, target);
        encode_key_float(w, "height", terrain->height);
        return;
    }
    json_key(w, "heights");
    encode_floats(w, terrain->heights, count < CLASH_TARGET_HEIGHTS_MAX ? count : CLASH_TARGET_HEIGHTS_MAX);
}

static void put_shape(json_writer *w, const clash_target_definition *target, bool whole)
{
    json_object_begin_at(w, parse_shape_key(target->kind));
    switch (target->kind) {
    case CLASH_SHAPE_SPHERE:
        encode_sphere(w, &target->as.sphere);
        break;
    case CLASH_SHAPE_CAPSULE:
        encode_capsule(w, &target->as.capsule);
        break;
    case CLASH_SHAPE_BOX:
        encode_box(w, &target->as.box);
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
    encode_layers(w, &target->layers);
    put_shape(w, target, whole);
}

void encode_target_listed(json_writer *w, const clash_target_definition *target)
{
    json_object_begin(w);
    put_target(w, target, false);
    json_object_end(w);
}

/* ---- outlines ---- */

static void put_lines(json_writer *w, const clash_line *lines, size_t count)
{
    json_key(w, "lines");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        encode_floats(w,
                      (const float[]){lines[i].from.x, lines[i].from.y, lines[i].from.z, lines[i].to.x, lines[i].to.y,
                                      lines[i].to.z},
                      6);
    json_array_end(w);
}

static void put_outline(json_writer *w, const protocol_outline *outline)
{
    json_object_begin(w);
    encode_key_string(w, "name", outline->name);
    if (outline->device[0])
        encode_key_string(w, "device", outline->device);
    encode_key_uint(w, "line_count", outline->line_count);
    encode_key_uint(w, "first_line", outline->first);
    if (outline->is_simplified)
        encode_key_bool(w, "simplified", true);
    put_lines(w, outline->lines, outline->count);
    json_object_end(w);
}

size_t protocol_encode_outlines(char *out, size_t size, const char *id, const protocol_outlines *outlines)
{
    json_writer w;

    encode_begin(&w, out, size, "outlines");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", outlines->time_ns);
    encode_key_uint(&w, "definitions", outlines->definitions);
    json_key(&w, "targets");
    json_array_begin(&w);
    for (size_t i = 0; i < outlines->target_count; i++)
        put_outline(&w, &outlines->targets[i]);
    json_array_end(&w);
    if (outlines->has_next) {
        encode_key_uint(&w, "next_target", outlines->next_target);
        encode_key_uint(&w, "next_line", outlines->next_line);
    }
    return encode_end(&w);
}

/* ---- in recordings ---- */

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

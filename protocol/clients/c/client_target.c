/* Targets of the client's own as lines. As with blades (client_push.c), what clashd would refuse whoever sends it is refused
 * here: numbers that are not finite, a shape that is not there. Sizes and limits are clashd's to judge. */
#include "client_write.h"

#include <math.h>

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static const char *judge_mesh(const clash_client_mesh *mesh)
{
    if (!mesh || !mesh->vertices || (!mesh->triangles && !mesh->convex))
        return "it has no vertices or no triangles";
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (!is_finite_vec3(mesh->vertices[i]))
            return "a vertex is not finite";
    return NULL;
}

/** As many heights as are named are read: not more than can be sent. */
static const char *judge_terrain(const clash_client_terrain *terrain)
{
    size_t count;

    if (!terrain || !terrain->heights)
        return "it has no heights";
    if (__builtin_mul_overflow(terrain->columns, terrain->rows, &count) || count > CLIENT_LINE_MAX)
        return "it has more heights than fit into a line";
    if (!isfinite(terrain->spacing_x) || !isfinite(terrain->spacing_z) || !are_finite(terrain->heights, count))
        return "a height or spacing is not finite";
    return NULL;
}

static const char *judge_unity(const clash_client_unity *unity)
{
    const clash_unity_collider *c = &unity->collider;

    if (c->kind > CLASH_UNITY_CAPSULE)
        return "its collider is of no kind";
    if (c->sphere_rule > CLASH_UNITY_SPHERE_COLUMN)
        return "its sphere_rule is none";
    if (!is_finite_vec3(c->center) || !is_finite_vec3(c->size) || !isfinite(c->radius) || !isfinite(c->height))
        return "its collider is not finite";
    for (size_t i = 0; i < unity->transform_count; i++) {
        const clash_unity_transform *t = &unity->transforms[i];

        if (!is_finite_vec3(t->position) || !is_finite_quat(t->rotation) || !is_finite_vec3(t->scale))
            return "a transform is not finite";
    }
    return NULL;
}

static const char *judge_shape(const clash_client_target *target)
{
    static const char wrong[] = "its shape is not finite";

    switch (target->kind) {
    case CLASH_SHAPE_SPHERE:
        return is_finite_vec3(target->sphere.center) && isfinite(target->sphere.radius) ? NULL : wrong;
    case CLASH_SHAPE_CAPSULE:
        return is_finite_capsule(&target->capsule) ? NULL : wrong;
    case CLASH_SHAPE_BOX:
        return is_finite_vec3(target->box.center) && is_finite_quat(target->box.orientation) &&
                       is_finite_vec3(target->box.half)
                   ? NULL
                   : wrong;
    case CLASH_SHAPE_MESH:
        return judge_mesh(target->mesh);
    case CLASH_SHAPE_TERRAIN:
        return judge_terrain(target->terrain);
    }
    return "its shape is of no kind";
}

static const char *judge_target(const clash_client_target *target)
{
    if (!target->name)
        return "it has no name";
    if (target->unity)
        return judge_unity(target->unity);
    if (!is_finite_pose(&target->pose))
        return "its pose is not finite";
    return judge_shape(target);
}

static void put_mesh(json_writer *w, const clash_client_mesh *mesh)
{
    json_key(w, "vertices");
    json_array_begin(w);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        encode_vec3(w, mesh->vertices[i]);
    json_array_end(w);
    if (mesh->convex) {
        json_key(w, "convex");
        json_bool(w, true);
    }
    if (!mesh->triangles)
        return;
    json_key(w, "triangles");
    json_array_begin(w);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        json_array_begin(w);
        for (int corner = 0; corner < 3; corner++)
            json_uint(w, mesh->triangles[i][corner]);
        json_array_end(w);
    }
    json_array_end(w);
}

static void put_terrain(json_writer *w, const clash_client_terrain *terrain)
{
    encode_key_uint(w, "columns", terrain->columns);
    encode_key_uint(w, "rows", terrain->rows);
    json_key(w, "spacing");
    encode_floats(w, (const float[]){terrain->spacing_x, terrain->spacing_z}, 2);
    json_key(w, "heights");
    encode_floats(w, terrain->heights, (size_t)terrain->columns * terrain->rows);
}

static void put_shape(json_writer *w, const clash_client_target *target)
{
    static const char *const keys[] = {"sphere", "capsule", "box", "mesh", "terrain"};

    json_key(w, keys[target->kind]);
    json_object_begin(w);
    switch (target->kind) {
    case CLASH_SHAPE_SPHERE:
        encode_key_vec3(w, "center", target->sphere.center);
        encode_key_float(w, "radius", target->sphere.radius);
        break;
    case CLASH_SHAPE_CAPSULE:
        encode_capsule(w, &target->capsule);
        break;
    case CLASH_SHAPE_BOX:
        encode_box(w, &target->box);
        break;
    case CLASH_SHAPE_MESH:
        put_mesh(w, target->mesh);
        break;
    case CLASH_SHAPE_TERRAIN:
        put_terrain(w, target->terrain);
        break;
    }
    json_object_end(w);
}

static void put_transforms(json_writer *w, const clash_client_unity *unity)
{
    json_key(w, "transforms");
    json_array_begin(w);
    for (size_t i = 0; i < unity->transform_count; i++) {
        json_object_begin(w);
        encode_key_vec3(w, "position", unity->transforms[i].position);
        encode_key_quat(w, "rotation", unity->transforms[i].rotation);
        encode_key_vec3(w, "scale", unity->transforms[i].scale);
        json_object_end(w);
    }
    json_array_end(w);
}

/** Of a collider's numbers those that its kind has. */
static void put_unity(json_writer *w, const clash_client_unity *unity)
{
    static const char *const types[] = {"sphere", "box", "capsule"};
    const clash_unity_collider *c = &unity->collider;

    json_key(w, "unity_collider");
    json_object_begin(w);
    encode_key_string(w, "type", types[c->kind]);
    encode_key_vec3(w, "center", c->center);
    if (c->kind == CLASH_UNITY_BOX)
        encode_key_vec3(w, "size", c->size);
    else
        encode_key_float(w, "radius", c->radius);
    if (c->kind == CLASH_UNITY_SPHERE && c->sphere_rule == CLASH_UNITY_SPHERE_COLUMN)
        encode_key_string(w, "sphere_rule", "column");
    if (c->kind == CLASH_UNITY_CAPSULE) {
        encode_key_float(w, "height", c->height);
        encode_key_uint(w, "direction", c->direction);
    }
    put_transforms(w, unity);
    json_object_end(w);
}

int clash_client_define_target(clash_client *client, const char *id, const clash_client_target *target,
                               const char *axes)
{
    const char *why = judge_target(target);
    char line[CLIENT_LINE_MAX];
    json_writer w;

    if (why)
        return client_fail(client, "target %.63s: %s", target->name ? target->name : "", why);
    client_begin_request(&w, line, sizeof line, "target", id);
    encode_key_string(&w, "name", target->name);
    if (target->device)
        encode_key_string(&w, "device", target->device);
    if (target->unity) {
        put_unity(&w, target->unity);
    } else {
        encode_key_vec3(&w, "position", target->pose.position);
        encode_key_quat(&w, "orientation", target->pose.orientation);
        put_shape(&w, target);
    }
    if (axes)
        encode_key_string(&w, "axes", axes);
    return client_end_request(client, &w);
}

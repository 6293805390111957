/* See mcap_scene.h. */
#include "mcap_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
/* How long a spark is shown: the clash may be over before the next frame. */
#define SPARK_NS UINT64_C(400000000)

typedef struct color {
    float r, g, b, a;
} color;

static const clash_quat identity = {0.0f, 0.0f, 0.0f, 1.0f};
static const clash_pose nowhere = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};

/* ---- pieces ---- */

void mcap_json_time(json_writer *w, const char *key, uint64_t time_ns)
{
    json_object_begin_at(w, key);
    encode_key_uint(w, "sec", time_ns / NS_PER_S);
    encode_key_uint(w, "nsec", time_ns % NS_PER_S);
    json_object_end(w);
}

static void put_vec3(json_writer *w, clash_vec3 v)
{
    json_object_begin(w);
    encode_key_float(w, "x", v.x);
    encode_key_float(w, "y", v.y);
    encode_key_float(w, "z", v.z);
    json_object_end(w);
}

void mcap_json_vec3(json_writer *w, const char *key, clash_vec3 v)
{
    json_key(w, key);
    put_vec3(w, v);
}

void mcap_json_quat(json_writer *w, const char *key, clash_quat q)
{
    json_object_begin_at(w, key);
    encode_key_float(w, "x", q.x);
    encode_key_float(w, "y", q.y);
    encode_key_float(w, "z", q.z);
    encode_key_float(w, "w", q.w);
    json_object_end(w);
}

static void put_pose(json_writer *w, clash_pose pose)
{
    json_object_begin_at(w, "pose");
    mcap_json_vec3(w, "position", pose.position);
    mcap_json_quat(w, "orientation", pose.orientation);
    json_object_end(w);
}

static void put_color(json_writer *w, color c)
{
    json_object_begin_at(w, "color");
    encode_key_float(w, "r", c.r);
    encode_key_float(w, "g", c.g);
    encode_key_float(w, "b", c.b);
    encode_key_float(w, "a", c.a);
    json_object_end(w);
}

/* The shortest turn of `axis`, a unit vector, to that direction; none if it has no length. */
static clash_quat turn_to(clash_vec3 axis, clash_vec3 direction)
{
    const clash_vec3 to = clash_vec3_normalize(direction);
    const float cosine = clash_vec3_dot(axis, to);
    const clash_vec3 across = clash_vec3_cross(axis, to);
    float length;

    if (!(clash_vec3_length(direction) > 0.0f))
        return identity;
    if (cosine < -0.999999f) /* half a turn, about what is across the axes that are turned here, x and z */
        return (clash_quat){0.0f, 1.0f, 0.0f, 0.0f};
    length = sqrtf(clash_vec3_dot(across, across) + (1.0f + cosine) * (1.0f + cosine));
    return (clash_quat){across.x / length, across.y / length, across.z / length, (1.0f + cosine) / length};
}

/* ---- primitives: each in an array of its own ---- */

static void put_sized(json_writer *w, clash_pose pose, clash_vec3 size, color c, bool is_cylinder)
{
    json_object_begin(w);
    put_pose(w, pose);
    mcap_json_vec3(w, "size", size);
    if (is_cylinder) {
        encode_key_float(w, "bottom_scale", 1.0f);
        encode_key_float(w, "top_scale", 1.0f);
    }
    put_color(w, c);
    json_object_end(w);
}

static void put_ball(json_writer *w, clash_vec3 center, float radius, color c)
{
    put_sized(w, (clash_pose){identity, center}, (clash_vec3){2 * radius, 2 * radius, 2 * radius}, c, false);
}

static void put_arrow(json_writer *w, clash_vec3 from, clash_vec3 direction, float length, float width, color c)
{
    static const clash_vec3 x = {1.0f, 0.0f, 0.0f};

    json_object_begin(w);
    put_pose(w, (clash_pose){turn_to(x, direction), from});
    encode_key_float(w, "shaft_length", 0.7f * length);
    encode_key_float(w, "shaft_diameter", width);
    encode_key_float(w, "head_length", 0.3f * length);
    encode_key_float(w, "head_diameter", 2 * width);
    put_color(w, c);
    json_object_end(w);
}

static void put_label(json_writer *w, clash_vec3 at, const char *text)
{
    json_object_begin(w);
    put_pose(w, (clash_pose){identity, at});
    encode_key_bool(w, "billboard", true);
    encode_key_float(w, "font_size", 0.05f);
    encode_key_bool(w, "scale_invariant", false);
    put_color(w, (color){1.0f, 1.0f, 1.0f, 1.0f});
    encode_key_string(w, "text", text);
    json_object_end(w);
}

/* Capsules: the balls at their ends, and what is between them. */
static void put_capsules(json_writer *w, const clash_capsule *capsules, size_t count, clash_pose pose, color c)
{
    static const clash_vec3 z = {0.0f, 0.0f, 1.0f};

    json_array_begin_at(w, "spheres");
    for (size_t i = 0; i < 2 * count; i++) {
        const clash_capsule *k = &capsules[i / 2];

        put_ball(w, clash_pose_apply(&pose, i % 2 ? k->tip : k->base), k->radius, c);
    }
    json_array_end(w);
    json_array_begin_at(w, "cylinders");
    for (size_t i = 0; i < count; i++) {
        const clash_vec3 base = clash_pose_apply(&pose, capsules[i].base),
                         tip = clash_pose_apply(&pose, capsules[i].tip);
        const clash_vec3 along = clash_vec3_sub(tip, base);
        const float width = 2 * capsules[i].radius;

        put_sized(w, (clash_pose){turn_to(z, along), clash_vec3_add_scaled(base, along, 0.5)},
                  (clash_vec3){width, width, clash_vec3_length(along)}, c, true);
    }
    json_array_end(w);
}

/* ---- messages ---- */

static void begin_update(json_writer *w, uint64_t time_ns, bool is_all)
{
    json_object_begin(w);
    json_array_begin_at(w, "deletions");
    if (is_all) {
        json_object_begin(w);
        mcap_json_time(w, "timestamp", time_ns);
        encode_key_int(w, "type", 1); /* ALL */
        encode_key_string(w, "id", "");
        json_object_end(w);
    }
    json_array_end(w);
    json_array_begin_at(w, "entities");
}

static void end_update(json_writer *w)
{
    json_array_end(w);
    json_object_end(w);
}

static void begin_entity(json_writer *w, uint64_t time_ns, const char *frame, const char *id, uint64_t lifetime_ns)
{
    json_object_begin(w);
    mcap_json_time(w, "timestamp", time_ns);
    encode_key_string(w, "frame_id", frame);
    encode_key_string(w, "id", id);
    mcap_json_time(w, "lifetime", lifetime_ns);
    encode_key_bool(w, "frame_locked", true);
}

/* Write the empty arrays too, as every entity needs all; `written` names those that are there. */
static void end_entity(json_writer *w, const char *written)
{
    static const char *const arrays[] = {"metadata", "arrows",    "cubes", "spheres", "cylinders",
                                         "lines",    "triangles", "texts", "models"};

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (strstr(written, arrays[i]))
            continue;
        json_array_begin_at(w, arrays[i]);
        json_array_end(w);
    }
    json_object_end(w);
}

static color color_of(const char *device)
{
    if (strcmp(device, "/user/hand/left") == 0)
        return (color){0.25f, 0.55f, 1.0f, 1.0f};
    if (strcmp(device, "/user/hand/right") == 0)
        return (color){1.0f, 0.3f, 0.25f, 1.0f};
    return (color){0.4f, 0.9f, 0.4f, 1.0f};
}

static void put_edge(json_writer *w, const clash_capsule *c, bool has_edge, clash_vec3 edge)
{
    if (has_edge)
        put_arrow(w, clash_vec3_add_scaled(c->base, clash_vec3_sub(c->tip, c->base), 0.5), edge, 0.08f, 0.008f,
                  (color){1.0f, 1.0f, 1.0f, 1.0f});
}

static void put_blade(json_writer *w, uint64_t time_ns, const clash_blade_definition *b)
{
    const bool has_parts = b->sword.part_count > 0;
    const clash_capsule *capsules = has_parts ? b->sword.capsules : &b->properties.shape;

    begin_entity(w, time_ns, b->device, b->name, 0);
    put_capsules(w, capsules, has_parts ? b->sword.capsule_count : 1, nowhere, color_of(b->device));
    json_array_begin_at(w, "arrows");
    for (uint32_t i = 0; has_parts && i < b->sword.part_count; i++)
        put_edge(w, &capsules[b->sword.parts[i].first], b->sword.parts[i].has_edge, b->sword.parts[i].edge);
    if (!has_parts)
        put_edge(w, capsules, b->properties.has_edge, b->properties.edge);
    json_array_end(w);
    end_entity(w, "spheres cylinders arrows");
}

void mcap_scene_blades(json_writer *w, uint64_t time_ns, const clash_blade_definition *blades, size_t count)
{
    begin_update(w, time_ns, true);
    for (size_t i = 0; i < count; i++)
        put_blade(w, time_ns, &blades[i]);
    end_update(w);
}

static void begin_triangles(json_writer *w, clash_pose pose, color c)
{
    json_array_begin_at(w, "triangles");
    json_object_begin(w);
    put_pose(w, pose);
    put_color(w, c);
    json_array_begin_at(w, "colors");
    json_array_end(w);
    json_array_begin_at(w, "points");
}

static void middle_of_triangles(json_writer *w)
{
    json_array_end(w);
    json_array_begin_at(w, "indices");
}

static void end_triangles(json_writer *w)
{
    json_array_end(w);
    json_object_end(w);
    json_array_end(w);
}

static void put_mesh(json_writer *w, const clash_target_definition *t, color c)
{
    const clash_target_mesh *m = &t->as.mesh;

    begin_triangles(w, t->pose, c);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        put_vec3(w, m->vertices[i]);
    middle_of_triangles(w);
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
        json_uint(w, m->triangles[i / 3][i % 3]);
    end_triangles(w);
}

static void put_terrain(json_writer *w, const clash_target_definition *t, color c)
{
    const clash_target_terrain *g = &t->as.terrain;

    begin_triangles(w, t->pose, c);
    for (uint32_t row = 0, i = 0; row < g->rows; row++)
        for (uint32_t column = 0; column < g->columns; column++, i++)
            put_vec3(w, (clash_vec3){(float)column * g->spacing_x, g->heights[i], (float)row * g->spacing_z});
    middle_of_triangles(w);
    for (uint32_t row = 0; row + 1 < g->rows; row++)
        for (uint32_t column = 0; column + 1 < g->columns; column++) {
            const uint32_t at = row * g->columns + column, below = at + g->columns;
            const uint32_t corners[6] = {at, below, at + 1, at + 1, below, below + 1};

            for (size_t i = 0; i < 6; i++)
                json_uint(w, corners[i]);
        }
    end_triangles(w);
}

static void put_box(json_writer *w, const clash_target_definition *t, color c)
{
    const clash_box *b = &t->as.box;
    const clash_pose in_target = {b->orientation, b->center};
    const clash_quat q = t->pose.orientation, p = in_target.orientation;
    const clash_quat turned = {
        q.w * p.x + q.x * p.w + q.y * p.z - q.z * p.y, q.w * p.y - q.x * p.z + q.y * p.w + q.z * p.x,
        q.w * p.z + q.x * p.y - q.y * p.x + q.z * p.w, q.w * p.w - q.x * p.x - q.y * p.y - q.z * p.z};

    json_array_begin_at(w, "cubes");
    put_sized(w, (clash_pose){turned, clash_pose_apply(&t->pose, b->center)},
              (clash_vec3){2 * b->half.x, 2 * b->half.y, 2 * b->half.z}, c, false);
    json_array_end(w);
}

static void put_target(json_writer *w, uint64_t time_ns, const char *space, const clash_target_definition *t)
{
    static const color c = {0.7f, 0.7f, 0.75f, 0.5f};
    clash_capsule shape = t->as.capsule;
    const char *written = "texts spheres cylinders";

    begin_entity(w, time_ns, t->device[0] ? t->device : space, t->name, 0);
    if (t->kind == CLASH_SHAPE_SPHERE)
        shape = (clash_capsule){t->as.sphere.center, t->as.sphere.center, t->as.sphere.radius};
    if (t->file[0]) {
        written = "texts";
    } else if (t->kind == CLASH_SHAPE_BOX) {
        put_box(w, t, c);
        written = "texts cubes";
    } else if (t->kind == CLASH_SHAPE_MESH) {
        put_mesh(w, t, c);
        written = "texts triangles";
    } else if (t->kind == CLASH_SHAPE_TERRAIN) {
        put_terrain(w, t, c);
        written = "texts triangles";
    } else {
        put_capsules(w, &shape, 1, t->pose, c);
    }
    json_array_begin_at(w, "texts");
    if (t->file[0])
        put_label(w, t->pose.position, t->name);
    json_array_end(w);
    end_entity(w, written);
}

void mcap_scene_targets(json_writer *w, uint64_t time_ns, const char *space, clash_target_definition *const *targets,
                        size_t count)
{
    begin_update(w, time_ns, true);
    for (size_t i = 0; i < count; i++)
        put_target(w, time_ns, space, targets[i]);
    end_update(w);
}

void mcap_scene_clash(json_writer *w, uint64_t time_ns, const char *space, const clash_event *event)
{
    const clash_event_clash *c = &event->as.clash;
    const color spark = {1.0f, 0.9f - 0.6f * c->intensity, 0.3f, 0.9f};
    char id[40], text[40];

    snprintf(id, sizeof id, "contact %llu", (unsigned long long)event->id);
    snprintf(text, sizeof text, "%.1f m/s", (double)c->closing_speed);
    begin_update(w, time_ns, false);
    begin_entity(w, time_ns, space, id, SPARK_NS);
    json_array_begin_at(w, "spheres");
    put_ball(w, c->contact.midpoint, 0.01f + 0.04f * c->intensity, spark);
    json_array_end(w);
    json_array_begin_at(w, "arrows");
    put_arrow(w, c->contact.midpoint, c->contact.normal, 0.05f + 0.2f * c->intensity, 0.01f, spark);
    json_array_end(w);
    json_array_begin_at(w, "texts");
    put_label(w, clash_vec3_add(c->contact.midpoint, (clash_vec3){0.0f, 0.1f, 0.0f}), text);
    json_array_end(w);
    end_entity(w, "spheres arrows texts");
    end_update(w);
}

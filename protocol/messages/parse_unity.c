/* Unity's colliders as they are written: which numbers each kind needs, the chain of transforms, and from Unity's axes to
 * OpenXR's once Unity's rules have been applied. See parse_unity.h. */
#include "parse_unity.h"

#include <clash/unity.h>
#include <stdio.h>
#include <string.h>

#include "codec.h"
#include "parse.h"
#include "parse_shape.h"

#define HERE "unity_collider."
#define UNIT_TOLERANCE 0.01f
/* As the schema has it of blades that are written out. */
#define BLADE_RADIUS_MAX 1.0f

typedef struct chain {
    clash_unity_transform transforms[CLASH_UNITY_TRANSFORMS_MAX];
    size_t count;
} chain;

static bool take_transform(const cJSON *object, chain *out, failure *out_failure)
{
    const cJSON *position = parse_at(object, "position"), *rotation = parse_at(object, "rotation"),
                *scale = parse_at(object, "scale");
    clash_unity_transform *t = &out->transforms[out->count];
    char where[48];

    snprintf(where, sizeof where, HERE "transforms[%zu].", out->count);
    *t = (clash_unity_transform){
        .position = parse_vec3(position), .rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .scale = {1.0f, 1.0f, 1.0f}};
    if (rotation)
        t->rotation = parse_quat(rotation);
    if (scale)
        t->scale = parse_vec3(scale);
    if (!parse_shape_numbers_fit(object, where, out_failure))
        return false;
    if (!clash_quat_is_unit(t->rotation, UNIT_TOLERANCE))
        return fail_with(out_failure, "%srotation: expected a quaternion of unit length", where);
    out->count++;
    return true;
}

static bool take_chain(const cJSON *collider, chain *out, failure *out_failure)
{
    const cJSON *transform;

    out->count = 0;
    if (!parse_shape_numbers_fit(collider, HERE, out_failure))
        return false;
    cJSON_ArrayForEach(transform, parse_at(collider, "transforms"))
    {
        if (out->count == CLASH_UNITY_TRANSFORMS_MAX)
            return fail_with(out_failure, HERE "transforms: expected at most %d", CLASH_UNITY_TRANSFORMS_MAX);
        if (!take_transform(transform, out, out_failure))
            return false;
    }
    return true;
}

/* The members that each kind must have, as words of a message and as keys. */
static bool check_keys(const cJSON *collider, clash_unity_kind kind, failure *out_failure)
{
    static const struct {
        const char *name, *keys[2];
    } needs[] = {
        [CLASH_UNITY_SPHERE] = {"a sphere has a radius", {"radius", NULL}},
        [CLASH_UNITY_BOX] = {"a box has a size", {"size", NULL}},
        [CLASH_UNITY_CAPSULE] = {"a capsule has a radius and a height", {"radius", "height"}},
    };

    for (int i = 0; i < 2 && needs[kind].keys[i]; i++)
        if (!parse_at(collider, needs[kind].keys[i]))
            return fail_with(out_failure, HERE "%s: is missing: %s", needs[kind].keys[i], needs[kind].name);
    return true;
}

static clash_unity_sphere_rule rule_of(const cJSON *collider)
{
    return strcmp(parse_string(collider, "sphere_rule", ""), "column") == 0 ? CLASH_UNITY_SPHERE_COLUMN
                                                                            : CLASH_UNITY_SPHERE_LOSSY_SCALE;
}

static bool take_solid(const cJSON *collider, clash_unity_kind kind, const chain *c, clash_shape *out_shape,
                       clash_pose *out_pose, bool *out_negative, failure *out_failure)
{
    const clash_unity_collider numbers = {.kind = kind,
                                          .center = parse_vec3(parse_at(collider, "center")),
                                          .radius = parse_float(collider, "radius", 0.0f),
                                          .height = parse_float(collider, "height", 0.0f),
                                          .direction = (uint32_t)parse_int(collider, "direction", 1),
                                          .size = parse_vec3(parse_at(collider, "size")),
                                          .sphere_rule = rule_of(collider)};

    if (!check_keys(collider, kind, out_failure))
        return false;
    if (!clash_unity_shape(&numbers, c->transforms, c->count, out_shape, out_pose))
        return fail_with(out_failure, HERE "transforms: what they make of the collider is out of range");
    *out_negative = clash_unity_has_negative_size(&numbers);
    return true;
}

static bool find_kind(const cJSON *collider, clash_unity_kind *out_kind)
{
    static const char *const names[] = {
        [CLASH_UNITY_SPHERE] = "sphere", [CLASH_UNITY_BOX] = "box", [CLASH_UNITY_CAPSULE] = "capsule"};
    const char *type = parse_string(collider, "type", "");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *out_kind = (clash_unity_kind)i;
        if (strcmp(type, names[i]) == 0)
            return true;
    }
    return false;
}

static clash_pose mirrored(const clash_pose *pose)
{
    return (clash_pose){protocol_axes_quat(PROTOCOL_AXES_UNITY, pose->orientation),
                        protocol_axes_vec3(PROTOCOL_AXES_UNITY, pose->position)};
}

static clash_capsule mirrored_capsule(const clash_capsule *capsule)
{
    return (clash_capsule){protocol_axes_vec3(PROTOCOL_AXES_UNITY, capsule->base),
                           protocol_axes_vec3(PROTOCOL_AXES_UNITY, capsule->tip), capsule->radius};
}

static bool take_solid_target(const cJSON *collider, clash_unity_kind kind, const chain *c,
                              clash_target_definition *out, failure *out_failure)
{
    clash_shape shape;

    if (!take_solid(collider, kind, c, &shape, &out->pose, &out->unity_negative, out_failure))
        return false;
    out->pose = mirrored(&out->pose);
    out->kind = shape.kind;
    if (shape.kind == CLASH_SHAPE_SPHERE)
        out->as.sphere = shape.as.sphere; /* about its origin, as the box */
    else if (shape.kind == CLASH_SHAPE_BOX)
        out->as.box = shape.as.box;
    else
        out->as.capsule = mirrored_capsule(&shape.as.capsule);
    return true;
}

/* Reverse the winding once more for a mirroring transform: outside stays outside, as in Unity. */
static bool take_mesh(const cJSON *collider, const clash_unity_matrix *matrix, clash_target_definition *out,
                      failure *out_failure)
{
    clash_target_mesh *mesh = &out->as.mesh;

    out->kind = CLASH_SHAPE_MESH;
    mesh->scale = 1.0f;
    if (!parse_mesh_numbers(collider, HERE, mesh, out_failure))
        return false;
    clash_unity_transform_points(matrix, mesh->vertices, mesh->vertex_count, mesh->vertices);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        if (!clash_vec3_is_within(mesh->vertices[i], CLASH_COORDINATE_MAX))
            return fail_with(out_failure, HERE "transforms: what they make of the collider is out of range");
    parse_mirror_mesh(mesh);
    for (uint32_t i = 0; i < mesh->triangle_count && clash_unity_is_mirrored(matrix); i++) {
        const uint32_t second = mesh->triangles[i][1];

        mesh->triangles[i][1] = mesh->triangles[i][2];
        mesh->triangles[i][2] = second;
    }
    return true;
}

static bool take_terrain(const cJSON *collider, const clash_unity_matrix *matrix, clash_target_definition *out,
                         failure *out_failure)
{
    out->kind = CLASH_SHAPE_TERRAIN;
    if (!parse_terrain_numbers(collider, HERE, &out->as.terrain, out_failure))
        return false;
    out->pose.position = protocol_axes_vec3(PROTOCOL_AXES_UNITY, matrix->origin);
    parse_mirror_terrain(&out->as.terrain, &out->pose);
    return true;
}

bool parse_unity_target(const cJSON *collider, clash_target_definition *out, failure *out_failure)
{
    clash_unity_matrix matrix;
    clash_unity_kind kind;
    chain c;

    out->pose = (clash_pose){.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    if (!take_chain(collider, &c, out_failure))
        return false;
    if (find_kind(collider, &kind))
        return take_solid_target(collider, kind, &c, out, out_failure);
    if (!clash_unity_matrix_of(c.transforms, c.count, &matrix))
        return fail_with(out_failure, HERE "transforms: what they make of the collider is out of range");
    if (strcmp(parse_string(collider, "type", ""), "mesh") == 0)
        return take_mesh(collider, &matrix, out, out_failure);
    return take_terrain(collider, &matrix, out, out_failure);
}

bool parse_unity_blade(const cJSON *collider, clash_capsule *out, bool *out_negative, failure *out_failure)
{
    clash_capsule capsule = {.radius = 0.0f};
    clash_unity_kind kind;
    clash_shape shape;
    clash_pose pose;
    chain c;

    if (!find_kind(collider, &kind) || kind == CLASH_UNITY_BOX)
        return fail_with(out_failure, HERE "type: a %.20s cannot be a blade: expected a capsule or a sphere",
                         parse_string(collider, "type", ""));
    if (!take_chain(collider, &c, out_failure) ||
        !take_solid(collider, kind, &c, &shape, &pose, out_negative, out_failure))
        return false;
    if (shape.kind == CLASH_SHAPE_CAPSULE)
        capsule = shape.as.capsule;
    else
        capsule.radius = shape.as.sphere.radius;
    if (capsule.radius > BLADE_RADIUS_MAX)
        return fail_with(out_failure, HERE "radius: after its transforms it is %g m, and a blade's may be %g at most",
                         (double)capsule.radius, (double)BLADE_RADIUS_MAX);
    capsule.base = clash_pose_apply(&pose, capsule.base);
    capsule.tip = clash_pose_apply(&pose, capsule.tip);
    if (!clash_vec3_is_within(capsule.base, CLASH_COORDINATE_MAX) ||
        !clash_vec3_is_within(capsule.tip, CLASH_COORDINATE_MAX))
        return fail_with(out_failure,
                         HERE "transforms: what they make of the collider reaches further than %d m from the device",
                         CLASH_COORDINATE_MAX);
    *out = mirrored_capsule(&capsule);
    return true;
}

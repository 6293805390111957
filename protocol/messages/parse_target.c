/* What a schema cannot say of a target: that it has one shape and no more, what must not stand together, bytes of names.
 * See parse_target.h. */
#include "parse_target.h"

#include <stdio.h>

#include "parse.h"
#include "parse_unity.h"

#define UNIT_TOLERANCE 0.01f
#define SHAPES "sphere, capsule, box, mesh, terrain, unity_collider"
#define KINDS (CLASH_SHAPE_TERRAIN + 1)

static bool take_names(const cJSON *object, clash_target_definition *out, failure *out_failure)
{
    const cJSON *device = parse_at(object, "device");

    if (!parse_copy(parse_at(object, "name"), out->name, sizeof out->name))
        return fail_with(out_failure, "name: expected at most %zu bytes of UTF-8", sizeof out->name - 1);
    if (device && !parse_copy(device, out->device, sizeof out->device))
        return fail_with(out_failure, "device: expected at most %zu bytes of UTF-8", sizeof out->device - 1);
    return true;
}

static bool take_pose(const cJSON *object, protocol_axes axes, clash_pose *out, failure *out_failure)
{
    const cJSON *position = parse_at(object, "position"), *orientation = parse_at(object, "orientation");
    const clash_quat q = orientation ? parse_quat(orientation) : (clash_quat){0.0f, 0.0f, 0.0f, 1.0f};

    if ((position && !parse_fits_float(position)) || (orientation && !parse_fits_float(orientation)))
        return fail_with(out_failure, "position, orientation: a number is out of range");
    if (!clash_quat_is_unit(q, UNIT_TOLERANCE))
        return fail_with(out_failure, "orientation: expected a quaternion of unit length");
    *out = (clash_pose){protocol_axes_quat(axes, q), protocol_axes_vec3(axes, parse_vec3(position))};
    return true;
}

/* The one shape there is; NULL with a message if there are more, or none. A recording has no colliders of Unity's, but
 * what became of them: its schema does not know them. */
static const cJSON *find_shape(const cJSON *object, parse_target_hand hand, clash_shape_kind *out_kind,
                               failure *out_failure)
{
    const cJSON *found = hand == PARSE_TARGET_RECORDING ? NULL : parse_at(object, "unity_collider");
    const char *first = "unity_collider";

    for (int i = 0; i < KINDS; i++) {
        const char *key = parse_shape_key((clash_shape_kind)i);
        const cJSON *shape = parse_at(object, key);

        if (shape && found) {
            fail_with(out_failure, "%s: stands beside %s: expected one of " SHAPES, key, first);
            return NULL;
        }
        if (shape) {
            found = shape;
            first = key;
            *out_kind = (clash_shape_kind)i;
        }
    }
    if (!found)
        fail_with(out_failure, "expected a shape, one of " SHAPES);
    return found;
}

static bool take_collider(const cJSON *object, clash_target_definition *out, failure *out_failure)
{
    if (parse_at(object, "position") || parse_at(object, "orientation"))
        return fail_with(out_failure, "%s: stands beside unity_collider, whose transforms say it",
                         parse_at(object, "position") ? "position" : "orientation");
    return parse_unity_target(parse_at(object, "unity_collider"), out, out_failure);
}

static bool points_are_within(const clash_vec3 *points, uint32_t count, float scale)
{
    for (uint32_t i = 0; i < count; i++)
        if (!clash_vec3_is_within(clash_vec3_scale(points[i], scale), CLASH_COORDINATE_MAX))
            return false;
    return true;
}

static bool terrain_is_within(const clash_target_terrain *t)
{
    return (double)(t->columns - 1) * (double)t->spacing_x <= (double)CLASH_COORDINATE_MAX &&
           (double)(t->rows - 1) * (double)t->spacing_z <= (double)CLASH_COORDINATE_MAX;
}

/* Check the results: each number was within bounds, but transforms, scales and counts may exceed them. */
static bool target_is_within(const clash_target_definition *t)
{
    const clash_capsule *capsule = &t->as.capsule;

    if (!clash_vec3_is_within(t->pose.position, CLASH_COORDINATE_MAX))
        return false;
    switch (t->kind) {
    case CLASH_SHAPE_SPHERE:
        return points_are_within(&t->as.sphere.center, 1, 1.0f) && t->as.sphere.radius <= CLASH_COORDINATE_MAX;
    case CLASH_SHAPE_CAPSULE:
        return points_are_within(&capsule->base, 1, 1.0f) && points_are_within(&capsule->tip, 1, 1.0f) &&
               capsule->radius <= CLASH_COORDINATE_MAX;
    case CLASH_SHAPE_BOX:
        return points_are_within(&t->as.box.center, 1, 1.0f) && points_are_within(&t->as.box.half, 1, 1.0f);
    case CLASH_SHAPE_MESH:
        return points_are_within(t->as.mesh.vertices, t->as.mesh.vertex_count, t->as.mesh.scale);
    case CLASH_SHAPE_TERRAIN:
        return terrain_is_within(&t->as.terrain);
    }
    return false;
}

bool parse_target(const cJSON *object, protocol_axes axes, parse_target_hand hand, clash_target_definition *out,
                  failure *out_failure)
{
    clash_shape_kind kind = CLASH_SHAPE_SPHERE;
    const cJSON *shape = find_shape(object, hand, &kind, out_failure);
    bool taken;

    out->name[0] = out->device[0] = out->file[0] = out->digest[0] = '\0';
    out->unity_negative = false;
    out->layers = parse_layers(object);
    if (!shape || !take_names(object, out, out_failure))
        return false;
    if (hand != PARSE_TARGET_RECORDING && shape == parse_at(object, "unity_collider"))
        taken = take_collider(object, out, out_failure);
    else
        taken =
            take_pose(object, axes, &out->pose, out_failure) && parse_shape(shape, kind, axes, hand, out, out_failure);
    if (taken && !target_is_within(out))
        return fail_with(out_failure, "what is made of it reaches further than %d m from the origin of its frame",
                         CLASH_COORDINATE_MAX);
    if (taken && out->kind == CLASH_SHAPE_TERRAIN && out->device[0] != '\0')
        return fail_with(out_failure, "device: a terrain stands still: expected none");
    return taken;
}

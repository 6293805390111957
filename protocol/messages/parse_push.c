/* What a schema cannot say of blades and poses that clients push: bytes of names, lengths that must not be 0. See
 * parse_push.h. */
#include "parse_push.h"
#include "names.h"
#include "parse.h"

#include <clash/math.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#define UNIT_TOLERANCE 0.01f

static protocol_axes axes_of(const cJSON *object)
{
    return names_find_axes(parse_string(object, "axes", "openxr"));
}

int parse_own_name(const cJSON *object, clash_blade_definition *out, protocol_error *out_error)
{
    if (!parse_copy(parse_at(object, "name"), out->name, sizeof out->name))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "name: expected at most %zu bytes of UTF-8",
                               sizeof out->name - 1);
    return 0;
}

int parse_own_blade(const cJSON *object, parse_blade_hand hand, clash_blade_definition *out, protocol_error *out_error)
{
    failure why = {0};

    if (parse_own_name(object, out, out_error) != 0)
        return -1;
    if (!parse_copy(parse_at(object, "device"), out->device, sizeof out->device))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "device: expected at most %zu bytes of UTF-8",
                               sizeof out->device - 1);
    return parse_blade(object, axes_of(object), hand, out, &why)
               ? 0
               : protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "%.500s", why.text);
}

/** Replace a number beyond float by the greatest float: no such pose is used, and it can be written again. */
static float saturated(float number)
{
    return number > FLT_MAX ? FLT_MAX : number < -FLT_MAX ? -FLT_MAX : number;
}

static clash_vec3 saturated_vec3(clash_vec3 v)
{
    return (clash_vec3){saturated(v.x), saturated(v.y), saturated(v.z)};
}

static clash_quat saturated_quat(clash_quat q)
{
    return (clash_quat){saturated(q.x), saturated(q.y), saturated(q.z), saturated(q.w)};
}

bool parse_pose(const cJSON *object, protocol_axes axes, protocol_own_pose *out, failure *why)
{
    const cJSON *position = parse_at(object, "position"), *orientation = parse_at(object, "orientation");

    if (!parse_copy(parse_at(object, "device"), out->device, sizeof out->device))
        return fail_with(why, "poses: device: expected at most %zu bytes of UTF-8", sizeof out->device - 1);
    out->pose = (clash_pose){.orientation = protocol_axes_quat(axes, saturated_quat(parse_quat(orientation))),
                             .position = protocol_axes_vec3(axes, saturated_vec3(parse_vec3(position)))};
    out->tracked = parse_bool(object, "tracked", true);
    out->valid = parse_bool(object, "valid", true);
    out->teleport = parse_bool(object, "teleport", false);
    out->joined = parse_bool(object, "joined", false);
    out->holds = parse_bool(object, "holds", false);
    out->source = names_find_source(parse_string(object, "source", ""));
    return true;
}

int parse_own_poses(const cJSON *object, protocol_own_poses *out, protocol_error *out_error)
{
    const cJSON *pose;
    failure why = {0};

    out->has_time = parse_at(object, "time_ns") != NULL;
    out->time_ns = parse_int(object, "time_ns", 0);
    out->count = 0;
    cJSON_ArrayForEach(pose, parse_at(object, "poses"))
    {
        if (out->count == PROTOCOL_POSES_MAX)
            break; /* the schema allows no more */
        if (!parse_pose(pose, axes_of(object), &out->poses[out->count], &why))
            return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "%.500s", why.text);
        out->poses[out->count].joined = false; /* clashd alone sets both */
        out->poses[out->count++].source = CLASH_SOURCE_NONE;
    }
    return 0;
}

static int take_stage(const cJSON *stage, protocol_feed *out, protocol_error *out_error)
{
    const cJSON *position = parse_at(stage, "position"), *orientation = parse_at(stage, "orientation");

    if (!parse_fits_float(position) || !parse_fits_float(orientation))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "stage: a number is out of range");
    out->stage = (clash_pose){parse_quat(orientation), parse_vec3(position)};
    out->has_stage = clash_quat_is_unit(out->stage.orientation, UNIT_TOLERANCE);
    return out->has_stage ? 0
                          : protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE,
                                            "stage: orientation: expected a quaternion of unit length");
}

int parse_feed(const cJSON *object, protocol_feed *out, protocol_error *out_error)
{
    const cJSON *space = parse_at(object, "space"), *stage = parse_at(object, "stage"), *device;

    out->source = names_find_source(parse_string(object, "source", "game"));
    snprintf(out->space, sizeof out->space, "game");
    if (space && !parse_copy(space, out->space, sizeof out->space))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "space: expected at most %zu bytes of UTF-8",
                               sizeof out->space - 1);
    out->has_stage = false;
    if (stage && take_stage(stage, out, out_error) != 0)
        return -1;
    out->has_haptics = parse_bool(object, "haptics", false);
    out->max_gap_ns = (int64_t)llround((double)parse_float(object, "max_gap_ms", 0.0f) * 1e6);
    out->is_overlay = parse_bool(object, "overlay", false);
    out->count = 0;
    cJSON_ArrayForEach(device, parse_at(object, "devices"))
    {
        if (out->count == PROTOCOL_FEED_DEVICES_MAX)
            break; /* the schema allows no more */
        if (!parse_copy(device, out->devices[out->count++], PROTOCOL_NAME_MAX))
            return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE,
                                   "devices[%zu]: expected at most %d bytes of UTF-8", out->count - 1,
                                   PROTOCOL_NAME_MAX - 1);
    }
    return 0;
}

/* Where swords lie in controllers, by their interaction profiles. See fill.h. */
#include "fill.h"

#include "hilts.h"
#include "ports/pose_rules.h"
#include "protocol/messages/parse.h"

#include <stdio.h>
#include <string.h>

#define PROFILE_PREFIX "/interaction_profiles/"
#define PROFILE_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-_."

/* As OpenXR writes them: /interaction_profiles/VENDOR/NAME. */
static bool is_profile(const char *name)
{
    const char *vendor = name + strlen(PROFILE_PREFIX), *model;

    if (strncmp(name, PROFILE_PREFIX, strlen(PROFILE_PREFIX)) != 0)
        return false;
    model = vendor + strspn(vendor, PROFILE_CHARACTERS);
    return model > vendor && *model == '/' && model[1] && !model[1 + strspn(model + 1, PROFILE_CHARACTERS)];
}

static int fill_profile(pose_offsets *out, const char *name, failure *out_reason)
{
    const hilt *h = hilt_find(name);
    const char *profile = h ? h->profile : name;

    if (!h && !is_profile(name))
        return fail_int(
            out_reason,
            "%.80s: expected index, touch, vive, pico, wmr, simple or OpenXR's name of a controller, such as "
            "/interaction_profiles/valve/index_controller",
            name);
    if (strlen(profile) >= POSE_PROFILE_MAX)
        return fail_int(out_reason, "%.80s..: too long: %d bytes at most", name, POSE_PROFILE_MAX - 1);
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->offsets[i].profile, profile) == 0)
            return fail_int(out_reason, "%s: given twice: %s stands before it", name, profile);
    snprintf(out->offsets[out->count].profile, POSE_PROFILE_MAX, "%s", profile);
    return 0;
}

static int fill_pose(clash_pose *out, const cJSON *value, failure *out_reason)
{
    const cJSON *position = parse_at(value, "position"), *orientation = parse_at(value, "orientation");

    if (position)
        out->position = parse_vec3(position);
    if (!orientation)
        return 0;
    out->orientation = parse_quat(orientation);
    return clash_quat_is_unit(out->orientation, POSE_UNIT_TOLERANCE)
               ? 0
               : fail_int(out_reason, "%s.orientation: expected a quaternion x, y, z, w of unit length", value->string);
}

/* The end of the controller along its handle. */
static int fill_default(clash_pose *out, const cJSON *value, failure *out_reason)
{
    const hilt *h = hilt_find(value->string);

    if (strcmp(value->valuestring, "default") != 0)
        return fail_int(out_reason, "%s: expected an object with position and orientation, or \"default\"",
                        value->string);
    if (!h)
        return fail_int(out_reason,
                        "%s: there is no \"default\" for it: expected an object with position and orientation",
                        value->string);
    out->position.z = -h->begin;
    return 0;
}

int config_fill_offsets(pose_offsets *out, const cJSON *object, failure *out_reason)
{
    const cJSON *value;

    memset(out, 0, sizeof *out);
    cJSON_ArrayForEach(value, object)
    {
        clash_pose *pose;

        if (out->count == POSE_OFFSETS_MAX)
            return fail_int(out_reason, "%.80s: one too many: at most %d are allowed", value->string, POSE_OFFSETS_MAX);
        if (fill_profile(out, value->string, out_reason) < 0)
            return -1;
        pose = &out->offsets[out->count].grip_from_held;
        pose->orientation.w = 1.0f;
        if ((cJSON_IsString(value) ? fill_default : fill_pose)(pose, value, out_reason) < 0)
            return -1;
        out->count++;
    }
    return 0;
}

/* One line of a recording to an item: input is held against its schema and taken apart, events that clashd wrote are held
 * against theirs and passed on as text. */
#include <stdio.h>
#include <string.h>

#include "pose_line.h"
#include "protocol/messages/names.h"
#include "protocol/messages/parse.h"
#include "protocol/messages/parse_push.h"
#include "protocol/messages/parse_target.h"
#include "protocol/schema_check/schema.h"
#include "recording_private.h"

/** The types a recording may hold, with their schemas. */
static const struct {
    const char *type, *schema;
    recording_item_kind kind;
} types[] = {
    {"poses", "server/poses", RECORDING_POSES},
    {"tracking", "server/tracking", RECORDING_TRACKING_LOST}, /* or an event, if tracked is true */
    {"space_changed", "server/space_changed", RECORDING_SPACE_CHANGED},
    {"blade", "recording/blade", RECORDING_BLADE},
    {"target", "recording/target", RECORDING_TARGET},
    {"remove", "recording/remove", RECORDING_REMOVE},
    {"equipment", "recording/equipment", RECORDING_EQUIPMENT},
    {"gap", "recording/gap", RECORDING_GAP},
    {"mark", "recording/mark", RECORDING_MARK},
    {"clash", "server/clash", RECORDING_EVENT},
    {"hold", "server/hold", RECORDING_EVENT},
    {"release", "server/release", RECORDING_EVENT},
    {"hello", "server/hello", RECORDING_EVENT},
    {"status", "server/status", RECORDING_EVENT},
    {"lagged", "server/lagged", RECORDING_EVENT},
    {"ok", "server/ok", RECORDING_EVENT},
    {"error", "server/error", RECORDING_EVENT},
};

#define TYPES (sizeof types / sizeof types[0])

static bool take_poses(const cJSON *array, recording_item *item, failure *out_failure)
{
    failure why = {0};
    const cJSON *pose;

    cJSON_ArrayForEach(pose, array)
    {
        if (item->pose_count == RECORDING_POSES_MAX)
            return true; /* the schema allows no more */
        if (parse_pose(pose, PROTOCOL_AXES_OPENXR, &item->poses[item->pose_count++], &why))
            continue;
        return fail_with(out_failure, "%s", why.text);
    }
    return true;
}

static bool take_tracking(const cJSON *object, recording_item *item, failure *out_failure)
{
    if (!parse_copy(cJSON_GetObjectItemCaseSensitive(object, "device"), item->device, sizeof item->device)) {
        return fail_with(out_failure, "device: expected at most %zu bytes", sizeof item->device - 1);
    }
    if (parse_bool(object, "tracked", false)) {
        item->kind = RECORDING_EVENT;
        return true;
    }
    return names_find_tracking_reason(parse_string(object, "reason", "lost"), &item->reason); /* the schema knows it */
}

static bool take_blade(const cJSON *object, recording_item *item, failure *out_failure)
{
    protocol_error error;

    if (parse_own_blade(object, PARSE_BLADE_OURS, &item->blade, &error) == 0)
        return true;
    return fail_with(out_failure, "%s", error.message);
}

/* Empty if the key is not there. */
static bool take_name(const cJSON *object, const char *key, char *out, size_t out_size, int *count,
                      failure *out_failure)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, key);

    out[0] = '\0';
    *count += name != NULL;
    if (!name || parse_copy(name, out, out_size))
        return true;
    return fail_with(out_failure, "%s: the name is too long", key);
}

static bool take_target(const cJSON *object, recording_item *item, failure *out_failure)
{
    failure why = {0};

    if (parse_target(object, PROTOCOL_AXES_OPENXR, PARSE_TARGET_RECORDING, &item->target, &why))
        return true;
    return fail_with(out_failure, "%s", why.text);
}

static bool take_removal(const cJSON *object, recording_item *item, failure *out_failure)
{
    int count = 0;

    if (!take_name(object, "blade", item->blade.name, sizeof item->blade.name, &count, out_failure) ||
        !take_name(object, "target", item->target.name, sizeof item->target.name, &count, out_failure) ||
        !take_name(object, "device", item->device, sizeof item->device, &count, out_failure))
        return false;
    if (count != 1)
        fail_with(out_failure, "expected one of blade, target and device");
    return count == 1;
}

static bool take_known(const cJSON *object, size_t row, recording_item *item, failure *out_failure)
{
    if (protocol_schema_validate(protocol_schema_get(types[row].schema), object, out_failure) < 0)
        return false;
    item->kind = types[row].kind;
    item->type = types[row].type;
    item->time_ns = parse_int(object, "time_ns", 0);
    item->pose_count = 0;
    item->more = parse_bool(object, "more", false);
    item->open_contacts = (uint64_t)parse_int(object, "open_contacts", 0);
    if (item->kind == RECORDING_POSES)
        return take_poses(cJSON_GetObjectItemCaseSensitive(object, "poses"), item, out_failure);
    if (item->kind == RECORDING_BLADE)
        return take_blade(object, item, out_failure);
    if (item->kind == RECORDING_TARGET)
        return take_target(object, item, out_failure);
    if (item->kind == RECORDING_REMOVE)
        return take_removal(object, item, out_failure);
    if (item->kind == RECORDING_EQUIPMENT)
        return recording_read_equipment(object, &item->equipment, out_failure);
    if (item->kind == RECORDING_SPACE_CHANGED && cJSON_HasObjectItem(object, "source"))
        item->kind = RECORDING_EVENT; /* the first pose of another feed says it */
    return item->kind != RECORDING_TRACKING_LOST || take_tracking(object, item, out_failure);
}

static recording_line_result take_object(const cJSON *object, recording_item *item, failure *out_failure)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(object, "type");

    if (!cJSON_IsObject(object) || !cJSON_IsString(type)) {
        fail_with(out_failure, "expected an object with a \"type\"");
        return RECORDING_LINE_DAMAGED;
    }
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(type->valuestring, types[i].type) == 0)
            return take_known(object, i, item, out_failure) ? RECORDING_LINE_TAKEN : RECORDING_LINE_DAMAGED;
    return RECORDING_LINE_UNKNOWN;
}

recording_line_result recording_read_line(const char *line, size_t length, recording_item *item, failure *out_failure)
{
    return pose_line_read(line, length, item) ? RECORDING_LINE_TAKEN
                                              : recording_read_any_line(line, length, item, out_failure);
}

recording_line_result recording_read_any_line(const char *line, size_t length, recording_item *item,
                                              failure *out_failure)
{
    cJSON *object = parse_line(line, length, out_failure);
    recording_line_result result = object ? take_object(object, item, out_failure) : RECORDING_LINE_DAMAGED;

    cJSON_Delete(object);
    return result;
}

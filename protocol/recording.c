/* Reads recordings: see recording.h. Lines are read whole by the C library; a line beyond the limit is damaged. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "parse.h"
#include "recording_private.h"
#include "schema.h"

struct recording {
    FILE *file;
    char *line;
    size_t capacity;
    uint64_t line_number;
    recording_header header;
    recording_counters counters;
    recording_damage_function on_damage;
    void *context;
};

/** The next line into r->line, without its newline. -1 at the end of the file; *out_whole says whether it had one. */
static ssize_t read_line(recording *r, bool *out_whole)
{
    ssize_t length = getline(&r->line, &r->capacity, r->file);

    if (length < 0)
        return -1;
    r->line_number++;
    *out_whole = length > 0 && r->line[length - 1] == '\n';
    while (length > 0 && (r->line[length - 1] == '\n' || r->line[length - 1] == '\r'))
        r->line[--length] = '\0';
    return length;
}

static recording *fail(recording *r, char *out_error, size_t size, const char *path, const char *what)
{
    if (r && r->line_number > 0)
        snprintf(out_error, size, "%s: line %llu: %s", path, (unsigned long long)r->line_number, what);
    else
        snprintf(out_error, size, "%s: %s", path, what);
    recording_close(r);
    return NULL;
}

recording *recording_open(const char *path, recording_damage_function on_damage, void *context, char *out_error,
                          size_t error_size)
{
    recording *r = calloc(1, sizeof *r);
    char reason[400];
    ssize_t length;
    bool whole;

    if (!r)
        return fail(r, out_error, error_size, path, "out of memory");
    r->on_damage = on_damage;
    r->context = context;
    r->file = fopen(path, "re");
    if (!r->file)
        return fail(r, out_error, error_size, path, strerror(errno));
    errno = 0;
    length = read_line(r, &whole);
    if (length < 0)
        return fail(r, out_error, error_size, path,
                    errno ? strerror(errno) : "is empty; expected a recording's header");
    if (!recording_read_header(r->line, (size_t)length, &r->header, reason, sizeof reason))
        return fail(r, out_error, error_size, path, reason);
    r->counters.lines = 1;
    return r;
}

const recording_header *recording_get_header(const recording *r)
{
    return &r->header;
}

const recording_counters *recording_get_counters(const recording *r)
{
    return &r->counters;
}

int recording_rewind(recording *r)
{
    bool whole;

    if (fseek(r->file, 0, SEEK_SET) != 0)
        return -1;
    r->line_number = 0;
    return read_line(r, &whole) < 0 ? -1 : 0;
}

void recording_close(recording *r)
{
    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    free(r->line);
    free(r);
}

static bool take_pose(const cJSON *pose, recording_pose *out)
{
    *out = (recording_pose){
        .pose = {parse_quat(cJSON_GetObjectItemCaseSensitive(pose, "orientation")),
                 parse_vec3(cJSON_GetObjectItemCaseSensitive(pose, "position"))},
        .tracked = parse_bool(pose, "tracked", false),
        .valid = parse_bool(pose, "valid", true),
        .teleport = parse_bool(pose, "teleport", false),
    };
    snprintf(out->device, sizeof out->device, "%s", parse_string(pose, "device", ""));
    return parse_fits_float(pose);
}

/** A line's kind by its `type`; RECORDING_END for an unknown one. */
static recording_item_kind kind_of(const cJSON *object)
{
    static const char *const events[] = {"clash", "hold", "release", "lagged", "status", "hello", "ok", "error"};
    const char *type = parse_string(object, "type", "");

    if (strcmp(type, "poses") == 0)
        return RECORDING_POSES;
    if (strcmp(type, "space_changed") == 0)
        return RECORDING_SPACE_CHANGED;
    if (strcmp(type, "tracking") == 0)
        return parse_bool(object, "tracked", false) ? RECORDING_EVENT : RECORDING_TRACKING_LOST;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (strcmp(type, events[i]) == 0)
            return RECORDING_EVENT;
    return RECORDING_END;
}

/** Input lines are held against their schemas; other events are only passed on. */
static bool take_input(const cJSON *object, recording_item *item, char *out_error, size_t size)
{
    static const char *const schemas[] = {
        [RECORDING_POSES] = "server/poses",
        [RECORDING_TRACKING_LOST] = "server/tracking",
        [RECORDING_SPACE_CHANGED] = "server/space_changed",
    };
    const cJSON *pose;

    if (protocol_schema_validate(protocol_schema_get(schemas[item->kind]), object, out_error, size) < 0)
        return false;
    item->time_ns = parse_int(object, "time_ns", 0);
    item->pose_count = 0;
    if (item->kind == RECORDING_TRACKING_LOST) {
        snprintf(item->device, sizeof item->device, "%s", parse_string(object, "device", ""));
        return names_find_tracking_reason(parse_string(object, "reason", "lost"), &item->reason);
    }
    cJSON_ArrayForEach(pose, cJSON_GetObjectItemCaseSensitive(object, "poses"))
    {
        /* the schema allows no more than RECORDING_POSES_MAX */
        if (item->pose_count == RECORDING_POSES_MAX || !take_pose(pose, &item->poses[item->pose_count++])) {
            snprintf(out_error, size, "poses[%zu]: a number is out of range", item->pose_count - 1);
            return false;
        }
    }
    return true;
}

static void damaged(recording *r, bool whole, const char *what)
{
    if (whole)
        r->counters.damaged++;
    else
        r->counters.torn++;
    if (r->on_damage)
        r->on_damage(r->context, r->line_number, what);
}

/** Takes one line apart. False where it is to be skipped. */
static bool take_line(recording *r, size_t length, bool whole, recording_item *item)
{
    char reason[400];
    cJSON *object;
    bool taken = true;

    if (length >= PROTOCOL_LINE_MAX) {
        damaged(r, whole, "the line is longer than 64 KiB");
        return false;
    }
    object = parse_line(r->line, length, reason, sizeof reason);
    if (!cJSON_IsObject(object)) {
        damaged(r, whole, object ? "expected an object" : reason);
        cJSON_Delete(object);
        return false;
    }
    item->kind = kind_of(object);
    if (item->kind == RECORDING_END) {
        r->counters.unknown++;
        taken = false;
    } else if (item->kind == RECORDING_EVENT) {
        item->time_ns = parse_int(object, "time_ns", 0);
        item->pose_count = 0;
    } else if (!take_input(object, item, reason, sizeof reason)) {
        damaged(r, whole, reason);
        taken = false;
    }
    cJSON_Delete(object);
    return taken;
}

recording_item_kind recording_next(recording *r, recording_item *item)
{
    ssize_t length;
    bool whole = true;

    while ((length = read_line(r, &whole)) >= 0) {
        r->counters.lines++;
        if (length == 0 || !take_line(r, (size_t)length, whole, item))
            continue;
        item->line_number = r->line_number;
        item->text = r->line;
        item->text_length = (size_t)length;
        return item->kind;
    }
    item->kind = RECORDING_END;
    return RECORDING_END;
}

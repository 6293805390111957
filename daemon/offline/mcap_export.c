/* See mcap_export.h. OpenXR's y is up, Foxglove's z: the frame `map`, which it takes for the ground, is turned against the
 * recording's. What Foxglove has to know wherever one jumps to (which blades there are) is in one message each time, whole, as it looks
 * back for a topic's last one only. */
#include "mcap_export.h"

#include "mcap_event.h"
#include "mcap_format.h"
#include "mcap_scene.h"
#include "mcap_schemas.h"
#include "mcap_writer.h"
#include "speeds.h"
#include "things.h"

#include <cjson/cJSON.h>
#include <clash/base.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_BYTES (8u << 20)
#define ROOT_FRAME "map"

typedef enum topic {
    TOPIC_RECORDING,
    TOPIC_TF,
    TOPIC_TF_STATIC,
    TOPIC_BLADES,
    TOPIC_TARGETS,
    TOPIC_SPARKS,
    TOPIC_CLASH,
    TOPIC_HOLD,
    TOPIC_RELEASE,
    TOPIC_SPEEDS,
    TOPIC_CONTACTS,
    TOPIC_LOG,
    TOPIC_COUNT
} topic;

/* Foxglove's numbers. */
typedef enum said_level { SAID_INFO = 2, SAID_WARNING = 3 } said_level;

typedef struct export
{
    mcap_writer *writer;
    uint16_t channels[TOPIC_COUNT];
    const recording_header *header;
    char *header_text;
    speeds *speeds;
    mcap_report *report;
    int64_t now_ns; /* of the last line that has a time */
    bool is_begun;
    thing_list things;
    uint64_t open_contacts;
    double grip;       /* of the device that was told of last, m/s */
    bool speeds_begun; /* a message of them is in `message` */
    json_writer w;
    char message[MESSAGE_BYTES];
}
export;

/* ---- messages ---- */

static uint64_t when(const export *e, int64_t time_ns)
{
    const double from_1970 = (double)e->header->epoch_unix_ns + (double)time_ns;

    return from_1970 > 0.0 && from_1970 < 1.8e19 ? (uint64_t)e->header->epoch_unix_ns + (uint64_t)time_ns : 0;
}

static void begin_message(export *e)
{
    json_writer_init(&e->w, e->message, sizeof e->message);
}

/* Without the newline that a line would have. */
static void end_message(export *e, topic to, int64_t time_ns)
{
    const size_t length = json_writer_finish(&e->w);

    if (length == 0) {
        e->report->too_large++;
        return;
    }
    mcap_write(e->writer, e->channels[to], when(e, time_ns), e->message, length - 1);
    e->report->messages++;
}

static void write_line(export *e, const char *line, size_t length)
{
    mcap_write(e->writer, e->channels[TOPIC_RECORDING], when(e, e->now_ns), line, length);
    e->report->messages++;
    e->report->lines++;
}

static void write_log(export *e, said_level level, const char *text)
{
    begin_message(e);
    json_object_begin(&e->w);
    mcap_json_time(&e->w, "timestamp", when(e, e->now_ns));
    encode_key_int(&e->w, "level", level);
    encode_key_string(&e->w, "message", text);
    encode_key_string(&e->w, "name", "clashd");
    encode_key_string(&e->w, "file", "");
    encode_key_int(&e->w, "line", 0);
    json_object_end(&e->w);
    end_message(e, TOPIC_LOG, e->now_ns);
}

static void put_transform(export *e, const char *parent, const char *child, clash_pose pose)
{
    json_object_begin(&e->w);
    mcap_json_time(&e->w, "timestamp", when(e, e->now_ns));
    encode_key_string(&e->w, "parent_frame_id", parent);
    encode_key_string(&e->w, "child_frame_id", child);
    mcap_json_vec3(&e->w, "translation", pose.position);
    mcap_json_quat(&e->w, "rotation", pose.orientation);
    json_object_end(&e->w);
}

static void begin_list(export *e, const char *key)
{
    begin_message(e);
    json_object_begin(&e->w);
    json_array_begin_at(&e->w, key);
}

static void end_list(export *e, topic to)
{
    json_array_end(&e->w);
    json_object_end(&e->w);
    end_message(e, to, e->now_ns);
}

/* The recording's y to the root's z. */
static void write_root(export *e)
{
    const float half = 0.70710678f;

    if (strcmp(e->header->space, ROOT_FRAME) == 0)
        return; /* a frame cannot be its own parent */
    begin_list(e, "transforms");
    put_transform(e, ROOT_FRAME, e->header->space, (clash_pose){{half, 0.0f, 0.0f, half}, {0.0f, 0.0f, 0.0f}});
    end_list(e, TOPIC_TF_STATIC);
}

static void write_contacts(export *e, int64_t time_ns)
{
    begin_message(e);
    json_object_begin(&e->w);
    encode_key_uint(&e->w, "open", e->open_contacts);
    json_object_end(&e->w);
    end_message(e, TOPIC_CONTACTS, time_ns);
}

static void write_scene(export *e)
{
    if (e->things.blades_changed) {
        begin_message(e);
        mcap_scene_blades(&e->w, when(e, e->now_ns), e->things.blades, e->things.blade_count);
        end_message(e, TOPIC_BLADES, e->now_ns);
    }
    if (e->things.targets_changed) {
        begin_message(e);
        mcap_scene_targets(&e->w, when(e, e->now_ns), e->header->space, e->things.targets, e->things.target_count);
        end_message(e, TOPIC_TARGETS, e->now_ns);
    }
    e->things.blades_changed = e->things.targets_changed = false;
}

/* ---- items ---- */

static void on_speed(void *context, const speed_sample *sample)
{
    export *e = context;

    if (!sample->blade) {
        e->grip = sample->speed;
        return;
    }
    if (!e->speeds_begun)
        begin_list(e, "blades");
    e->speeds_begun = true;
    json_object_begin(&e->w);
    encode_key_string(&e->w, "blade", sample->blade);
    encode_key_float(&e->w, "grip", (float)e->grip);
    encode_key_float(&e->w, "tip", (float)sample->speed);
    json_object_end(&e->w);
}

static void write_speeds(export *e, const recording_item *item)
{
    e->speeds_begun = false;
    speeds_add(e->speeds, item);
    if (e->speeds_begun)
        end_list(e, TOPIC_SPEEDS);
}

static void write_poses(export *e, const recording_item *item)
{
    bool any = false;

    for (size_t i = 0; i < item->pose_count; i++)
        any = any || item->poses[i].valid;
    if (!any)
        return;
    begin_list(e, "transforms");
    for (size_t i = 0; i < item->pose_count; i++)
        if (item->poses[i].valid)
            put_transform(e, e->header->space, item->poses[i].device, item->poses[i].pose);
    end_list(e, TOPIC_TF);
}

static void begin(export *e, const recording_item *item)
{
    e->is_begun = true;
    if (item->kind != RECORDING_END)
        e->now_ns = item->time_ns;
    write_line(e, e->header_text, strlen(e->header_text));
    write_root(e);
    write_contacts(e, e->now_ns);
    e->things.blades_changed = true;
}

static void write_mark(export *e, const char *line)
{
    cJSON *mark = cJSON_Parse(line);
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(mark, "text");

    write_log(e, SAID_INFO, cJSON_IsString(text) ? text->valuestring : line);
    cJSON_Delete(mark);
}

static void note(export *e, const recording_item *item)
{
    char text[PROTOCOL_NAME_MAX + 80];

    if (item->kind == RECORDING_GAP) {
        write_log(e, SAID_WARNING, "gap: lines are missing before this one");
    } else if (item->kind == RECORDING_MARK) {
        write_mark(e, item->text);
    } else if (item->kind == RECORDING_SPACE_CHANGED) {
        write_log(e, SAID_INFO, "the reference space moved");
    } else if (item->kind == RECORDING_TRACKING_LOST) {
        snprintf(text, sizeof text, "%s is not tracked any more", item->device);
        write_log(e, SAID_WARNING, text);
    } else if (item->kind == RECORDING_EVENT && strcmp(item->type, "tracking") == 0) {
        snprintf(text, sizeof text, "%s is tracked", item->device);
        write_log(e, SAID_INFO, text);
    }
}

static void on_item(void *context, const recording_item *item)
{
    export *e = context;

    if (!e->is_begun)
        begin(e, item);
    if (item->kind == RECORDING_END) {
        write_scene(e);
        return;
    }
    if (item->kind == RECORDING_POSES || recording_is_change(item->kind))
        e->now_ns = item->time_ns;
    write_line(e, item->text, item->text_length);
    if (item->kind == RECORDING_BLADE)
        things_define_blade(&e->things, &item->blade);
    if (item->kind == RECORDING_TARGET)
        things_define_target(&e->things, &item->target);
    if (item->kind == RECORDING_REMOVE)
        things_remove(&e->things, item);
    note(e, item);
    write_speeds(e, item);
    if (item->kind != RECORDING_POSES)
        return;
    write_scene(e);
    write_poses(e, item);
}

/* ---- events ---- */

static void write_clash(export *e, const clash_event *event)
{
    begin_message(e);
    mcap_event_clash(&e->w, event);
    end_message(e, event->kind == CLASH_EVENT_CLASH ? TOPIC_CLASH : TOPIC_HOLD, event->time_ns);
}

static void write_release(export *e, const clash_event *event)
{
    begin_message(e);
    mcap_event_release(&e->w, event);
    end_message(e, TOPIC_RELEASE, event->time_ns);
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    export *e = context;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD)
        write_clash(e, event);
    if (event->kind == CLASH_EVENT_CLASH) {
        begin_message(e);
        mcap_scene_clash(&e->w, when(e, event->time_ns), e->header->space, event);
        end_message(e, TOPIC_SPARKS, event->time_ns);
        e->open_contacts++;
        write_contacts(e, event->time_ns);
    }
    if (event->kind == CLASH_EVENT_RELEASE) {
        write_release(e, event);
        e->open_contacts -= e->open_contacts > 0;
        write_contacts(e, event->time_ns);
    }
    return !e->things.is_out_of_memory && mcap_get_error(e->writer) == 0;
}

/* ---- its life ---- */

static void add_channels(export *e)
{
    mcap_writer *w = e->writer;
    const uint16_t transforms = mcap_add_schema(w, "foxglove.FrameTransforms", mcap_schema_transforms);
    const uint16_t scene = mcap_add_schema(w, "foxglove.SceneUpdate", mcap_schema_scene);
    const uint16_t clash = mcap_add_schema(w, "clashd.Clash", mcap_schema_clash);

    e->channels[TOPIC_RECORDING] = mcap_add_channel(w, MCAP_RECORDING_TOPIC, MCAP_SCHEMALESS);
    e->channels[TOPIC_TF] = mcap_add_channel(w, "/tf", transforms);
    e->channels[TOPIC_TF_STATIC] = mcap_add_channel(w, "/tf_static", transforms);
    e->channels[TOPIC_BLADES] = mcap_add_channel(w, "/blades", scene);
    e->channels[TOPIC_TARGETS] = mcap_add_channel(w, "/targets", scene);
    e->channels[TOPIC_SPARKS] = mcap_add_channel(w, "/sparks", scene);
    e->channels[TOPIC_CLASH] = mcap_add_channel(w, "/clash", clash);
    e->channels[TOPIC_HOLD] = mcap_add_channel(w, "/hold", clash);
    e->channels[TOPIC_RELEASE] =
        mcap_add_channel(w, "/release", mcap_add_schema(w, "clashd.Release", mcap_schema_release));
    e->channels[TOPIC_SPEEDS] = mcap_add_channel(w, "/speeds", mcap_add_schema(w, "clashd.Speeds", mcap_schema_speeds));
    e->channels[TOPIC_CONTACTS] =
        mcap_add_channel(w, "/contacts", mcap_add_schema(w, "clashd.Contacts", mcap_schema_contacts));
    e->channels[TOPIC_LOG] = mcap_add_channel(w, "/log", mcap_add_schema(w, "foxglove.Log", mcap_schema_log));
}

static void destroy(export *e)
{
    if (!e)
        return;
    things_finish(&e->things);
    free(e->header_text);
    speeds_destroy(e->speeds);
    mcap_destroy(e->writer);
    free(e);
}

static export *create(recording *r, const config_values *config, FILE *out, mcap_report *report)
{
    export *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->report = report;
    e->header = recording_get_header(r);
    e->header_text = strdup(recording_get_header_text(r));
    e->writer = mcap_create(out, "clashd " CLASH_VERSION_STRING);
    e->speeds = speeds_create(config, on_speed, e);
    for (size_t i = 0; i < config->blade_count; i++)
        things_define_blade(&e->things, &config->blades[i]);
    for (size_t i = 0; i < config->target_count; i++)
        things_define_target(&e->things, &config->targets[i]);
    if (e->header_text && e->writer && e->speeds && !e->things.is_out_of_memory)
        return e;
    destroy(e);
    return NULL;
}

int mcap_export(recording *r, const config_values *config, FILE *out, mcap_report *out_report, failure *out_failure)
{
    export *e;
    int result;

    *out_report = (mcap_report){0};
    e = create(r, config, out, out_report);
    if (!e)
        return fail_int(out_failure, "out of memory");
    add_channels(e);
    result = detect_run(r, config, &(detect_output){.context = e, .line = on_event, .item = on_item},
                        &out_report->found, out_failure);
    out_report->write_error = mcap_finish(e->writer);
    if (result == 0 && (e->things.is_out_of_memory || out_report->write_error == ENOMEM))
        result = fail_int(out_failure, "out of memory");
    destroy(e);
    return result;
}

/* The settings that are one value each; see fields.h. */
#include "fields.h"

#include "expand.h"
#include "fill.h"
#include "log/log_output.h"
#include "protocol/messages/names.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

typedef enum field_kind {
    FIELD_BOOL,
    FIELD_FLOAT,
    FIELD_DOUBLE,
    FIELD_COUNT,   /* uint32_t */
    FIELD_CURVE,   /* protocol_intensity_curve */
    FIELD_GAP,     /* float; null: from each device's rate */
    FIELD_RATE,    /* double; "auto": as often as needed */
    FIELD_SPACE,   /* char[16] */
    FIELD_TEXT,    /* char[CONFIG_STRING_MAX]; null: "" */
    FIELD_ADDRESS, /* char[CONFIG_ADDRESS_MAX]; null: "" */
    FIELD_NAMES,   /* config_names */
    FIELD_PATH,    /* char[CONFIG_PATH_MAX], expanded; null: "" */
    FIELD_LEVEL,   /* log_level */
    FIELD_OFFSETS, /* pose_offsets */
} field_kind;

typedef struct field {
    const char *section, *key;
    field_kind kind;
    size_t offset;
    bool reloads; /* may change while clashd runs */
} field;

#define AT(member) offsetof(config_values, member)
static const field fields[] = {
    {"contact", "margin", FIELD_FLOAT, AT(contact.margin), true},
    {"contact", "release_margin", FIELD_FLOAT, AT(contact.release_margin), true},
    {"contact", "min_closing_speed", FIELD_FLOAT, AT(contact.min_closing_speed), true},
    {"contact", "hold_rate_hz", FIELD_FLOAT, AT(contact.hold_rate_hz), true},
    {"contact", "max_gap_ms", FIELD_GAP, AT(contact.max_gap_ms), true},
    {"contact", "require_tracked", FIELD_BOOL, AT(contact.require_tracked), true},
    {"contact", "full_intensity_speed", FIELD_FLOAT, AT(contact.full_intensity_speed), true},
    {"contact", "intensity_curve", FIELD_CURVE, AT(contact.intensity_curve), true},
    {"openxr", "enabled", FIELD_BOOL, AT(openxr.enabled), false},
    {"openxr", "rate_hz", FIELD_RATE, AT(openxr.rate_hz), false},
    {"openxr", "space", FIELD_SPACE, AT(openxr.space), false},
    {"openxr", "lookahead_ms", FIELD_DOUBLE, AT(openxr.lookahead_ms), true},
    {"openxr", "haptics", FIELD_BOOL, AT(openxr.haptics), false},
    {"openxr", "offsets", FIELD_OFFSETS, AT(openxr.offsets), true},
    {"socket", "path", FIELD_PATH, AT(socket.path), false},
    {"socket", "tcp", FIELD_ADDRESS, AT(socket.tcp), false},
    {"socket", "websocket", FIELD_ADDRESS, AT(socket.websocket), false},
    {"socket", "require_token", FIELD_BOOL, AT(socket.require_token), false},
    {"socket", "token_file", FIELD_PATH, AT(socket.token_file), false},
    {"socket", "allowed_origins", FIELD_NAMES, AT(socket.allowed_origins), false},
    {"socket", "allowed_hosts", FIELD_NAMES, AT(socket.allowed_hosts), false},
    {"socket", "max_clients", FIELD_COUNT, AT(socket.max_clients), false},
    {"socket", "queue_bytes", FIELD_COUNT, AT(socket.queue_bytes), false},
    {"socket", "push_timeout_ms", FIELD_COUNT, AT(socket.push_timeout_ms), false},
    {"record", "directory", FIELD_PATH, AT(record.directory), false},
    {"record", "rotate_bytes", FIELD_DOUBLE, AT(record.rotate_bytes), false},
    {"record", "keep", FIELD_COUNT, AT(record.keep), false},
    {"record", "compress", FIELD_BOOL, AT(record.compress), false},
    {"viewer", "logs", FIELD_PATH, AT(viewer.logs), true},
    {"viewer", "overlay_css", FIELD_PATH, AT(viewer.overlay_css), true},
    {"osc", "receivers", FIELD_NAMES, AT(osc.receivers), true},
    {"osc", "avatars", FIELD_NAMES, AT(osc.avatars), true},
    {"osc", "clash", FIELD_TEXT, AT(osc.clash), true},
    {"osc", "hold", FIELD_TEXT, AT(osc.hold), true},
    {"osc", "release", FIELD_TEXT, AT(osc.release), true},
    {"osc", "intensity", FIELD_TEXT, AT(osc.intensity), true},
    {"osc", "avatar", FIELD_TEXT, AT(osc.avatar), true},
    {"osc", "rate_hz", FIELD_DOUBLE, AT(osc.rate_hz), true},
    {"osc", "pulse_ms", FIELD_COUNT, AT(osc.pulse_ms), true},
    {"mqtt", "broker", FIELD_TEXT, AT(mqtt.broker), true},
    {"mqtt", "room", FIELD_TEXT, AT(mqtt.room), true},
    {"mqtt", "player", FIELD_TEXT, AT(mqtt.player), true},
    {"mqtt", "poses", FIELD_BOOL, AT(mqtt.poses), true},
    {"mqtt", "offline", FIELD_BOOL, AT(mqtt.offline), true},
    {"mqtt", "queue_bytes", FIELD_COUNT, AT(mqtt.queue_bytes), true},
    {"mqtt", "status_ms", FIELD_COUNT, AT(mqtt.status_ms), true},
    {"mqtt", "user", FIELD_TEXT, AT(mqtt.user), true},
    {"mqtt", "password_file", FIELD_PATH, AT(mqtt.password_file), true},
    {"mqtt", "tls", FIELD_BOOL, AT(mqtt.tls), true},
    {"mqtt", "ca_file", FIELD_PATH, AT(mqtt.ca_file), true},
    {"mqtt", "certificate_file", FIELD_PATH, AT(mqtt.certificate_file), true},
    {"mqtt", "key_file", FIELD_PATH, AT(mqtt.key_file), true},
    {"mqtt", "peers", FIELD_BOOL, AT(mqtt.peers), true},
    {"mqtt", "share", FIELD_BOOL, AT(mqtt.share), true},
    {"mqtt", "players", FIELD_NAMES, AT(mqtt.players), true},
    {"mqtt", "referee", FIELD_BOOL, AT(mqtt.referee), true},
    {"mqtt", "agree_ms", FIELD_COUNT, AT(mqtt.agree_ms), true},
    {"room", "x", FIELD_DOUBLE, AT(room.x), true},
    {"room", "y", FIELD_DOUBLE, AT(room.y), true},
    {"room", "z", FIELD_DOUBLE, AT(room.z), true},
    {"room", "turn", FIELD_DOUBLE, AT(room.turn), true},
    {"log", "level", FIELD_LEVEL, AT(log_level), true},
};
#define FIELD_COUNT_ALL (sizeof fields / sizeof fields[0])

_Static_assert(FIELD_COUNT_ALL <= CONFIG_SETTINGS_MAX, "sources has no room for all");

static bool copy_names(config_names *out, const cJSON *array)
{
    const cJSON *name;

    memset(out, 0, sizeof *out);
    cJSON_ArrayForEach(name, array)
    {
        if (out->count == CONFIG_NAMES_MAX ||
            !config_text_copy(out->names[out->count++], CONFIG_NAME_SIZE, name->valuestring))
            return false;
    }
    return true;
}

static int fill_rate(config_values *config, double *out_rate_hz, const cJSON *value, failure *out_reason)
{
    config->openxr.rate_is_auto = cJSON_IsString(value);
    *out_rate_hz = cJSON_IsString(value) ? CONFIG_RATE_AUTO_HZ : value->valuedouble;
    return !cJSON_IsString(value) || strcmp(value->valuestring, "auto") == 0
               ? 0
               : fail_int(out_reason, "expected a number of Hz or \"auto\", not '%s'", value->valuestring);
}

static int fill_string(char *out, size_t size, const char *text, failure *out_reason)
{
    return config_text_copy(out, size, text) ? 0 : fail_int(out_reason, "too long: %zu bytes at most", size - 1);
}

/* The reason names neither the setting nor its place; the caller adds them. */
static int fill_value(config_values *config, const field *f, const cJSON *value, failure *out_reason)
{
    char *at = (char *)config + f->offset;
    const char *text = cJSON_IsString(value) ? value->valuestring : "";

    switch (f->kind) {
    case FIELD_BOOL:
        *(bool *)at = cJSON_IsTrue(value);
        return 0;
    case FIELD_FLOAT:
        *(float *)at = (float)value->valuedouble;
        return 0;
    case FIELD_DOUBLE:
        *(double *)at = value->valuedouble;
        return 0;
    case FIELD_COUNT:
        *(uint32_t *)at = (uint32_t)value->valuedouble;
        return 0;
    case FIELD_GAP:
        config->contact.gap_by_rate = cJSON_IsNull(value);
        *(float *)at = cJSON_IsNull(value) ? CONFIG_GAP_MOST_MS : (float)value->valuedouble;
        return 0;
    case FIELD_RATE:
        return fill_rate(config, (double *)at, value, out_reason);
    case FIELD_CURVE:
        *(protocol_intensity_curve *)at = names_find_intensity_curve(text);
        return 0;
    case FIELD_SPACE:
        return fill_string(at, sizeof config->openxr.space, text, out_reason);
    case FIELD_TEXT:
        return fill_string(at, CONFIG_STRING_MAX, text, out_reason);
    case FIELD_ADDRESS:
        if (cJSON_IsNumber(value)) { /* a port alone */
            snprintf(at, CONFIG_ADDRESS_MAX, "%d", value->valueint);
            return 0;
        }
        return fill_string(at, CONFIG_ADDRESS_MAX, text, out_reason);
    case FIELD_NAMES:
        return copy_names((config_names *)at, value) ? 0
                                                     : fail_int(out_reason, "at most %d names of at most %d bytes",
                                                                CONFIG_NAMES_MAX, CONFIG_NAME_SIZE - 1);
    case FIELD_PATH:
        return config_expand_path(text, at, CONFIG_PATH_MAX, out_reason);
    case FIELD_LEVEL:
        return log_level_parse(text, (log_level *)at);
    case FIELD_OFFSETS:
        return config_fill_offsets((pose_offsets *)at, value, out_reason);
    }
    return fail_int(out_reason, "cannot be read");
}

static int fill_field(config_values *config, const char *origin, const field *f, const cJSON *value,
                      failure *out_failure)
{
    failure reason = {0};

    if (fill_value(config, f, value, &reason) == 0)
        return 0;
    if (f->kind == FIELD_PATH)
        return fail_int(out_failure, "%s: %s.%s: %s: %.256s", origin, f->section, f->key, reason.text,
                        value->valuestring);
    return fail_int(out_failure, "%s: %s.%s%s%s", origin, f->section, f->key, f->kind == FIELD_OFFSETS ? "." : ": ",
                    reason.text);
}

int config_fill_fields(config_values *config, const char *origin, config_setting_source source, const cJSON *document,
                       failure *out_failure)
{
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++) {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(document, fields[i].section);
        const cJSON *value = section ? cJSON_GetObjectItemCaseSensitive(section, fields[i].key) : NULL;

        if (!value)
            continue;
        if (fill_field(config, origin, &fields[i], value, out_failure) < 0)
            return -1;
        config->sources[i] = source;
    }
    return 0;
}

static bool is_same_names(const config_names *a, const config_names *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

static bool is_same_offsets(const pose_offsets *a, const pose_offsets *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->offsets[i].profile, b->offsets[i].profile) == 0 &&
               pose_is_same(&a->offsets[i].grip_from_held, &b->offsets[i].grip_from_held);
    return same;
}

static bool is_same_field(const config_values *a, const config_values *b, const field *f)
{
    const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;

    switch (f->kind) {
    case FIELD_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case FIELD_FLOAT:
        return *(const float *)x == *(const float *)y;
    case FIELD_GAP:
        return *(const float *)x == *(const float *)y && a->contact.gap_by_rate == b->contact.gap_by_rate;
    case FIELD_RATE:
        return *(const double *)x == *(const double *)y && a->openxr.rate_is_auto == b->openxr.rate_is_auto;
    case FIELD_DOUBLE:
        return *(const double *)x == *(const double *)y;
    case FIELD_COUNT:
        return *(const uint32_t *)x == *(const uint32_t *)y;
    case FIELD_CURVE:
        return *(const protocol_intensity_curve *)x == *(const protocol_intensity_curve *)y;
    case FIELD_SPACE:
    case FIELD_TEXT:
    case FIELD_ADDRESS:
    case FIELD_PATH:
        return strcmp(x, y) == 0;
    case FIELD_NAMES:
        return is_same_names(x, y);
    case FIELD_LEVEL:
        return *(const log_level *)x == *(const log_level *)y;
    case FIELD_OFFSETS:
        return is_same_offsets(x, y);
    }
    return false;
}

static const field *find_change(const config_values *a, const config_values *b, const char *section, bool only_fixed)
{
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++)
        if ((!section || strcmp(fields[i].section, section) == 0) && !(only_fixed && fields[i].reloads) &&
            !is_same_field(a, b, &fields[i]))
            return &fields[i];
    return NULL;
}

static bool write_key(const field *f, char *out_key, size_t size)
{
    if (f)
        snprintf(out_key, size, "%s.%s", f->section, f->key);
    return f != NULL;
}

bool config_find_change(const config_values *a, const config_values *b, const char *section, char *out_key, size_t size)
{
    return write_key(find_change(a, b, section, false), out_key, size);
}

bool config_find_fixed_change(const config_values *a, const config_values *b, char *out_key, size_t size)
{
    return write_key(find_change(a, b, NULL, true), out_key, size);
}

void config_note_source(config_values *config, const char *key, config_setting_source source)
{
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++) {
        const size_t length = strlen(fields[i].section);

        if (strncmp(key, fields[i].section, length) == 0 && key[length] == '.' &&
            strcmp(key + length + 1, fields[i].key) == 0)
            config->sources[i] = source;
    }
}

void config_note_section(config_values *config, const char *section, config_setting_source source)
{
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++)
        if (strcmp(fields[i].section, section) == 0)
            config->sources[i] = source;
}

static protocol_setting string_or_null(const char *text)
{
    return (protocol_setting){.kind = text[0] ? PROTOCOL_VALUE_STRING : PROTOCOL_VALUE_NULL, .string = text};
}

static protocol_setting value_of(const config_values *config, const field *f)
{
    const void *at = (const char *)config + f->offset;

    switch (f->kind) {
    case FIELD_BOOL:
        return (protocol_setting){.kind = PROTOCOL_VALUE_BOOL, .is = *(const bool *)at};
    case FIELD_FLOAT:
        return (protocol_setting){.kind = PROTOCOL_VALUE_FLOAT, .number = (double)*(const float *)at};
    case FIELD_DOUBLE:
        return (protocol_setting){.kind = PROTOCOL_VALUE_NUMBER, .number = *(const double *)at};
    case FIELD_COUNT:
        return (protocol_setting){.kind = PROTOCOL_VALUE_NUMBER, .number = *(const uint32_t *)at};
    case FIELD_CURVE:
        return string_or_null(names_intensity_curve(*(const protocol_intensity_curve *)at));
    case FIELD_GAP:
        return config->contact.gap_by_rate
                   ? string_or_null("")
                   : (protocol_setting){.kind = PROTOCOL_VALUE_FLOAT, .number = (double)*(const float *)at};
    case FIELD_RATE:
        return config->openxr.rate_is_auto
                   ? string_or_null("auto")
                   : (protocol_setting){.kind = PROTOCOL_VALUE_NUMBER, .number = *(const double *)at};
    case FIELD_SPACE:
    case FIELD_TEXT:
    case FIELD_ADDRESS:
    case FIELD_PATH:
        return string_or_null(at);
    case FIELD_NAMES:
        break;
    case FIELD_LEVEL:
        return string_or_null(log_level_name(*(const log_level *)at));
    case FIELD_OFFSETS:
        return (protocol_setting){.kind = PROTOCOL_VALUE_POSES};
    }
    return (protocol_setting){.kind = PROTOCOL_VALUE_NULL};
}

static void list_offsets(const pose_offsets *offsets, protocol_setting *out, protocol_named_pose *out_poses)
{
    for (size_t i = 0; i < offsets->count; i++)
        out_poses[i] = (protocol_named_pose){offsets->offsets[i].profile, offsets->offsets[i].grip_from_held};
    out->poses = out_poses;
    out->pose_count = offsets->count;
}

void config_visit_fields(const config_values *config, void *context, config_field_function take)
{
    protocol_named_pose poses[POSE_OFFSETS_MAX];
    char key[48];

    for (size_t i = 0; i < FIELD_COUNT_ALL; i++) {
        protocol_setting value = value_of(config, &fields[i]);

        if (fields[i].kind == FIELD_OFFSETS)
            list_offsets(&config->openxr.offsets, &value, poses);
        snprintf(key, sizeof key, "%s.%s", fields[i].section, fields[i].key);
        take(context, key, config->sources[i], &value,
             fields[i].kind == FIELD_NAMES
                 ? (const config_names *)(const void *)((const char *)config + fields[i].offset)
                 : NULL);
    }
}

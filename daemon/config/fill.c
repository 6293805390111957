/* Documents to settings: see fill.h. Types and ranges are the schema's business and not looked at again. */
#include "fill.h"

#include "protocol/messages/names.h"
#include "protocol/messages/parse_blade.h"

#include <stdio.h>
#include <string.h>

typedef enum field_kind {
    FIELD_BOOL,
    FIELD_FLOAT,
    FIELD_DOUBLE,
    FIELD_RUNNING, /* double; may change while clashd runs, though the rest of its section may not */
    FIELD_COUNT,   /* uint32_t */
    FIELD_CURVE,   /* protocol_intensity_curve */
    FIELD_GAP,     /* float; null: by each device's rate */
    FIELD_RATE,    /* double; "auto": as often as need be */
    FIELD_SPACE,   /* char[16] */
    FIELD_ADDRESS, /* char[APP_ADDRESS_MAX]; null: "" */
    FIELD_NAMES,   /* app_name_list */
    FIELD_PATH,    /* char[APP_PATH_MAX]; null: "" */
} field_kind;

typedef struct field {
    const char *section, *key;
    field_kind kind;
    size_t offset;
} field;

#define AT(member) offsetof(app_config, member)
static const field fields[] = {
    {"contact", "margin", FIELD_FLOAT, AT(contact.margin)},
    {"contact", "release_margin", FIELD_FLOAT, AT(contact.release_margin)},
    {"contact", "min_closing_speed", FIELD_FLOAT, AT(contact.min_closing_speed)},
    {"contact", "hold_rate_hz", FIELD_FLOAT, AT(contact.hold_rate_hz)},
    {"contact", "max_gap_ms", FIELD_GAP, AT(contact.max_gap_ms)},
    {"contact", "require_tracked", FIELD_BOOL, AT(contact.require_tracked)},
    {"contact", "full_intensity_speed", FIELD_FLOAT, AT(contact.full_intensity_speed)},
    {"contact", "intensity_curve", FIELD_CURVE, AT(contact.intensity_curve)},
    {"openxr", "enabled", FIELD_BOOL, AT(openxr.enabled)},
    {"openxr", "rate_hz", FIELD_RATE, AT(openxr.rate_hz)},
    {"openxr", "space", FIELD_SPACE, AT(openxr.space)},
    {"openxr", "lookahead_ms", FIELD_RUNNING, AT(openxr.lookahead_ms)},
    {"openxr", "haptics", FIELD_BOOL, AT(openxr.haptics)},
    {"socket", "path", FIELD_PATH, AT(socket.path)},
    {"socket", "tcp", FIELD_ADDRESS, AT(socket.tcp)},
    {"socket", "websocket", FIELD_ADDRESS, AT(socket.websocket)},
    {"socket", "require_token", FIELD_BOOL, AT(socket.require_token)},
    {"socket", "allowed_origins", FIELD_NAMES, AT(socket.allowed_origins)},
    {"socket", "allowed_hosts", FIELD_NAMES, AT(socket.allowed_hosts)},
    {"socket", "max_clients", FIELD_COUNT, AT(socket.max_clients)},
    {"socket", "queue_bytes", FIELD_COUNT, AT(socket.queue_bytes)},
    {"socket", "push_timeout_ms", FIELD_COUNT, AT(socket.push_timeout_ms)},
    {"record", "directory", FIELD_PATH, AT(record.directory)},
    {"record", "rotate_bytes", FIELD_DOUBLE, AT(record.rotate_bytes)},
    {"record", "keep", FIELD_COUNT, AT(record.keep)},
    {"record", "compress", FIELD_BOOL, AT(record.compress)},
};

/* False where it does not fit. */
static bool copy_string(char *out, size_t size, const char *text)
{
    int length = snprintf(out, size, "%s", text);

    return length >= 0 && (size_t)length < size;
}

static bool copy_names(app_name_list *out, const cJSON *array)
{
    const cJSON *name;

    memset(out, 0, sizeof *out);
    cJSON_ArrayForEach(name, array)
    {
        if (out->count == APP_NAMES_MAX || !copy_string(out->names[out->count++], APP_NAME_SIZE, name->valuestring))
            return false;
    }
    return true;
}

static int fill_field(app_config *config, const char *origin, const field *f, const cJSON *value, failure *out_failure)
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
    case FIELD_RUNNING:
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
        config->openxr.rate_is_auto = cJSON_IsString(value);
        *(double *)at = cJSON_IsString(value) ? CONFIG_RATE_AUTO_HZ : value->valuedouble;
        if (!cJSON_IsString(value) || strcmp(text, "auto") == 0)
            return 0;
        return fail_int(out_failure, "%s: %s.%s: expected a number of Hz or \"auto\", not '%s'", origin, f->section,
                        f->key, text);
    case FIELD_CURVE:
        *(protocol_intensity_curve *)at = names_find_intensity_curve(text);
        return 0;
    case FIELD_SPACE:
        if (copy_string(at, sizeof config->openxr.space, text))
            return 0;
        return fail_int(out_failure, "%s: %s.%s: unknown space '%s'", origin, f->section, f->key, text);
    case FIELD_ADDRESS:
        if (copy_string(at, APP_ADDRESS_MAX, text))
            return 0;
        return fail_int(out_failure, "%s: %s.%s: too long to be an address", origin, f->section, f->key);
    case FIELD_NAMES:
        if (copy_names((app_name_list *)at, value))
            return 0;
        return fail_int(out_failure, "%s: %s.%s: at most %d names of at most %d bytes", origin, f->section, f->key,
                        APP_NAMES_MAX, APP_NAME_SIZE - 1);
    case FIELD_PATH:
        if (copy_string(at, APP_PATH_MAX, text))
            return 0;
        return fail_int(out_failure, "%s: %s.%s: the path is too long", origin, f->section, f->key);
    }
    return fail_int(out_failure, "%s: %s.%s: cannot be read", origin, f->section, f->key);
}

static int fill_fields(app_config *config, const char *origin, const cJSON *document, failure *out_failure)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(document, fields[i].section);
        const cJSON *value = section ? cJSON_GetObjectItemCaseSensitive(section, fields[i].key) : NULL;

        if (value && fill_field(config, origin, &fields[i], value, out_failure) < 0)
            return -1;
    }
    return 0;
}

static bool is_same_names(const app_name_list *a, const app_name_list *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

static bool is_same_field(const app_config *a, const app_config *b, const field *f)
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
    case FIELD_RUNNING:
        return *(const double *)x == *(const double *)y;
    case FIELD_COUNT:
        return *(const uint32_t *)x == *(const uint32_t *)y;
    case FIELD_CURVE:
        return *(const protocol_intensity_curve *)x == *(const protocol_intensity_curve *)y;
    case FIELD_SPACE:
    case FIELD_ADDRESS:
    case FIELD_PATH:
        return strcmp(x, y) == 0;
    case FIELD_NAMES:
        return is_same_names(x, y);
    }
    return false;
}

bool config_find_change(const app_config *a, const app_config *b, const char *section, char *out_key, size_t size)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].section, section) == 0 && fields[i].kind != FIELD_RUNNING &&
            !is_same_field(a, b, &fields[i])) {
            snprintf(out_key, size, "%s.%s", section, fields[i].key);
            return true;
        }
    return false;
}

static int fill_blade(clash_blade_definition *blade, const char *origin, const cJSON *document, failure *out_failure)
{
    const char *name = cJSON_GetObjectItemCaseSensitive(document, "name")->valuestring;
    const char *device = cJSON_GetObjectItemCaseSensitive(document, "device")->valuestring;
    failure reason = {0};

    if (!copy_string(blade->name, sizeof blade->name, name))
        return fail_int(out_failure, "%s: blades: the name '%.80s..' is too long: %zu bytes at most", origin, name,
                        sizeof blade->name - 1);
    if (!copy_string(blade->device, sizeof blade->device, device))
        return fail_int(out_failure, "%s: blades.%s.device: too long: %zu bytes at most", origin, name,
                        sizeof blade->device - 1);
    if (!parse_blade(document, PROTOCOL_AXES_OPENXR, PARSE_BLADE_THEIRS, blade, &reason))
        return fail_int(out_failure, "%s: blades.%s.%s", origin, name, reason.text);
    return 0;
}

static int fill_blades(app_config *config, const char *origin, const cJSON *blades, failure *out_failure)
{
    int count = cJSON_GetArraySize(blades);
    const cJSON *blade;
    size_t index = 0;

    if (count > APP_BLADES_MAX)
        return fail_int(out_failure, "%s: blades: there are %d, and at most %d are allowed", origin, count,
                        APP_BLADES_MAX);
    cJSON_ArrayForEach(blade, blades)
    {
        if (fill_blade(&config->blades[index++], origin, blade, out_failure) < 0)
            return -1;
    }
    config->blade_count = index;
    config->blades_of_recording = false;
    return 0;
}

int config_fill(app_config *config, const char *origin, const cJSON *document, failure *out_failure)
{
    const cJSON *blades = cJSON_GetObjectItemCaseSensitive(document, "blades");
    const cJSON *targets = cJSON_GetObjectItemCaseSensitive(document, "targets");

    if (fill_fields(config, origin, document, out_failure) < 0)
        return -1;
    if (targets && config_fill_targets(config, origin, targets, out_failure) < 0)
        return -1;
    return blades ? fill_blades(config, origin, blades, out_failure) : 0;
}

static int check_blade(const clash_blade_definition *blade, const char *origin, failure *out_failure)
{
    if (blade->properties.has_edge && !(clash_vec3_length(blade->properties.edge) > 0.0f))
        return fail_int(out_failure, "%s: blades.%s.edge: has no length: expected a direction, or no edge at all",
                        origin, blade->name);
    return 0;
}

int config_check_blades(const app_config *config, const char *origin, failure *out_failure)
{
    for (size_t i = 0; i < config->blade_count; i++) {
        const char *name = config->blades[i].name;

        if (check_blade(&config->blades[i], origin, out_failure) < 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if (strcmp(config->blades[j].name, name) == 0)
                return fail_int(out_failure,
                                "%s: blades[%zu].name: '%s' is the name of blades[%zu] already: each needs its own",
                                origin, i, name, j);
    }
    return 0;
}

static bool add_vector(cJSON *object, const char *key, clash_vec3 v)
{
    const float numbers[3] = {v.x, v.y, v.z};
    cJSON *array = cJSON_CreateFloatArray(numbers, 3);

    return array && cJSON_AddItemToObject(object, key, array);
}

static bool add_capsule(cJSON *object, const clash_blade_definition *blade)
{
    return add_vector(object, "base", blade->properties.shape.base) &&
           add_vector(object, "tip", blade->properties.shape.tip) &&
           cJSON_AddNumberToObject(object, "radius", (double)blade->properties.shape.radius) &&
           (!blade->properties.has_edge || add_vector(object, "edge", blade->properties.edge));
}

static bool add_point(cJSON *points, clash_vec3 v)
{
    const float numbers[3] = {v.x, v.y, v.z};
    cJSON *array = cJSON_CreateFloatArray(numbers, 3);

    return array && cJSON_AddItemToArray(points, array);
}

static bool add_part(cJSON *parts, const clash_sword *sword, const clash_sword_part *part)
{
    const clash_capsule *capsules = &sword->capsules[part->first];
    cJSON *object = cJSON_CreateObject(), *points;
    bool ok = object && cJSON_AddItemToArray(parts, object) && cJSON_AddStringToObject(object, "name", part->name) &&
              cJSON_AddNumberToObject(object, "radius", (double)capsules[0].radius) &&
              (!part->has_edge || add_vector(object, "edge", part->edge)) &&
              (points = cJSON_AddArrayToObject(object, "points")) && add_point(points, capsules[0].base);

    for (uint32_t i = 0; ok && i < part->count; i++)
        ok = add_point(points, capsules[i].tip);
    return ok;
}

static bool add_parts(cJSON *object, const clash_sword *sword)
{
    cJSON *parts = cJSON_AddArrayToObject(object, "parts");
    bool ok = parts != NULL;

    for (uint32_t i = 0; ok && i < sword->part_count; i++)
        ok = add_part(parts, sword, &sword->parts[i]);
    return ok;
}

cJSON *config_blade_document(const clash_blade_definition *blade)
{
    cJSON *document = cJSON_CreateObject();

    if (document && cJSON_AddStringToObject(document, "name", blade->name) &&
        cJSON_AddStringToObject(document, "device", blade->device) &&
        (!blade->properties.is_body || cJSON_AddTrueToObject(document, "body")) &&
        (blade->sword.part_count > 0 ? add_parts(document, &blade->sword) : add_capsule(document, blade)))
        return document;
    cJSON_Delete(document);
    return NULL;
}

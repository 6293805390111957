/* A recording's first line: checked against the schema "recording", then taken apart. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/messages/names.h"
#include "protocol/messages/parse.h"
#include "protocol/messages/parse_blade.h"
#include "protocol/schema_check/schema.h"
#include "recording_private.h"

#define RECORDING_VERSION 1

/* What settings in a header leave out: the configuration's defaults (schema/config.schema.json; a test compares), but for
 * intensity and gaps those of the clashd that wrote nothing else yet, so that its recordings say again what they said. */
static const protocol_contact_settings defaults = {
    .margin = 0.0f,
    .release_margin = 0.005f,
    .min_closing_speed = 0.0f,
    .hold_rate_hz = 30.0f,
    .full_intensity_speed = 10.0f,
    .max_gap_ms = 100.0f,
    .require_tracked = true,
    .intensity_curve = PROTOCOL_INTENSITY_LINEAR,
};

/** 0 for a missing key. Return false if it is no whole number of 64 bits. */
static bool take_absolute(const cJSON *object, const char *key, int64_t *out_ns, failure *out_failure)
{
    const char *text = parse_string(object, key, "0");
    char *end;

    errno = 0;
    *out_ns = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && end > text && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')))
        return true;
    return fail_with(out_failure, "%s: expected nanoseconds as decimal digits in a string, got \"%.40s\"", key, text);
}

static bool take_blade(const cJSON *object, size_t index, clash_blade_definition *out, failure *out_failure)
{
    failure reason = {0};

    if (!parse_copy(cJSON_GetObjectItemCaseSensitive(object, "name"), out->name, sizeof out->name) ||
        !parse_copy(cJSON_GetObjectItemCaseSensitive(object, "device"), out->device, sizeof out->device)) {
        return fail_with(out_failure, "blades: expected a name of at most %zu bytes, a device of at most %zu",
                         sizeof out->name - 1, sizeof out->device - 1);
    }
    if (!parse_blade(object, PROTOCOL_AXES_OPENXR, PARSE_BLADE_OURS, out, &reason)) {
        return fail_with(out_failure, "blades[%zu].%s", index, reason.text);
    }
    return true;
}

static bool take_blades(const cJSON *array, recording_header *out, failure *out_failure)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, array)
    {
        size_t index = out->blade_count;

        if (index == RECORDING_BLADES_MAX)
            return true; /* the schema allows no more */
        if (!take_blade(one, index, &out->blades[index], out_failure))
            return false;
        out->blade_count++;
    }
    return true;
}

static void take_settings(const cJSON *contact, recording_header *out)
{
    protocol_contact_settings *s = &out->settings;

    *s = defaults;
    out->has_settings = contact != NULL;
    s->margin = parse_float(contact, "margin", s->margin);
    s->release_margin = parse_float(contact, "release_margin", s->release_margin);
    s->min_closing_speed = parse_float(contact, "min_closing_speed", s->min_closing_speed);
    s->hold_rate_hz = parse_float(contact, "hold_rate_hz", s->hold_rate_hz);
    s->full_intensity_speed = parse_float(contact, "full_intensity_speed", s->full_intensity_speed);
    s->max_gap_ms = parse_float(contact, "max_gap_ms", s->max_gap_ms);
    s->intensity_curve = names_find_intensity_curve(parse_string(contact, "intensity_curve", "linear"));
    s->gap_by_rate = parse_bool(contact, "gap_by_rate", false);
    s->require_tracked = parse_bool(contact, "require_tracked", s->require_tracked);
}

bool recording_read_equipment(const cJSON *object, recording_equipment *out, failure *out_failure)
{
    const cJSON *one;

    *out = (recording_equipment){0};
    snprintf(out->runtime, sizeof out->runtime, "%s", parse_string(object, "runtime", ""));
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(object, "controllers"))
    {
        const size_t index = out->controller_count;

        if (index == RECORDING_CONTROLLERS_MAX)
            return true; /* the schema allows no more */
        if (!parse_copy(cJSON_GetObjectItemCaseSensitive(one, "device"), out->controllers[index].device,
                        sizeof out->controllers[index].device) ||
            !parse_copy(cJSON_GetObjectItemCaseSensitive(one, "profile"), out->controllers[index].profile,
                        sizeof out->controllers[index].profile)) {
            return fail_with(out_failure, "controllers: expected names of at most %d bytes", PROTOCOL_NAME_MAX - 1);
        }
        out->controller_count++;
    }
    return true;
}

static bool take_header(const cJSON *object, recording_header *out, failure *out_failure)
{
    if (strcmp(parse_string(object, "type", ""), "recording") != 0) {
        return fail_with(out_failure, "expected a header, {\"type\":\"recording\",\"version\":%d,..}",
                         RECORDING_VERSION);
    }
    if (parse_int(object, "version", RECORDING_VERSION) > RECORDING_VERSION) {
        return fail_with(out_failure, "version %lld is newer than what is understood here, %d",
                         (long long)parse_int(object, "version", 0), RECORDING_VERSION);
    }
    if (protocol_schema_validate(protocol_schema_get("recording"), object, out_failure) < 0)
        return false;
    out->version = (int)parse_int(object, "version", RECORDING_VERSION);
    if (!parse_copy(cJSON_GetObjectItemCaseSensitive(object, "space"), out->space, sizeof out->space)) {
        return fail_with(out_failure, "space: expected at most %zu bytes", sizeof out->space - 1);
    }
    snprintf(out->clashd, sizeof out->clashd, "%s", parse_string(object, "clashd", ""));
    snprintf(out->session, sizeof out->session, "%s", parse_string(object, "session", ""));
    out->rules = (int)parse_int(object, "rules", 1);
    out->is_later = cJSON_HasObjectItem(object, "seq");
    out->open_contacts = (uint64_t)parse_int(object, "open_contacts", 0);
    out->has_blades = cJSON_HasObjectItem(object, "blades");
    take_settings(cJSON_GetObjectItemCaseSensitive(object, "contact"), out);
    return recording_read_equipment(object, &out->equipment, out_failure) &&
           take_absolute(object, "epoch_monotonic_ns", &out->epoch_monotonic_ns, out_failure) &&
           take_absolute(object, "epoch_unix_ns", &out->epoch_unix_ns, out_failure) &&
           take_blades(cJSON_GetObjectItemCaseSensitive(object, "blades"), out, out_failure);
}

bool recording_read_header(const char *line, size_t length, recording_header *out_header, failure *out_failure)
{
    failure reason = {0};
    cJSON *object = parse_line(line, length, &reason);
    bool taken;

    memset(out_header, 0, sizeof *out_header);
    if (!object)
        return fail_with(out_failure, "expected a header, {\"type\":\"recording\",\"version\":%d,..}; %s",
                         RECORDING_VERSION, reason.text);
    taken = take_header(object, out_header, out_failure);
    cJSON_Delete(object);
    return taken;
}

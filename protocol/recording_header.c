/* A recording's first line: checked against the schema "recording", then taken apart. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "recording_private.h"
#include "schema.h"

#define RECORDING_VERSION 1

/* What a header leaves out: the configuration's defaults (schema/config.schema.json; a test compares). */
static const protocol_contact_settings defaults = {
    .margin = 0.0f,
    .release_margin = 0.005f,
    .min_closing_speed = 0.0f,
    .hold_rate_hz = 30.0f,
    .full_intensity_speed = 10.0f,
    .max_gap_ms = 100.0f,
    .require_tracked = true,
};

static int64_t take_absolute(const cJSON *object, const char *key)
{
    long long ns;

    errno = 0;
    ns = strtoll(parse_string(object, key, "0"), NULL, 10);
    return errno == 0 ? (int64_t)ns : 0;
}

static void take_blades(const cJSON *array, recording_header *out)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, array)
    {
        recording_blade *b = &out->blades[out->blade_count];
        const cJSON *edge = cJSON_GetObjectItemCaseSensitive(one, "edge");

        if (out->blade_count == RECORDING_BLADES_MAX)
            return; /* the schema allows no more */
        snprintf(b->name, sizeof b->name, "%s", parse_string(one, "name", ""));
        snprintf(b->device, sizeof b->device, "%s", parse_string(one, "device", ""));
        b->shape.base = parse_vec3(cJSON_GetObjectItemCaseSensitive(one, "base"));
        b->shape.tip = parse_vec3(cJSON_GetObjectItemCaseSensitive(one, "tip"));
        b->shape.radius = parse_float(one, "radius", 0.0f);
        b->has_edge = edge != NULL;
        b->edge = parse_vec3(edge);
        out->blade_count++;
    }
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
    s->require_tracked = parse_bool(contact, "require_tracked", s->require_tracked);
}

static bool take_header(const cJSON *object, recording_header *out, char *out_error, size_t size)
{
    char reason[300];

    if (strcmp(parse_string(object, "type", ""), "recording") != 0) {
        snprintf(out_error, size, "expected a header, {\"type\":\"recording\",\"version\":%d,..}", RECORDING_VERSION);
        return false;
    }
    if (parse_int(object, "version", RECORDING_VERSION) > RECORDING_VERSION) {
        snprintf(out_error, size, "version %lld is newer than what is understood here, %d",
                 (long long)parse_int(object, "version", 0), RECORDING_VERSION);
        return false;
    }
    if (protocol_schema_validate(protocol_schema_get("recording"), object, reason, sizeof reason) < 0) {
        snprintf(out_error, size, "%s", reason);
        return false;
    }
    if (!parse_fits_float(cJSON_GetObjectItemCaseSensitive(object, "blades"))) {
        snprintf(out_error, size, "blades: a number is out of range");
        return false;
    }
    out->version = (int)parse_int(object, "version", RECORDING_VERSION);
    snprintf(out->space, sizeof out->space, "%s", parse_string(object, "space", "stage"));
    out->epoch_monotonic_ns = take_absolute(object, "epoch_monotonic_ns");
    out->epoch_unix_ns = take_absolute(object, "epoch_unix_ns");
    take_blades(cJSON_GetObjectItemCaseSensitive(object, "blades"), out);
    take_settings(cJSON_GetObjectItemCaseSensitive(object, "contact"), out);
    return true;
}

bool recording_read_header(const char *line, size_t length, recording_header *out_header, char *out_error, size_t size)
{
    cJSON *object = parse_line(line, length, out_error, size);
    bool taken;

    memset(out_header, 0, sizeof *out_header);
    if (!object)
        return false;
    taken = take_header(object, out_header, out_error, size);
    cJSON_Delete(object);
    return taken;
}

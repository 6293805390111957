/* The settings, layer by layer; see config.h. Each layer is filled into a copy, which replaces the config only if all
 * of it is right. */
#include "config.h"

#include "fields.h"
#include "fill.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clash_blade_definition default_blade(const char *name, const char *device)
{
    clash_blade_definition blade = {.properties = {
                                        .shape = {{0.0f, 0.0f, -0.05f}, {0.0f, 0.0f, -1.0f}, 0.015f},
                                        .has_edge = true,
                                        .edge = {0.0f, -1.0f, 0.0f},
                                    }};

    snprintf(blade.name, sizeof blade.name, "%s", name);
    snprintf(blade.device, sizeof blade.device, "%s", device);
    return blade;
}

void config_defaults(config_values *config)
{
    *config = (config_values){
        .blade_count = 2,
        .contact = {.release_margin = 0.005f,
                    .hold_rate_hz = 30.0f,
                    .max_gap_ms = CONFIG_GAP_MOST_MS,
                    .gap_by_rate = true,
                    .require_tracked = true,
                    .full_intensity_speed = 200.0f,
                    .intensity_curve = PROTOCOL_INTENSITY_LOGARITHMIC},
        .openxr =
            {.enabled = true, .rate_hz = CONFIG_RATE_AUTO_HZ, .rate_is_auto = true, .space = "stage", .haptics = true},
        .socket = {.require_token = true, .max_clients = 1024, .queue_bytes = 1u << 20, .push_timeout_ms = 250},
        .record = {.rotate_bytes = 268435456.0, .keep = 8, .compress = true},
        .osc = {.clash = "/clash",
                .release = "/clash/release",
                .intensity = "/clash/intensity",
                .avatar = "/avatar/parameters/{parameter}",
                .rate_hz = 100.0,
                .pulse_ms = 150},
        .mqtt = {.room = "default", .queue_bytes = 1u << 20, .status_ms = 10000, .share = true},
        .log_level = LOG_LEVEL_INFO,
    };
    config->blades[0] = default_blade("left", "/user/hand/left");
    config->blades[1] = default_blade("right", "/user/hand/right");
}

config_result config_apply_document(config_values *config, const char *origin, config_setting_source source,
                                    const cJSON *document, failure *out_failure)
{
    config_values *copy;
    config_result result = CONFIG_BAD;

    if (!document)
        return CONFIG_BAD;
    copy = malloc(sizeof *copy);
    if (!copy)
        return fail_int(out_failure, "%s: out of memory", origin);
    *copy = *config;
    if (config_fill(copy, origin, source, document, out_failure) == 0 &&
        config_check_blades(copy, origin, out_failure) == 0 && config_check_targets(copy, origin, out_failure) == 0 &&
        config_check_socket(copy, origin, out_failure) == 0 && config_check_osc(copy, origin, out_failure) == 0 &&
        config_check_mqtt(copy, origin, out_failure) == 0) {
        *config = *copy;
        result = CONFIG_OK;
    }
    free(copy);
    return result;
}

/* Put line and column into "ORIGIN: key: ..". */
static void place(const char *origin, const char *text, failure *f)
{
    const size_t length = strlen(origin);
    failure placed = {0};

    if (strncmp(f->text, origin, length) == 0 && strncmp(f->text + length, ": ", 2) == 0 &&
        config_text_place(origin, text, f->text + length + 2, &placed))
        *f = placed;
}

config_result config_apply_text(config_values *config, const char *origin, const char *text, failure *out_failure)
{
    cJSON *document = config_text_parse(origin, text, out_failure);
    config_result result = config_apply_document(config, origin, CONFIG_FROM_FILE, document, out_failure);

    if (result != CONFIG_OK) {
        place(origin, text, out_failure);
        config_text_one_line(out_failure->text);
    }
    cJSON_Delete(document);
    return result;
}

static const char *why_unread(int error)
{
    return error == EINVAL ? "is no regular file" : error == EFBIG ? "is larger than 1 MiB" : strerror(error);
}

config_result config_load(config_values *config, const char *path, failure *out_failure)
{
    char *text = config_text_read(path);
    config_result result;

    if (!text) {
        result = errno == ENOENT ? CONFIG_ABSENT : CONFIG_BAD;
        fail_with(out_failure, "%s: %s", path, why_unread(errno));
        return result;
    }
    result = config_apply_text(config, path, text, out_failure);
    free(text);
    return result;
}

bool config_has_default_blades(const config_values *config)
{
    return config->blades_source == CONFIG_FROM_DEFAULT && !config->blades_of_recording;
}

config_result config_apply_header(config_values *config, const char *origin, const recording_header *header,
                                  failure *out_failure)
{
    config_values *copy;
    config_result result;

    copy = malloc(sizeof *copy);
    if (!copy)
        return fail_int(out_failure, "%s: out of memory", origin);
    *copy = *config;
    config_note_section(copy, "contact", CONFIG_FROM_RECORDING);
    copy->blades_source = header->has_blades ? CONFIG_FROM_RECORDING : copy->blades_source;
    if (header->has_settings)
        copy->contact = header->settings;
    else
        copy->contact.gap_by_rate = false; /* what is missing in a recording has the same default for all its readers */
    copy->blades_of_recording = true;
    if (header->has_blades)
        copy->blade_count = header->blade_count;
    for (size_t i = 0; i < header->blade_count; i++)
        copy->blades[i] = header->blades[i];
    result = config_check_blades(copy, origin, out_failure) < 0 || config_check_targets(copy, origin, out_failure) < 0
                 ? CONFIG_BAD
                 : CONFIG_OK;
    if (result == CONFIG_OK)
        *config = *copy;
    free(copy);
    return result;
}

int config_default_path(char *out_path, size_t size)
{
    const char *config_home = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int length = -1;

    /* the specification says to ignore a relative path */
    if (config_home && config_home[0] == '/')
        length = snprintf(out_path, size, "%s/clashd/config.json", config_home);
    else if (home && home[0] == '/')
        length = snprintf(out_path, size, "%s/.config/clashd/config.json", home);
    return length >= 0 && (size_t)length < size ? 0 : -1;
}

bool config_can_clash(const config_values *config)
{
    for (size_t i = 1; i < config->blade_count; i++)
        if (strcmp(config->blades[0].device, config->blades[i].device) != 0)
            return true;
    for (size_t i = 0; i < config->target_count; i++)
        if (config->blade_count > 0 && strcmp(config->blades[0].device, config->targets[i].device) != 0)
            return true;
    return false;
}

const char *config_why_no_clash(const config_values *config)
{
    if (config_can_clash(config))
        return NULL;
    return config->blade_count == 0 ? "there are no blades, so only what clients define can clash"
                                    : "all blades are on one device, so nothing can clash";
}

static bool is_point(const clash_capsule *shape)
{
    return !(shape->radius > 0.0f) && !(clash_vec3_distance(shape->base, shape->tip) > 0.0f);
}

static bool is_part_point(const clash_sword *sword, const clash_sword_part *part)
{
    bool result = true;

    for (uint32_t i = 0; i < part->count; i++)
        result = result && is_point(&sword->capsules[part->first + i]);
    return result;
}

void config_check_shapes(const config_values *config, void (*say)(void *context, const char *line), void *context)
{
    char line[512];

    for (size_t i = 0; i < config->blade_count; i++) {
        const clash_blade_definition *blade = &config->blades[i];
        const clash_sword *sword = &blade->sword;

        for (size_t k = 0; k < (sword->part_count > 0 ? sword->part_count : 1); k++) {
            if (sword->part_count > 0 ? !is_part_point(sword, &sword->parts[k]) : !is_point(&blade->properties.shape))
                continue;
            snprintf(line, sizeof line,
                     "blades.%s%s%s: a point, because its tip is its base and its radius is 0: it touches only what "
                     "passes exactly through it",
                     blade->name, sword->part_count > 0 ? ", part " : "",
                     sword->part_count > 0 ? sword->parts[k].name : "");
            say(context, line);
        }
    }
}

pipeline_settings config_pipeline_settings(const config_values *config)
{
    const protocol_contact_settings *contact = &config->contact;

    return (pipeline_settings){
        .margin = contact->margin,
        .release_margin = contact->release_margin,
        .min_closing_speed = contact->min_closing_speed,
        .hold_rate_hz = contact->hold_rate_hz,
        .full_intensity_speed = contact->full_intensity_speed,
        .max_gap_ns = llround((double)contact->max_gap_ms * 1e6),
        .gap_by_rate = contact->gap_by_rate,
        .old_rules = config->old_rules,
        .require_tracked = contact->require_tracked,
        .intensity_curve = contact->intensity_curve == PROTOCOL_INTENSITY_LINEAR ? PIPELINE_INTENSITY_LINEAR
                                                                                 : PIPELINE_INTENSITY_LOGARITHMIC,
    };
}

/* From documents to settings; see fill.h. The schema has already checked types and ranges. */
#include "fill.h"

#include "fields.h"
#include "protocol/messages/encode.h"
#include "protocol/messages/parse_blade.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fill_blade(clash_blade_definition *blade, const char *origin, const cJSON *document, failure *out_failure)
{
    const char *name = cJSON_GetObjectItemCaseSensitive(document, "name")->valuestring;
    const char *device = cJSON_GetObjectItemCaseSensitive(document, "device")->valuestring;
    failure reason = {0};

    if (!config_text_copy(blade->name, sizeof blade->name, name))
        return fail_int(out_failure, "%s: blades: the name '%.80s..' is too long: %zu bytes at most", origin, name,
                        sizeof blade->name - 1);
    if (!config_text_copy(blade->device, sizeof blade->device, device))
        return fail_int(out_failure, "%s: blades.%s.device: too long: %zu bytes at most", origin, name,
                        sizeof blade->device - 1);
    if (!parse_blade(document, PROTOCOL_AXES_OPENXR, PARSE_BLADE_THEIRS, blade, &reason))
        return fail_int(out_failure, "%s: blades.%s.%s", origin, name, reason.text);
    return 0;
}

static int fill_blades(config_values *config, const char *origin, const cJSON *blades, failure *out_failure)
{
    int count = cJSON_GetArraySize(blades);
    const cJSON *blade;
    size_t index = 0;

    if (count > CONFIG_BLADES_MAX)
        return fail_int(out_failure, "%s: blades: there are %d, and at most %d are allowed", origin, count,
                        CONFIG_BLADES_MAX);
    cJSON_ArrayForEach(blade, blades)
    {
        if (fill_blade(&config->blades[index++], origin, blade, out_failure) < 0)
            return -1;
    }
    config->blade_count = index;
    config->blades_of_recording = false;
    return 0;
}

int config_fill(config_values *config, const char *origin, config_setting_source source, const cJSON *document,
                failure *out_failure)
{
    const cJSON *blades = cJSON_GetObjectItemCaseSensitive(document, "blades");
    const cJSON *targets = cJSON_GetObjectItemCaseSensitive(document, "targets");

    if (config_fill_fields(config, origin, source, document, out_failure) < 0)
        return -1;
    if (targets && config_fill_targets(config, origin, targets, out_failure) < 0)
        return -1;
    if (blades && fill_blades(config, origin, blades, out_failure) < 0)
        return -1;
    config->targets_source = targets ? source : config->targets_source;
    config->blades_source = blades ? source : config->blades_source;
    return 0;
}

static int check_blade(const clash_blade_definition *blade, const char *origin, failure *out_failure)
{
    if (blade->properties.has_edge && !(clash_vec3_length(blade->properties.edge) > 0.0f))
        return fail_int(out_failure, "%s: blades.%s.edge: has no length: expected a direction, or no edge at all",
                        origin, blade->name);
    return 0;
}

int config_check_blades(const config_values *config, const char *origin, failure *out_failure)
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

/* Write the message and parse it again: so every property of blades in messages is here too. */
cJSON *config_blade_document(const clash_blade_definition *blade)
{
    const clash_blade passed_on = clash_blade_of(blade);
    char *text = malloc(PROTOCOL_LINE_MAX);
    cJSON *document = NULL;
    json_writer w;

    if (!text)
        return NULL;
    json_writer_init(&w, text, PROTOCOL_LINE_MAX);
    json_object_begin(&w);
    encode_blade(&w, &passed_on, false);
    json_object_end(&w);
    if (json_writer_finish(&w) > 0)
        document = cJSON_ParseWithLength(text, w.length);
    free(text);
    return document;
}

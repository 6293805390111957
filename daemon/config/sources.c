/* The table of sources; see sources.h. */
#include "sources.h"

#include "cli/nearest_word.h"
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_ROW(kind, name, colon, argument, help, is, devices, why) \
    [CONFIG_SOURCE_##kind] = {#name, sizeof(colon) > 1, is, devices, why},
const config_source config_sources[CONFIG_SOURCE_KINDS] = {CONFIG_SOURCES(SOURCE_ROW)};

/* A recording's devices are known only at its end. */
static const char *why_none(config_source_kind kind, const char *device)
{
    const config_source *source = &config_sources[kind];
    const size_t length = strlen(device);
    const char *at = length > 0 ? source->devices : NULL;

    while (at && *at) {
        const size_t one = strcspn(at, " ");

        if (at[one - 1] == '*' ? strncmp(at, device, one - 1) == 0 : one == length && strncmp(at, device, one) == 0)
            return NULL;
        at += one + (at[one] == ' ');
    }
    return at ? source->why : NULL;
}

/* Return "; is it '..'?" for a name that is near to one of OpenXR's. */
static failure suggestion(const char *device)
{
    failure near = {0};

    nearest_word_add(device, OPENXR_DEVICE_LEFT " " OPENXR_DEVICE_RIGHT, &near);
    return near;
}

void config_check_devices(const config_values *config, config_source_kind kind,
                          void (*say)(void *context, const char *line), void *context)
{
    const size_t count = config->blade_count + config->target_count;
    char line[512];

    for (size_t i = 0; i < count; i++) {
        const bool is_blade = i < config->blade_count;
        const size_t k = is_blade ? i : i - config->blade_count;
        const char *name = is_blade ? config->blades[k].name : config->targets[k].name;
        const char *device = is_blade ? config->blades[k].device : config->targets[k].device;
        const char *why = why_none(kind, device);

        if (!why)
            continue;
        snprintf(line, sizeof line, "%s.%s: the device '%s' has poses only while a client feeds it: %s%.99s",
                 is_blade ? "blades" : "targets", name, device, why, suggestion(device).text);
        say(context, line);
    }
}

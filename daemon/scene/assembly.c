/* The pipeline as the configuration wants it: see assembly.h. */
#include "assembly.h"

#include "scene.h"

#include <stdio.h>
#include <string.h>

const char *app_pipeline_add(pipeline *p, const void *owner, const clash_blade *from)
{
    pipeline_blade blade = {.properties = from->properties, .sword = from->sword, .owner = owner};

    snprintf(blade.name, sizeof blade.name, "%s", from->name);
    blade.device = pipeline_device(p, from->device);
    return pipeline_add_blade(p, &blade);
}

pipeline *app_pipeline_create(const app_config *config, pipeline_event_function on_event, void *context,
                              char *out_error)
{
    pipeline_settings settings = app_config_pipeline_settings(config);
    pipeline *p = pipeline_create(&settings, on_event, context);

    if (!p) {
        snprintf(out_error, APP_ERROR_MAX, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < config->blade_count; i++) {
        const clash_blade blade = clash_blade_of(&config->blades[i]);
        const char *reason = app_pipeline_add(p, scene_owner_of_blades(config), &blade);

        if (reason) {
            snprintf(out_error, APP_ERROR_MAX, "blade '%s' on device '%s' cannot be added: %s", blade.name,
                     blade.device, reason);
            pipeline_destroy(p);
            return NULL;
        }
    }
    return p;
}

void app_pipeline_lose_all(pipeline *p, int64_t time_ns, clash_tracking_reason reason)
{
    for (uint32_t device = 0; device < pipeline_device_count(p); device++)
        pipeline_lost(p, device, time_ns, reason);
}

const char *app_pipeline_define(pipeline *p, const clash_blade *from)
{
    pipeline_remove_blade(p, from->name);
    return app_pipeline_add(p, NULL, from);
}

void app_warn_of_negative(const logger *log, const char *what, const char *name)
{
    LOG_WARNING(log, "%s '%s': unity_collider has a negative size: its absolute value counts, as in Unity", what, name);
}

void app_config_warn(const app_config *config, const logger *log)
{
    for (size_t i = 0; i < config->blade_count; i++)
        if (config->blades[i].properties.unity_negative)
            app_warn_of_negative(log, "blade", config->blades[i].name);
    for (size_t i = 0; i < config->target_count; i++)
        if (config->targets[i].unity_negative)
            app_warn_of_negative(log, "target", config->targets[i].name);
}

uint32_t app_pipeline_find_device(const pipeline *p, const char *name)
{
    for (uint32_t i = 0; i < pipeline_device_count(p); i++) {
        const char *known = pipeline_device_name(p, i);

        if (known && strcmp(known, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

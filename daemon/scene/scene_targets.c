/* The scene's targets, looked up, and what the settings define; see scene.h. */
#include "scene_private.h"

#include <string.h>

/* ---- targets ---- */

const clash_target_definition *scene_target_at(const scene *s, size_t index)
{
    const scene_target *target = scene_target_of(pipeline_target_at(s->pipeline, index));

    return target ? &target->definition : NULL;
}

const clash_target_definition *scene_find_target(const scene *s, const char *name)
{
    const scene_target *target = scene_target_of(pipeline_find_target(s->pipeline, name));

    return target ? &target->definition : NULL;
}

scene_target *scene_take_target(scene *s, const char *name)
{
    scene_target *target = scene_target_of(pipeline_find_target(s->pipeline, name));

    if (target)
        pipeline_remove_target(s->pipeline, name);
    return target;
}

/* ---- the settings ---- */

int scene_define_blades_of(scene *s, const config_values *config, failure *out_failure)
{
    protocol_error error;

    for (size_t i = 0; i < config->blade_count; i++) {
        const clash_blade blade = clash_blade_of(&config->blades[i]);

        if (scene_define_blade(s, scene_owner_of_blades(config), 0, &blade, &error) == 0)
            continue;
        return fail_int(out_failure, "blade '%s' on device '%s' cannot be added: %s", blade.name, blade.device,
                        error.message);
    }
    return 0;
}

int scene_define_targets_of(scene *s, const config_values *config, failure *out_failure)
{
    failure reason = {0};
    protocol_error error;

    for (size_t i = 0; i < config->target_count; i++) {
        scene_target *target = scene_target_make(&config->targets[i], &reason);

        if (target && scene_define_target(s, scene_settings, 0, target, &error) == 0)
            continue;
        return fail_int(out_failure, "target '%s': %s", config->targets[i].name, target ? error.message : reason.text);
    }
    return 0;
}

int scene_open_of(scene *s, const config_values *config, const event_sink *sinks, logger log, failure *out_failure)
{
    const pipeline_settings settings = config_pipeline_settings(config);

    if (scene_open(s, &settings, sinks, log) == 0 && scene_define_blades_of(s, config, out_failure) == 0 &&
        scene_define_targets_of(s, config, out_failure) == 0)
        return 0;
    return fail_int(out_failure, "out of memory"); /* unless a more exact reason is noted */
}

/* Make targets and put them into the pipeline; see targets.h. */
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

bool scene_target_is_slow(const clash_target_definition *definition)
{
    surface_request request;

    return target_shape_request(definition, &request);
}

scene_target *scene_target_create(const clash_target_definition *definition)
{
    scene_target *target = calloc(1, sizeof *target);

    if (target)
        target->definition = *definition;
    return target;
}

int scene_target_build(scene_target *target, const surface *read, failure *out_failure)
{
    return target_shape_make(&target->definition, read, &target->shape, out_failure);
}

void scene_target_destroy(scene_target *target)
{
    if (target)
        target_shape_finish(&target->shape);
    free(target);
}

scene_target *scene_target_make(const clash_target_definition *definition, failure *out_failure)
{
    scene_target *target = scene_target_create(definition);

    if (!target)
        fail_with(out_failure, "out of memory");
    else if (target_shape_make_now(&target->definition, &target->shape, out_failure) == 0)
        return target;
    scene_target_destroy(target);
    return NULL;
}

/* ---- in a pipeline ---- */

const char *scene_target_put(pipeline *p, const scene_target *from)
{
    const clash_target_definition *d = &from->definition;
    pipeline_target target = {.is_static = d->device[0] == '\0',
                              .pose = d->pose,
                              .layers = d->layers,
                              .shape = from->shape.shape,
                              .owner = from};

    snprintf(target.name, sizeof target.name, "%s", d->name);
    if (!target.is_static)
        target.device = pipeline_device(p, d->device);
    return pipeline_add_target(p, &target);
}

scene_target *scene_targets_on(const pipeline *p, uint32_t device)
{
    scene_target *first = NULL;

    for (size_t i = 0; i < pipeline_target_count(p); i++) {
        const pipeline_target *target = pipeline_target_at(p, i);

        if (device != UINT32_MAX && (target->is_static || target->device != device))
            continue;
        scene_target_of(target)->next = first;
        first = scene_target_of(target);
    }
    return first;
}

void scene_targets_destroy(scene_target *first)
{
    while (first) {
        scene_target *next = first->next;

        scene_target_destroy(first);
        first = next;
    }
}

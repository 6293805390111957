/* Targets: shapes made of their definitions for the scene, which owns what the pipeline borrows. The functions here
 * that wait for files are for commands; clashd uses target_load.h. */
#ifndef CLASHD_SCENE_TARGETS_H
#define CLASHD_SCENE_TARGETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "mesh/mesh_data.h"
#include "target_collider.h"

typedef struct scene_target {
    const void *owner;                  /* as in scene.h */
    clash_target_definition definition; /* with its file's digest, once that was read */
    target_shape shape;
    struct scene_target *next; /* for the scene */
} scene_target;

/** Return whether making it takes too long for the loop: a file, or a hull. */
bool scene_target_is_slow(const clash_target_definition *definition);
/** Create from a definition (copied), not built yet. Return NULL when out of memory. */
scene_target *scene_target_create(const clash_target_definition *definition);
/** Build it from what was read of its file (NULL if it needs none; see target_collider.h). Any thread. Return 0, or -1
 *  with a message in out_failure. */
int scene_target_build(scene_target *target, const surface *read, failure *out_failure);
/** Free a target that nobody has taken. Any thread; accepts NULL. */
void scene_target_destroy(scene_target *target);

/** Create and build, waiting for the file. Return NULL with a message in out_failure, also if the file's digest is not the
 *  definition's. */
scene_target *scene_target_make(const clash_target_definition *definition, failure *out_failure);

/** Put it into the pipeline, which borrows its shape and keeps it as the target's owner. Return NULL, or why it is
 *  refused. */
const char *scene_target_put(pipeline *p, const scene_target *from);
/** Return the scene_target of a pipeline's target; NULL for NULL. */
static inline scene_target *scene_target_of(const pipeline_target *target)
{
    return target ? (scene_target *)target->owner : NULL;
}
/** List those of a pipeline that are on a device, or all if UINT32_MAX; destroy them once it has them no more. */
scene_target *scene_targets_on(const pipeline *p, uint32_t device);
void scene_targets_destroy(scene_target *first);

#endif

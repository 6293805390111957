/* Targets: shapes made of what is written of them, for the scene, which keeps what the pipeline only borrows. What waits for files is
 * for commands; for clashd see target_load.h. */
#ifndef CLASHD_SCENE_TARGETS_H
#define CLASHD_SCENE_TARGETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "mesh/mesh_data.h"
#include "target_collider.h"

typedef struct app_target {
    const void *owner;                  /* one of scene.h's */
    clash_target_definition definition; /* with the digest of its file, once that has been read */
    target_shape shape;
    struct app_target *next; /* for the scene */
} app_target;

/** Whether making it takes more than the loop may wait for: a file, or a hull. */
bool app_target_is_slow(const clash_target_definition *definition);
/** Of a definition (copied), not made yet. NULL when out of memory. */
app_target *app_target_create(const clash_target_definition *definition);
/** Makes what it takes, of what was read of its file (NULL if it needs none: see target_shape.h). Any thread. 0, or -1 with a
 *  message in out_failure. */
int app_target_build(app_target *target, const surface *read, failure *out_failure);
/** Of one that nobody has taken. Any thread; accepts NULL. */
void app_target_destroy(app_target *target);

/** All at once, waiting for the file. NULL with a message in out_failure; also if the file has another digest than the one
 *  that is written. */
app_target *app_target_make(const clash_target_definition *definition, failure *out_failure);

/** Into the pipeline, which borrows its shape and keeps it as its owner. NULL, or why it is refused. */
const char *app_target_put(pipeline *p, const app_target *from);
/** Of a pipeline's target; NULL for NULL. */
static inline app_target *app_target_of(const pipeline_target *target)
{
    return target ? (app_target *)target->owner : NULL;
}
/** All those of a pipeline on a device, or UINT32_MAX: everywhere, as a list; to be destroyed once it has them no more. */
app_target *app_targets_on(const pipeline *p, uint32_t device);
void app_targets_destroy(app_target *first);

#endif

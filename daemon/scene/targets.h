/* The targets that there are: makes shapes of what is written of them, gives them to the pipeline and keeps what it only
 * borrows. Loop's thread, but where it says so. What waits for files is for commands; for clashd see target_load.h. */
#ifndef CLASHD_SCENE_TARGETS_H
#define CLASHD_SCENE_TARGETS_H

#include "config/config.h"
#include "mesh/mesh_data.h"

typedef struct app_targets app_targets;
typedef struct app_target app_target;

/** For a pipeline; none yet. NULL when out of memory. */
app_targets *app_targets_create(pipeline *p);
/** After the pipeline. Accepts NULL. */
void app_targets_destroy(app_targets *t);

/** Whether making it takes more than the loop may wait for: a file, or a hull. */
bool app_target_is_slow(const clash_target_definition *definition);
/** Of a definition (copied), not made yet. NULL when out of memory. */
app_target *app_target_create(const clash_target_definition *definition);
/** Makes what it takes, of what was read of its file (NULL where it needs none: see target_shape.h). Any thread. 0, or -1 with a
 *  message in out_error. */
int app_target_build(app_target *target, const surface *read, char *out_error, size_t size);
/** One of scene.h's; NULL, where there is no scene. */
void app_target_set_owner(app_target *target, const void *owner);
/** With the digest of its file, once that has been read. Valid as long as the target. */
const clash_target_definition *app_target_definition(const app_target *target);
/** Of one that nobody has taken. Any thread; accepts NULL. */
void app_target_destroy(app_target *target);

/** All at once, waiting for the file. NULL with a message in out_error; also where the file has another digest than the one
 *  that is written. */
app_target *app_target_make(const clash_target_definition *definition, char *out_error, size_t size);
/** Takes what was made, in the place of one of the same name; makes its device where that is new. 0, or -1 with a message
 *  in out_error: then nothing has changed, and `target` is gone. */
int app_targets_put(app_targets *t, app_target *target, char *out_error, size_t size);
/** Gives back the one of that name, which is then the caller's; NULL: there is none. */
app_target *app_targets_take(app_targets *t, const char *name);
/** -1 where there is none of that name. */
int app_targets_remove(app_targets *t, const char *name);
/** Those that a device carries have gone with it (pipeline_remove_device): forgets them. */
void app_targets_forget_device(app_targets *t, const char *device);

size_t app_targets_count(const app_targets *t);
/** In order of definition, with the digest of its file; NULL beyond the last. Valid until it is removed or replaced. */
const clash_target_definition *app_targets_at(const app_targets *t, size_t index);
const clash_target_definition *app_targets_find(const app_targets *t, const char *name);

#endif

/* The targets that there are: makes shapes of what is written of them, loads the files that they name, gives them to the
 * pipeline and keeps what it only borrows. Loop's thread. Loading blocks, so that only what is asked for before the
 * start, by a reload, or by a recording, may name a file. */
#ifndef CLASHD_APP_TARGETS_H
#define CLASHD_APP_TARGETS_H

#include "config.h"

typedef struct app_targets app_targets;
typedef struct app_target app_target;

/** For a pipeline, with the configuration's targets in it. NULL with a message in out_error, APP_ERROR_MAX bytes. */
app_targets *app_targets_create(pipeline *p, const app_config *config, char *out_error);
/** After the pipeline. Accepts NULL. */
void app_targets_destroy(app_targets *t);

/** Makes of a definition (copied) what it takes, and loads its file. NULL with a message in out_error; also where the file
 *  has another digest than the one that is written. */
app_target *app_target_make(const clash_target_definition *definition, char *out_error, size_t size);
/** Takes what was made, in the place of one of the same name; makes its device where that is new. 0, or -1 with a message
 *  in out_error: then nothing has changed, and `target` is gone. */
int app_targets_put(app_targets *t, app_target *target, char *out_error, size_t size);
/** Both. */
int app_targets_define(app_targets *t, const clash_target_definition *definition, char *out_error, size_t size);
/** -1 where there is none of that name. */
int app_targets_remove(app_targets *t, const char *name);
/** Those that a device carries have gone with it (pipeline_remove_device): forgets them. */
void app_targets_forget_device(app_targets *t, const char *device);

size_t app_targets_count(const app_targets *t);
/** In order of definition, with the digest of its file; NULL beyond the last. Valid until it is removed or replaced. */
const clash_target_definition *app_targets_at(const app_targets *t, size_t index);
const clash_target_definition *app_targets_find(const app_targets *t, const char *name);

#endif

/* Make targets in the background: helper programs read their files and other threads build them while the loop goes on.
 * Loop's thread. */
#ifndef CLASHD_SCENE_TARGET_LOAD_H
#define CLASHD_SCENE_TARGET_LOAD_H

#include "mesh/loader.h"
#include "targets.h"

typedef struct target_load target_load;

typedef struct target_load_user {
    void *context;
    /** The end, never called from within target_load_start: the targets in the order of their definitions, now the
     *  callee's (the array is not), or NULL and a message that names the target. May start another load. */
    void (*done)(void *context, scene_target **targets, const char *error);
} target_load_user;

/** Start; the definitions are copied. Return NULL when out of memory. */
target_load *target_load_start(surface_loader *loader, const clash_target_definition *definitions, size_t count,
                               const target_load_user *user);
/** Cancel before `done`, which is then not called. */
void target_load_cancel(target_load *load);

#endif

/* Targets that a recording defines while it is played, and whose files have to be read first: nothing is played on until they are
 * there, so that what is struck is the same as it was. Loop's thread. */
#ifndef CLASHD_SCENE_PENDING_TARGETS_H
#define CLASHD_SCENE_PENDING_TARGETS_H

#include "target_load.h"

typedef struct pending_targets pending_targets;

typedef struct pending_targets_user {
    void *context;
    /** Whether poses have to wait. */
    void (*hold)(void *context, bool is_held);
    /** One that was added, in the order of adding: it is the callee's now, or NULL with the message in `error`. May come from
     *  within pending_targets_add. */
    void (*made)(void *context, int64_t time_ns, const char *name, app_target *target, const char *error);
} pending_targets_user;

/** NULL when out of memory. The loader outlives it. */
pending_targets *pending_targets_create(surface_loader *loader, const pending_targets_user *user);
/** Accepts NULL. */
void pending_targets_close(pending_targets *p);

void pending_targets_add(pending_targets *p, int64_t time_ns, const clash_target_definition *definition);
/** What is not there yet will not come. Either name may be NULL. */
void pending_targets_forget(pending_targets *p, const char *name, const char *device);

#endif

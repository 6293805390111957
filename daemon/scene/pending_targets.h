/* Targets that a recording defines while it is played and whose files must be read first. Playing waits for them, so
 * that the same things are hit as when it was recorded. Loop's thread. */
#ifndef CLASHD_SCENE_PENDING_TARGETS_H
#define CLASHD_SCENE_PENDING_TARGETS_H

#include "target_load.h"

typedef struct pending_targets pending_targets;

typedef struct pending_targets_user {
    void *context;
    /** Say whether poses must wait. */
    void (*hold)(void *context, bool is_held);
    /** Hand over one target, in the order of adding: it is the callee's now, or NULL with the message in `error`. May
     *  come from within pending_targets_add. */
    void (*made)(void *context, int64_t time_ns, const char *name, scene_target *target, const char *error);
} pending_targets_user;

/** Create an empty list; the loader must outlive it. Return NULL when out of memory. */
pending_targets *pending_targets_create(surface_loader *loader, const pending_targets_user *user);
/** Accept NULL. */
void pending_targets_close(pending_targets *p);

void pending_targets_add(pending_targets *p, int64_t time_ns, const clash_target_definition *definition);
/** Drop targets that have not come yet, by name or device; either may be NULL. */
void pending_targets_forget(pending_targets *p, const char *name, const char *device);

#endif

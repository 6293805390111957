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

/** Targets that a recording defines while it is played and whose files must be read first. Playing waits for them, so that the same
 *  things are hit as when it was recorded. */
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

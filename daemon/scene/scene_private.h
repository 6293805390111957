/* What the parts of the scene share: scene.c (definitions), scene_names.c (owners and names) and displaced.c (blades
 * that a client's replace). Nobody else includes it. */
#ifndef CLASHD_SCENE_SCENE_PRIVATE_H
#define CLASHD_SCENE_SCENE_PRIVATE_H

#include "scene.h"

#include <stdio.h>

/** Return whether the owner is neither the settings nor a recording. */
bool scene_is_client(const void *owner);
/** Refuse an owner a name that is another's, `its`. Return -1. */
int scene_refuse_name(const void *owner, const void *its, const char *name, const char *kind,
                      protocol_error *out_error);
/** Add it to the pipeline. Return NULL, or why it is refused. */
const char *scene_put_blade(scene *s, const void *owner, const clash_blade *from);
/** Tell the sinks of a new blade, or that a blade or a device (the other is NULL) is gone. */
void scene_notify_blade(const scene *s, int64_t time_ns, const clash_blade *blade);
void scene_notify_removed(const scene *s, int64_t time_ns, const char *blade, const char *device);

#endif

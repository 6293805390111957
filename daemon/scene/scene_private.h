/* What the parts of the scene share: scene.c (what comes and goes), scene_names.c (whose it is) and displaced.c (blades that others
 * stand in for). Included by nobody else. */
#ifndef CLASHD_SCENE_SCENE_PRIVATE_H
#define CLASHD_SCENE_SCENE_PRIVATE_H

#include "scene.h"

#include <stdio.h>

/** Not the settings, and no recording. */
bool scene_is_client(const void *owner);
int scene_check_name(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                     protocol_error *out_error);
/** Into the pipeline. NULL, or why it is refused. */
const char *scene_put_blade(scene *s, const void *owner, const clash_blade *from);
/** To the sinks, of a blade, or of one or a device (the other is NULL) that is gone. */
void scene_notify_blade(const scene *s, int64_t time_ns, const clash_blade *blade);
void scene_notify_removed(const scene *s, int64_t time_ns, const char *blade, const char *device);

#endif

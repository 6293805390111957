/* Blades of the settings or of recordings that are set aside: defined, but not in the pipeline, because clients' blades
 * replace them. There are three reasons: a client's blade has the same name; a client feeds the device and has a blade on
 * it; the blade is one of the default settings' and a game has swords of its own (scene_add_game). A blade comes back as
 * soon as none of them holds. Part of the scene, for scene.c and scene_names.c. */
#ifndef CLASHD_SCENE_DISPLACED_H
#define CLASHD_SCENE_DISPLACED_H

#include "scene.h"

typedef struct displaced {
    struct displaced *next;
    const void *owner;
    clash_blade_definition blade;
} displaced;

/** Return the displaced blade of that name, or NULL. */
const displaced *displaced_find(const scene *s, const char *name);
/** Add a blade, replacing one of the same name. Return false when out of memory. */
bool displaced_keep(scene *s, const void *owner, const clash_blade *blade);
/** Remove the blade of that name. Return false if there is none. */
bool displaced_drop(scene *s, const char *name);
/** Return whether one of the three reasons holds for a blade of the settings or a recording. */
bool displaced_is_hidden(const scene *s, const void *owner, const char *name, uint32_t device);
/** Take the blade of that name out of the pipeline unless it is a client's. Return false when out of memory. */
bool displace_named(scene *s, const char *name, int64_t time_ns);
/** Take the device's blades that are no client's out of the pipeline. Return false when out of memory: some may
 *  remain. */
bool displace_all(scene *s, uint32_t device, int64_t time_ns);
/** Put back all that nothing hides any more. */
void displaced_restore(scene *s, int64_t time_ns);
/** Remove one of that owner's on that device. Return false if there is none. */
bool displaced_drop_on(scene *s, const void *owner, const char *device);
size_t displaced_count(const scene *s, const void *owner);

#endif

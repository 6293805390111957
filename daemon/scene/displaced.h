/* Blades of the settings or of recordings on a device that a client feeds and has blades of its own on. Until that ends
 * the client's blades replace them and they are not in the pipeline. Part of the scene, for scene.c and
 * scene_names.c. */
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
/** Return whether a client that feeds the device has blades of its own on it. */
bool displaced_is_overridden(const scene *s, uint32_t device);
/** Take the device's blades that are no client's out of the pipeline. Return false when out of memory: some may
 *  remain. */
bool displace_all(scene *s, uint32_t device, int64_t time_ns);
/** Put them back, unless a client's blade is still on the device. */
void displaced_restore(scene *s, uint32_t device, int64_t time_ns);
/** Remove one of that owner's on that device. Return false if there is none. */
bool displaced_drop_on(scene *s, const void *owner, const char *device);
size_t displaced_count(const scene *s, const void *owner);

#endif

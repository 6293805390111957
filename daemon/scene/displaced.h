/* Blades of the settings and of recordings that a client's stand in for: they are on a device that the client feeds and has blades
 * of its own on, and are not in the pipeline until that is over. Part of the scene, for scene.c and scene_names.c. */
#ifndef CLASHD_SCENE_DISPLACED_H
#define CLASHD_SCENE_DISPLACED_H

#include "scene.h"

typedef struct displaced {
    struct displaced *next;
    const void *owner;
    clash_blade_definition blade;
} displaced;

/** NULL if there is none of that name. */
const displaced *displaced_find(const scene *s, const char *name);
/** In the place of one of that name. False when out of memory. */
bool displaced_keep(scene *s, const void *owner, const clash_blade *blade);
/** False if there is none of that name. */
bool displaced_drop(scene *s, const char *name);
/** Whether a client that feeds the device has blades of its own on it. */
bool displaced_is_overridden(const scene *s, uint32_t device);
/** Those on the device that are no client's leave the pipeline. False when out of memory: then not all of them. */
bool displace_all(scene *s, uint32_t device, int64_t time_ns);
/** They come back, unless some client's blade is still there. */
void displaced_restore(scene *s, uint32_t device, int64_t time_ns);
/** One of that owner on that device is no more. False if there is none. */
bool displaced_drop_on(scene *s, const void *owner, const char *device);
size_t displaced_count(const scene *s, const void *owner);

#endif

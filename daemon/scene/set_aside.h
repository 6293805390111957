/* Blades of the settings and of recordings that a client's stand in for: they are on a device that the client feeds and has blades
 * of its own on, and are not in the pipeline until that is over. Part of the scene, for scene.c and scene_names.c. */
#ifndef CLASHD_SCENE_SET_ASIDE_H
#define CLASHD_SCENE_SET_ASIDE_H

#include "scene.h"

typedef struct set_aside {
    struct set_aside *next;
    const void *owner;
    clash_blade_definition blade;
} set_aside;

/** NULL where there is none of that name. */
const set_aside *set_aside_find(const scene *s, const char *name);
/** In the place of one of that name. False when out of memory. */
bool set_aside_keep(scene *s, const void *owner, const clash_blade *blade);
/** False where there is none of that name. */
bool set_aside_drop(scene *s, const char *name);
/** Whether a client that feeds the device has blades of its own on it. */
bool set_aside_is_overridden(const scene *s, uint32_t device);
/** Those on the device that are no client's leave the pipeline. False when out of memory: then not all of them. */
bool set_aside_all(scene *s, uint32_t device, int64_t time_ns);
/** They come back, unless some client's blade is still there. */
void set_aside_bring_back(scene *s, uint32_t device, int64_t time_ns);
/** One of that owner on that device is no more. False where there is none. */
bool set_aside_drop_on(scene *s, const void *owner, const char *device);
size_t set_aside_count(const scene *s, const void *owner);

#endif

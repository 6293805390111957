/* The displaced blades in the order of their definition; see displaced.h. */
#include "displaced.h"

#include "scene_private.h"

#include <stdlib.h>
#include <string.h>

const displaced *displaced_find(const scene *s, const char *name)
{
    const displaced *one = s->displaced;

    while (one && strcmp(one->blade.name, name) != 0)
        one = one->next;
    return one;
}

bool displaced_keep(scene *s, const void *owner, const clash_blade *blade)
{
    displaced **at = &s->displaced, *one;

    while (*at && strcmp((*at)->blade.name, blade->name) != 0)
        at = &(*at)->next;
    one = *at ? *at : calloc(1, sizeof *one);
    if (!one)
        return false;
    one->owner = owner;
    memset(&one->blade, 0, sizeof one->blade);
    memcpy(one->blade.name, blade->name, strnlen(blade->name, sizeof one->blade.name - 1));
    memcpy(one->blade.device, blade->device, strnlen(blade->device, sizeof one->blade.device - 1));
    one->blade.properties = blade->properties;
    if (blade->sword)
        one->blade.sword = *blade->sword;
    *at = one;
    return true;
}

static displaced *take(displaced **at)
{
    displaced *one = *at;

    if (one)
        *at = one->next;
    return one;
}

bool displaced_drop(scene *s, const char *name)
{
    displaced **at = &s->displaced, *one;

    while (*at && strcmp((*at)->blade.name, name) != 0)
        at = &(*at)->next;
    one = take(at);
    free(one);
    return one != NULL;
}

bool displaced_drop_on(scene *s, const void *owner, const char *device)
{
    displaced **at = &s->displaced, *one;

    while (*at && ((*at)->owner != owner || strcmp((*at)->blade.device, device) != 0))
        at = &(*at)->next;
    one = take(at);
    free(one);
    return one != NULL;
}

static displaced *take_on(scene *s, const char *device)
{
    displaced **at = &s->displaced;

    while (*at && strcmp((*at)->blade.device, device) != 0)
        at = &(*at)->next;
    return take(at);
}

size_t displaced_count(const scene *s, const void *owner)
{
    size_t count = 0;

    for (const displaced *one = s->displaced; one; one = one->next)
        count += one->owner == owner;
    return count;
}

bool displaced_is_overridden(const scene *s, uint32_t device)
{
    const pipeline_blade *blade;

    for (size_t i = 0;
         device < PIPELINE_DEVICES_MAX && !s->devices[device].client && (blade = pipeline_blade_at(s->pipeline, i));
         i++)
        if (blade->device == device && scene_is_client(blade->owner))
            return true;
    return false;
}

bool displace_all(scene *s, uint32_t device, int64_t time_ns)
{
    const char *its = pipeline_device_name(s->pipeline, device);
    const pipeline_blade *blade;
    char name[PIPELINE_BLADE_NAME_MAX];

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i));) {
        if (blade->device != device || scene_is_client(blade->owner)) {
            i++;
            continue;
        }
        memcpy(name, blade->name, sizeof name);
        if (!displaced_keep(s, blade->owner, &(clash_blade){name, its, blade->properties, blade->sword}))
            return false;
        scene_notify_removed(s, time_ns, name, NULL);
        pipeline_remove_blade(s->pipeline, name);
    }
    return true;
}

void displaced_restore(scene *s, uint32_t device, int64_t time_ns)
{
    const char *its = s->displaced && device < PIPELINE_DEVICES_MAX ? pipeline_device_name(s->pipeline, device) : NULL;
    displaced *one;

    while (its && !displaced_is_overridden(s, device) && (one = take_on(s, its))) {
        const clash_blade blade = clash_blade_of(&one->blade);
        const char *reason;

        scene_notify_blade(s, time_ns, &blade);
        reason = scene_put_blade(s, one->owner, &blade);
        if (reason) {
            LOG_ERROR(&s->log, "blade '%s' does not come back: %s", blade.name, reason);
            scene_notify_removed(s, time_ns, blade.name, NULL);
        }
        free(one);
    }
}

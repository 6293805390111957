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

size_t displaced_count(const scene *s, const void *owner)
{
    size_t count = 0;

    for (const displaced *one = s->displaced; one; one = one->next)
        count += one->owner == owner;
    return count;
}

/* Return whether a client that feeds the device has blades of its own on it. */
static bool is_overridden(const scene *s, uint32_t device)
{
    const pipeline_blade *blade;

    for (size_t i = 0;
         device < PIPELINE_DEVICES_MAX && !s->devices[device].client && (blade = pipeline_blade_at(s->pipeline, i));
         i++)
        if (blade->device == device && scene_is_client(blade->owner))
            return true;
    return false;
}

static bool is_left_to_games(const scene *s, const void *owner)
{
    return s->games > 0 && s->has_default_blades && owner == scene_settings;
}

bool displaced_is_hidden(const scene *s, const void *owner, const char *name, uint32_t device)
{
    const pipeline_blade *same = pipeline_find_blade(s->pipeline, name);

    return (same && scene_is_client(same->owner)) || is_left_to_games(s, owner) || is_overridden(s, device);
}

static bool displace(scene *s, const pipeline_blade *blade, int64_t time_ns)
{
    const char *device = pipeline_device_name(s->pipeline, blade->device);
    char name[PIPELINE_BLADE_NAME_MAX];

    memcpy(name, blade->name, sizeof name);
    if (!displaced_keep(s, blade->owner, &(clash_blade){name, device, blade->properties, blade->sword}))
        return false;
    scene_notify_removed(s, time_ns, name, NULL);
    pipeline_remove_blade(s->pipeline, name);
    return true;
}

bool displace_named(scene *s, const char *name, int64_t time_ns)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);

    return !blade || scene_is_client(blade->owner) || displace(s, blade, time_ns);
}

bool displace_all(scene *s, uint32_t device, int64_t time_ns)
{
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i));)
        if (blade->device != device || scene_is_client(blade->owner))
            i++;
        else if (!displace(s, blade, time_ns))
            return false;
    return true;
}

static void restore(scene *s, displaced *one, int64_t time_ns)
{
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

void displaced_restore(scene *s, int64_t time_ns)
{
    displaced **at = &s->displaced;

    while (*at) {
        const clash_blade_definition *blade = &(*at)->blade;

        if (displaced_is_hidden(s, (*at)->owner, blade->name, pipeline_find_device(s->pipeline, blade->device)))
            at = &(*at)->next;
        else
            restore(s, take(at), time_ns);
    }
}

/* ---- the default settings' blades and games ---- */

static void displace_defaults(scene *s, int64_t time_ns)
{
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i));)
        if (!is_left_to_games(s, blade->owner))
            i++;
        else if (!displace(s, blade, time_ns))
            return;
}

static void log_set_aside(scene *s)
{
    const char *name;

    if (s->is_aside_logged || !s->has_default_blades || scene_list_displaced(s, &name, 1) == 0)
        return;
    s->is_aside_logged = true;
    LOG_INFO(
        &s->log,
        "the default blades ('%s' ..) are set aside as long as a game is connected that feeds devices and has blades "
        "of its own; name them under 'blades' in the configuration to keep them",
        name);
}

void scene_add_game(scene *s, int64_t time_ns)
{
    if (s->games++ > 0)
        return;
    displace_defaults(s, time_ns);
    log_set_aside(s);
}

void scene_drop_game(scene *s, int64_t time_ns)
{
    s->games--;
    displaced_restore(s, time_ns);
}

void scene_set_default_blades(scene *s, bool are_default, int64_t time_ns)
{
    s->has_default_blades = are_default;
    displace_defaults(s, time_ns);
    displaced_restore(s, time_ns);
}

size_t scene_list_displaced(const scene *s, const char **out_names, size_t most)
{
    size_t count = 0;

    for (const displaced *one = s->displaced; one && count < most; one = one->next)
        out_names[count++] = one->blade.name;
    return count;
}

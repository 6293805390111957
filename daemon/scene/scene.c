#include "scene.h"

#include "feeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A blade of the settings or of a recording that is set aside: defined, but not in the world, because clients' blades replace it. There
 *  are three reasons: a client's blade has the same name; a client feeds the device and has a blade on it; the blade is one of the
 *  default settings' and a game has swords of its own (scene_add_game). It comes back as soon as none of them holds. */
typedef struct displaced {
    struct displaced *next;
    const void *owner;
    clash_blade_definition blade;
} displaced;

/* ---- what the sinks receive ---- */

/* These finish the step first: the sinks receive the change after all of its events. */
static void notify_removed(const scene *s, int64_t time_ns, const char *blade, const char *device)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->removed)
        s->sinks->removed(s->sinks->context, time_ns, blade, device);
}

static void notify_target_removed(const scene *s, int64_t time_ns, const char *name)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->target_removed)
        s->sinks->target_removed(s->sinks->context, time_ns, name);
}

static void notify_blade(const scene *s, int64_t time_ns, const clash_blade *blade)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->blade)
        s->sinks->blade(s->sinks->context, time_ns, blade);
}

static void notify_target(const scene *s, int64_t time_ns, const clash_target_definition *target)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->target)
        s->sinks->target(s->sinks->context, time_ns, target);
}

/* ---- owners ---- */

const char scene_settings[] = "the configuration", scene_recording[] = "the recording";

static bool is_client(const void *owner)
{
    return owner != scene_settings && owner != scene_recording;
}

const char *scene_owner_text(const void *owner)
{
    return is_client(owner) ? "a client" : owner;
}

/* Return whether the blade of that name can become the one that replaces it where it is: then it keeps its contacts. */
static bool can_change(const scene *s, const pipeline_blade *blade, uint32_t device)
{
    return blade->device == device && !pipeline_get_settings(s->pipeline)->old_rules;
}

/* Add a blade, or change the one of that name. A changed blade keeps its contacts unless it is on another device now; under
 * the rules of earlier recordings it never does. */
static const char *put_blade(scene *s, const void *owner, const clash_blade *from)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, from->name);
    pipeline_blade blade = {.properties = from->properties, .sword = from->sword, .owner = owner};

    snprintf(blade.name, sizeof blade.name, "%s", from->name);
    blade.device = pipeline_device(s->pipeline, from->device);
    if (known && can_change(s, known, blade.device))
        return pipeline_change_blade(s->pipeline, &blade);
    pipeline_remove_blade(s->pipeline, blade.name);
    return pipeline_add_blade(s->pipeline, &blade);
}

/* ---- blades that are set aside ---- */

static const displaced *displaced_find(const scene *s, const char *name)
{
    const displaced *one = s->displaced;

    while (one && strcmp(one->blade.name, name) != 0)
        one = one->next;
    return one;
}

/* Add a blade, replacing one of the same name. Return false when out of memory. */
static bool displaced_keep(scene *s, const void *owner, const clash_blade *blade)
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

static bool displaced_drop(scene *s, const char *name)
{
    displaced **at = &s->displaced, *one;

    while (*at && strcmp((*at)->blade.name, name) != 0)
        at = &(*at)->next;
    one = take(at);
    free(one);
    return one != NULL;
}

/* Remove one of that owner's on that device. Return false if there is none. */
static bool displaced_drop_on(scene *s, const void *owner, const char *device)
{
    displaced **at = &s->displaced, *one;

    while (*at && ((*at)->owner != owner || strcmp((*at)->blade.device, device) != 0))
        at = &(*at)->next;
    one = take(at);
    free(one);
    return one != NULL;
}

static size_t displaced_count(const scene *s, const void *owner)
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
        if (blade->device == device && is_client(blade->owner))
            return true;
    return false;
}

static bool is_left_to_games(const scene *s, const void *owner)
{
    return s->games > 0 && s->has_default_blades && owner == scene_settings;
}

/* Return whether one of the three reasons holds. */
static bool displaced_is_hidden(const scene *s, const void *owner, const char *name, uint32_t device)
{
    const pipeline_blade *same = pipeline_find_blade(s->pipeline, name);

    return (same && is_client(same->owner)) || is_left_to_games(s, owner) || is_overridden(s, device);
}

static bool keep_displaced(scene *s, const pipeline_blade *blade)
{
    const char *device = pipeline_device_name(s->pipeline, blade->device);

    return displaced_keep(s, blade->owner, &(clash_blade){blade->name, device, blade->properties, blade->sword});
}

static bool displace(scene *s, const pipeline_blade *blade, int64_t time_ns)
{
    char name[PIPELINE_BLADE_NAME_MAX];

    memcpy(name, blade->name, sizeof name);
    if (!keep_displaced(s, blade))
        return false;
    notify_removed(s, time_ns, name, NULL);
    pipeline_remove_blade(s->pipeline, name);
    return true;
}

/* Take the blade of that name out of the world unless it is a client's, or on the device, where a client's replaces it. Return false
 * when out of memory. */
static bool displace_named(scene *s, const char *name, uint32_t device, int64_t time_ns)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);

    if (!blade || is_client(blade->owner))
        return true;
    return can_change(s, blade, device) ? keep_displaced(s, blade) : displace(s, blade, time_ns);
}

/* Take the blades of the device that are not clients' out of the world, but for the one of that name. Return false when out of
 * memory: some may remain. */
static bool displace_all(scene *s, uint32_t device, const char *but, int64_t time_ns)
{
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i));)
        if (blade->device != device || is_client(blade->owner) || strcmp(blade->name, but) == 0)
            i++;
        else if (!displace(s, blade, time_ns))
            return false;
    return true;
}

static void restore(scene *s, displaced *one, int64_t time_ns)
{
    const clash_blade blade = clash_blade_of(&one->blade);
    const char *reason;

    notify_blade(s, time_ns, &blade);
    reason = put_blade(s, one->owner, &blade);
    if (reason) {
        LOG_ERROR(&s->log, "blade '%s' does not come back: %s", blade.name, reason);
        notify_removed(s, time_ns, blade.name, NULL);
    }
    free(one);
}

/* Put back all blades that nothing hides any more. */
static void displaced_restore(scene *s, int64_t time_ns)
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

/* ---- who owns what, and which names they may use ---- */

const void *scene_owner_of_blades(const config_values *config)
{
    return config->blades_of_recording ? scene_recording : scene_settings;
}

const void *scene_owner_of(const scene *s, const char *name)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);
    const pipeline_target *target = pipeline_find_target(s->pipeline, name);

    return blade ? blade->owner : target ? scene_target_of(target)->owner : NULL;
}

bool scene_is_displaced(const scene *s, const char *name)
{
    return displaced_find(s, name) != NULL;
}

static bool counts(const void *asked, const void *owner)
{
    return asked ? owner == asked : is_client(owner);
}

size_t scene_count(const scene *s, const void *owner, bool is_target)
{
    const size_t all = is_target ? pipeline_target_count(s->pipeline) : pipeline_blade_count(s->pipeline);
    size_t count = is_target ? 0 : displaced_count(s, owner);

    for (size_t i = 0; i < all; i++)
        count += counts(owner, is_target ? scene_target_of(pipeline_target_at(s->pipeline, i))->owner
                                         : pipeline_blade_at(s->pipeline, i)->owner);
    return count;
}

bool scene_is_clients_device(const scene *s, const char *name)
{
    const uint32_t id = pipeline_find_device(s->pipeline, name);

    return id != UINT32_MAX && s->devices[id].client;
}

/* ---- names ---- */

static int refuse_name(const void *owner, const void *its, const char *name, const char *kind,
                       protocol_error *out_error)
{
    if (is_client(owner))
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "name: the %s \"%s\" is not this client's", kind,
                               name);
    return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "%s has that name", scene_owner_text(its));
}

/* A client's blade goes before one of the settings or a recording, which is set aside meanwhile. */
static int check_name(const scene *s, const void *owner, const char *name, bool is_target, protocol_error *out_error)
{
    const displaced *hidden = displaced_find(s, name);
    const char *kind = pipeline_find_blade(s->pipeline, name) || hidden ? "blade" : "target";
    const void *its = scene_owner_of(s, name);

    if (!its && !hidden)
        return 0;
    if ((kind[0] == 't') != is_target)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "name: \"%s\" is the name of a %s", name, kind);
    if (is_client(owner))
        return !its || its == owner || (!is_target && !is_client(its)) ? 0
                                                                       : refuse_name(owner, its, name, kind, out_error);
    if (hidden)
        its = hidden->owner;
    return its == owner || (!is_target && is_client(its)) ? 0 : refuse_name(owner, its, name, kind, out_error);
}

/* A device that the pipeline knows and that is not this client's belongs to somebody else. OpenXR's names stay free for
 * its source, which may come later. */
static int check_device(const scene *s, const void *owner, const char *device, protocol_error *out_error)
{
    const uint32_t id = pipeline_find_device(s->pipeline, device);

    if (!is_client(owner))
        return scene_is_clients_device(s, device)
                   ? protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "a client has the device \"%s\"", device)
                   : 0;
    if (feeds_has(s, owner, id))
        return 0;
    if (strncmp(device, "/user/", 6) == 0)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN,
                               "device: \"%s\": names under /user/ are OpenXR's, but for who feeds them", device);
    if (id != UINT32_MAX && s->devices[id].client != owner)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\" is not this client's", device);
    return 0;
}

int scene_check(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                protocol_error *out_error)
{
    if (check_name(s, owner, name, is_target, out_error) != 0)
        return -1;
    return device[0] ? check_device(s, owner, device, out_error) : 0;
}

/* ---- the scene ---- */

int scene_open(scene *s, const pipeline_settings *settings, const event_sink *sinks, logger log)
{
    s->sinks = sinks;
    s->log = log;
    s->pipeline = pipeline_create(settings, sinks->event, sinks->context);
    s->devices = calloc(PIPELINE_DEVICES_MAX, sizeof *s->devices); /* pages are only taken for those that are used */
    return s->pipeline && s->devices ? 0 : -1;
}

void scene_close(scene *s)
{
    scene_target *gone;

    while (s->displaced)
        displaced_drop(s, s->displaced->blade.name);
    while (s->feeds)
        feeds_forget_device(s, feeds_first_device(s));
    gone = s->pipeline ? scene_targets_on(s->pipeline, UINT32_MAX) : NULL;
    pipeline_destroy(s->pipeline);
    scene_targets_destroy(gone);
    free(s->devices);
    *s = (scene){0};
}

/* Warn once, however often it is defined again. */
static void warn_of_negative(const scene *s, bool is_negative, bool was_negative, const char *what, const char *name)
{
    if (is_negative && !was_negative)
        LOG_WARNING(&s->log, "%s '%s': unity_collider has a negative size: its absolute value counts, as in Unity",
                    what, name);
}

/* ---- devices ---- */

/* Count one more thing on a device; return UINT32_MAX if there is no room for it. A client that only feeds a device
 * does not own it. */
static uint32_t take_device(scene *s, const void *owner, const char *name)
{
    const uint32_t id = pipeline_device(s->pipeline, name);

    if (id == UINT32_MAX)
        return id;
    if (is_client(owner) && (s->devices[id].client == owner || !feeds_has(s, owner, id))) {
        s->devices[id].client = owner;
        s->devices[id].things++;
    }
    s->devices[id].is_fed_only &= is_client(owner);
    return id;
}

void scene_forget_device(scene *s, uint32_t device, int64_t time_ns)
{
    feeds_forget_device(s, device);
    notify_removed(s, time_ns, NULL, pipeline_device_name(s->pipeline, device));
    pipeline_remove_device(s->pipeline, device);
    s->devices[device] = (scene_device){0};
}

/* Count one thing less. A client's device without any is removed; it is reported lost first, so that whoever follows it
 * knows. If it is fed, it stays. */
static void drop_device(scene *s, uint32_t id, int64_t time_ns)
{
    scene_device *device = id < PIPELINE_DEVICES_MAX ? &s->devices[id] : NULL;

    if (!device || !device->client || --device->things > 0)
        return;
    device->client = NULL;
    device->is_fed_only = feeds_has_other(s, NULL, id);
    if (device->is_fed_only)
        return;
    pipeline_lost(s->pipeline, id, time_ns, CLASH_TRACKING_LOST);
    scene_forget_device(s, id, time_ns);
}

/* ---- what comes and goes ---- */

/* Keep a blade of the settings or a recording while a client's replace it. */
static int define_displaced(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                            protocol_error *out_error)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, blade->name);

    if (known && known->owner == owner) { /* it was on another device until now */
        notify_removed(s, time_ns, blade->name, NULL);
        pipeline_remove_blade(s->pipeline, blade->name);
    }
    return displaced_keep(s, owner, blade) ? 0 : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
}

static bool is_unchanged(const scene *s, const void *owner, const clash_blade *blade)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, blade->name);
    const char *device = known ? pipeline_device_name(s->pipeline, known->device) : NULL;

    return known && known->owner == owner && strcmp(device, blade->device) == 0 &&
           clash_blade_properties_are_same(&known->properties, &blade->properties) && !known->sword == !blade->sword &&
           (!blade->sword || clash_sword_is_same(known->sword, blade->sword));
}

int scene_define_blade(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                       protocol_error *out_error)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, blade->name);
    const uint32_t before = known && known->owner == owner ? known->device : UINT32_MAX;
    const bool was_negative = known && known->properties.unity_negative;
    const char *reason;
    uint32_t device;
    int result = 0;

    if (scene_check(s, owner, blade->name, false, blade->device, out_error) != 0)
        return -1;
    if (is_unchanged(s, owner, blade))
        return 0;
    if (!known && pipeline_blade_count(s->pipeline) == PIPELINE_BLADES_MAX)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "blades: clashd cannot follow any more");
    device = take_device(s, owner, blade->device);
    if (device == UINT32_MAX)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (!is_client(owner) && displaced_is_hidden(s, owner, blade->name, device))
        return define_displaced(s, owner, time_ns, blade, out_error);
    if (!is_client(owner))
        displaced_drop(s, blade->name);
    else if (!displace_named(s, blade->name, device, time_ns) ||
             (s->devices[device].client != owner && !displace_all(s, device, blade->name, time_ns))) {
        displaced_restore(s, time_ns);
        drop_device(s, device, time_ns);
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
    }
    notify_blade(s, time_ns, blade);
    reason = put_blade(s, owner, blade);
    if (reason) {
        result = protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "blade: %s", reason);
        notify_removed(s, time_ns, blade->name, NULL);
        pipeline_remove_blade(s->pipeline, blade->name);
        drop_device(s, device, time_ns);
    } else {
        warn_of_negative(s, blade->properties.unity_negative, was_negative, "blade", blade->name);
    }
    drop_device(s, before, time_ns);
    displaced_restore(s, time_ns);
    return result;
}

/* Put a target in place of the one before; if the pipeline refuses, the old one comes back. */
static int put_target(scene *s, int64_t time_ns, scene_target *target, protocol_error *out_error)
{
    scene_target *before = scene_target_of(pipeline_find_target(s->pipeline, target->definition.name));
    const char *reason;

    notify_target(s, time_ns, &target->definition);
    if (before)
        pipeline_remove_target(s->pipeline, before->definition.name);
    reason = scene_target_put(s->pipeline, target);
    if (!reason) {
        scene_target_destroy(before);
        return 0;
    }
    if (before && !scene_target_put(s->pipeline, before))
        notify_target(s, time_ns, &before->definition);
    else
        notify_target_removed(s, time_ns, target->definition.name);
    scene_target_destroy(target);
    return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "it is refused: %s", reason);
}

int scene_define_target(scene *s, const void *owner, int64_t time_ns, scene_target *target, protocol_error *out_error)
{
    const clash_target_definition *definition = &target->definition;
    const clash_target_definition *known = scene_find_target(s, definition->name);
    const uint32_t before = known && known->device[0] ? pipeline_find_device(s->pipeline, known->device) : UINT32_MAX;
    const bool was_negative = known && known->unity_negative, is_static = !definition->device[0];
    uint32_t device = UINT32_MAX;
    int result = scene_check(s, owner, definition->name, true, definition->device, out_error);

    if (result == 0 && !is_static && (device = take_device(s, owner, definition->device)) == UINT32_MAX)
        result = protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (result != 0) {
        scene_target_destroy(target);
        return -1;
    }
    target->owner = owner;
    result = put_target(s, time_ns, target, out_error);
    if (result == 0)
        warn_of_negative(s, definition->unity_negative, was_negative, "target", definition->name);
    drop_device(s, result == 0 ? before : device, time_ns);
    return result;
}

static void remove_blade(scene *s, int64_t time_ns, const pipeline_blade *blade)
{
    const uint32_t device = blade->device;
    char name[PIPELINE_BLADE_NAME_MAX];

    memcpy(name, blade->name, sizeof name);
    notify_removed(s, time_ns, name, NULL);
    pipeline_remove_blade(s->pipeline, name);
    drop_device(s, device, time_ns);
    displaced_restore(s, time_ns);
}

static void remove_target(scene *s, int64_t time_ns, const pipeline_target *target)
{
    const uint32_t device = target->is_static ? UINT32_MAX : target->device;
    char name[PIPELINE_BLADE_NAME_MAX];

    memcpy(name, target->name, sizeof name);
    notify_target_removed(s, time_ns, name);
    scene_target_destroy(scene_take_target(s, name));
    drop_device(s, device, time_ns);
}

int scene_remove(scene *s, const void *owner, int64_t time_ns, const char *name, protocol_error *out_error)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);
    const pipeline_target *target = pipeline_find_target(s->pipeline, name);
    const displaced *hidden = displaced_find(s, name);

    if (hidden && hidden->owner == owner)
        return displaced_drop(s, name) ? 0 : -1;
    if (!blade && !target)
        return protocol_refuse(out_error, PROTOCOL_ERROR_UNKNOWN_NAME, "name: there is no blade and no target \"%s\"",
                               name);
    if (scene_owner_of(s, name) != owner)
        return refuse_name(owner, scene_owner_of(s, name), name, target ? "target" : "blade", out_error);
    if (blade)
        remove_blade(s, time_ns, blade);
    else
        remove_target(s, time_ns, target);
    return 0;
}

/* Remove an owner's last blade or, without one, its last target; on one device, or anywhere if UINT32_MAX. Return false
 * if there is neither. */
static bool remove_last(scene *s, const void *owner, uint32_t device, int64_t time_ns)
{
    for (size_t i = pipeline_blade_count(s->pipeline); i-- > 0;) {
        const pipeline_blade *blade = pipeline_blade_at(s->pipeline, i);

        if (blade->owner == owner && (device == UINT32_MAX || blade->device == device)) {
            remove_blade(s, time_ns, blade);
            return true;
        }
    }
    for (size_t i = pipeline_target_count(s->pipeline); i-- > 0;) {
        const pipeline_target *target = pipeline_target_at(s->pipeline, i);

        if (scene_target_of(target)->owner == owner &&
            (device == UINT32_MAX || (!target->is_static && target->device == device))) {
            remove_target(s, time_ns, target);
            return true;
        }
    }
    return false;
}

/* Return whether someone else has something on the device; `owner` NULL: whether anybody has. */
static bool is_shared(const scene *s, const void *owner, uint32_t device)
{
    const pipeline_target *target;
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i)); i++)
        if (blade->device == device && blade->owner != owner)
            return true;
    for (size_t i = 0; (target = pipeline_target_at(s->pipeline, i)); i++)
        if (!target->is_static && target->device == device && scene_target_of(target)->owner != owner)
            return true;
    return false;
}

bool scene_has_things(const scene *s, uint32_t device)
{
    return is_shared(s, NULL, device);
}

void scene_remove_device(scene *s, const void *owner, int64_t time_ns, const char *name)
{
    const uint32_t id = pipeline_find_device(s->pipeline, name);
    scene_target *gone;

    if (id == UINT32_MAX || s->devices[id].client)
        return;
    while (displaced_drop_on(s, owner, name))
        continue;
    if (is_shared(s, owner, id) || feeds_has_other(s, NULL, id)) {
        while (remove_last(s, owner, id, time_ns))
            continue;
        scene_source_lost(s, id, time_ns, CLASH_TRACKING_LOST);
        return;
    }
    gone = scene_targets_on(s->pipeline, id);
    scene_forget_device(s, id, time_ns);
    scene_targets_destroy(gone);
}

void scene_remove_things(scene *s, const void *client, uint32_t device, int64_t time_ns)
{
    if (s->devices[device].client != client)
        while (remove_last(s, client, device, time_ns))
            continue;
}

bool scene_owner_goes(scene *s, const void *client, int64_t time_ns)
{
    protocol_error ignored;

    if (remove_last(s, client, UINT32_MAX, time_ns))
        return true;
    scene_feed(s, client, &(protocol_feed){.count = 0}, time_ns, &ignored);
    return false;
}

/* ---- targets ---- */

const clash_target_definition *scene_target_at(const scene *s, size_t index)
{
    const scene_target *target = scene_target_of(pipeline_target_at(s->pipeline, index));

    return target ? &target->definition : NULL;
}

const clash_target_definition *scene_find_target(const scene *s, const char *name)
{
    const scene_target *target = scene_target_of(pipeline_find_target(s->pipeline, name));

    return target ? &target->definition : NULL;
}

scene_target *scene_take_target(scene *s, const char *name)
{
    scene_target *target = scene_target_of(pipeline_find_target(s->pipeline, name));

    if (target)
        pipeline_remove_target(s->pipeline, name);
    return target;
}

/* ---- the settings ---- */

int scene_define_blades_of(scene *s, const config_values *config, failure *out_failure)
{
    protocol_error error;

    for (size_t i = 0; i < config->blade_count; i++) {
        const clash_blade blade = clash_blade_of(&config->blades[i]);

        if (scene_define_blade(s, scene_owner_of_blades(config), 0, &blade, &error) == 0)
            continue;
        return fail_int(out_failure, "blade '%s' on device '%s' cannot be added: %s", blade.name, blade.device,
                        error.message);
    }
    return 0;
}

int scene_define_targets_of(scene *s, const config_values *config, failure *out_failure)
{
    failure reason = {0};
    protocol_error error;

    for (size_t i = 0; i < config->target_count; i++) {
        scene_target *target = scene_target_make(&config->targets[i], &reason);

        if (target && scene_define_target(s, scene_settings, 0, target, &error) == 0)
            continue;
        return fail_int(out_failure, "target '%s': %s", config->targets[i].name, target ? error.message : reason.text);
    }
    return 0;
}

int scene_open_of(scene *s, const config_values *config, const event_sink *sinks, logger log, failure *out_failure)
{
    const pipeline_settings settings = config_pipeline_settings(config);

    if (scene_open(s, &settings, sinks, log) == 0 && scene_define_blades_of(s, config, out_failure) == 0 &&
        scene_define_targets_of(s, config, out_failure) == 0)
        return 0;
    return fail_int(out_failure, "out of memory"); /* unless a more exact reason is noted */
}

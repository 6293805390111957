/* The pipeline holds what exists; this file decides who may change it. See scene.h. */
#include "scene.h"

#include "displaced.h"
#include "feeds.h"
#include "scene_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- who is told ---- */

/* Finish the step first: the sinks hear of the change after all its events. */
void scene_notify_removed(const scene *s, int64_t time_ns, const char *blade, const char *device)
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

void scene_notify_blade(const scene *s, int64_t time_ns, const clash_blade *blade)
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
    if (scene_is_client(owner) && (s->devices[id].client == owner || !feeds_has(s, owner, id))) {
        s->devices[id].client = owner;
        s->devices[id].things++;
    }
    s->devices[id].is_fed_only &= scene_is_client(owner);
    return id;
}

void scene_forget_device(scene *s, uint32_t device, int64_t time_ns)
{
    feeds_forget_device(s, device);
    scene_notify_removed(s, time_ns, NULL, pipeline_device_name(s->pipeline, device));
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

const char *scene_put_blade(scene *s, const void *owner, const clash_blade *from)
{
    pipeline_blade blade = {.properties = from->properties, .sword = from->sword, .owner = owner};

    snprintf(blade.name, sizeof blade.name, "%s", from->name);
    blade.device = pipeline_device(s->pipeline, from->device);
    return pipeline_add_blade(s->pipeline, &blade);
}

/* Keep a blade of the settings or a recording while a client's replace it. */
static int define_displaced(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                            protocol_error *out_error)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, blade->name);

    if (known && known->owner == owner) { /* it was on another device until now */
        scene_notify_removed(s, time_ns, blade->name, NULL);
        pipeline_remove_blade(s->pipeline, blade->name);
    }
    return displaced_keep(s, owner, blade) ? 0 : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
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
    if (!known && pipeline_blade_count(s->pipeline) == PIPELINE_BLADES_MAX)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "blades: clashd cannot follow any more");
    device = take_device(s, owner, blade->device);
    if (device == UINT32_MAX)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (!scene_is_client(owner) && displaced_is_hidden(s, owner, blade->name, device))
        return define_displaced(s, owner, time_ns, blade, out_error);
    if (!scene_is_client(owner))
        displaced_drop(s, blade->name);
    else if (!displace_named(s, blade->name, time_ns) ||
             (s->devices[device].client != owner && !displace_all(s, device, time_ns))) {
        displaced_restore(s, time_ns);
        drop_device(s, device, time_ns);
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
    }
    scene_notify_blade(s, time_ns, blade);
    pipeline_remove_blade(s->pipeline, blade->name);
    reason = scene_put_blade(s, owner, blade);
    if (reason) {
        result = protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "blade: %s", reason);
        scene_notify_removed(s, time_ns, blade->name, NULL);
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
    scene_notify_removed(s, time_ns, name, NULL);
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
        return scene_refuse_name(owner, scene_owner_of(s, name), name, target ? "target" : "blade", out_error);
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

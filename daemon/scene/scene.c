/* The pipeline holds what there is, with its owner; here is who may change it. See scene.h. */
#include "scene.h"

#include "assembly.h"
#include "feeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(error_code, ...) \
    (out_error->code = (error_code), snprintf(out_error->message, sizeof out_error->message, __VA_ARGS__), -1)

const char scene_settings[] = "the configuration", scene_recording[] = "the recording";

int scene_init(scene *s, pipeline *p, app_targets *targets, const event_sink *sinks, logger log)
{
    *s = (scene){.pipeline = p, .targets = targets, .sinks = sinks, .log = log};
    s->devices = calloc(PIPELINE_DEVICES_MAX, sizeof *s->devices); /* memory is taken for those that are used */
    return s->devices ? 0 : -1;
}

void scene_finish(scene *s)
{
    while (s->feeds)
        feeds_forget_device(s, feeds_first_device(s));
    free(s->devices);
    s->devices = NULL;
}

/* ---- whose it is ---- */

static bool is_client(const void *owner)
{
    return owner != scene_settings && owner != scene_recording;
}

const char *scene_owner_text(const void *owner)
{
    return is_client(owner) ? "a client" : owner;
}

const void *scene_owner_of_blades(const app_config *config)
{
    return config->blades_of_recording ? scene_recording : scene_settings;
}

const void *scene_owner_of(const scene *s, const char *name)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);
    const pipeline_target *target = pipeline_find_target(s->pipeline, name);

    return blade ? blade->owner : target ? target->owner : NULL;
}

static bool counts(const void *asked, const void *owner)
{
    return asked ? owner == asked : is_client(owner);
}

size_t scene_count(const scene *s, const void *owner, bool is_target)
{
    const size_t all = is_target ? pipeline_target_count(s->pipeline) : pipeline_blade_count(s->pipeline);
    size_t count = 0;

    for (size_t i = 0; i < all; i++)
        count += counts(owner, is_target ? pipeline_target_at(s->pipeline, i)->owner
                                         : pipeline_blade_at(s->pipeline, i)->owner);
    return count;
}

bool scene_is_clients_device(const scene *s, const char *name)
{
    const uint32_t id = pipeline_find_device(s->pipeline, name);

    return id != UINT32_MAX && s->devices[id].client;
}

/* ---- names ---- */

static int check_name(const scene *s, const void *owner, const char *name, bool is_target, protocol_error *out_error)
{
    const char *kind = pipeline_find_blade(s->pipeline, name) ? "blade" : "target";
    const void *its = scene_owner_of(s, name);

    if (its && (kind[0] == 't') != is_target)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: \"%s\" is the name of a %s", name, kind);
    if (!its || its == owner)
        return 0;
    if (is_client(owner))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the %s \"%s\" is not this client's", kind, name);
    return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "%s has that name", scene_owner_text(its));
}

/* Every device that the pipeline knows and that is not this client's is somebody else's. Those of OpenXR are kept free for it:
 * it may come later. */
static int check_device(const scene *s, const void *owner, const char *device, protocol_error *out_error)
{
    uint32_t id;

    if (!is_client(owner))
        return scene_is_clients_device(s, device)
                   ? FAIL(PROTOCOL_ERROR_NAME_TAKEN, "a client has the device \"%s\"", device)
                   : 0;
    if (strncmp(device, "/user/", 6) == 0)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\": names under /user/ are OpenXR's", device);
    id = pipeline_find_device(s->pipeline, device);
    if (id != UINT32_MAX &&
        ((s->devices[id].client != owner && !s->devices[id].is_fed_only) || feeds_has_other(s, owner, id)))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\" is not this client's", device);
    return 0;
}

int scene_check(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                protocol_error *out_error)
{
    if (check_name(s, owner, name, is_target, out_error) != 0)
        return -1;
    return device[0] ? check_device(s, owner, device, out_error) : 0;
}

/* ---- who is told ---- */

/* What the sinks are told stands behind all the events of the step before. */
static void tell_removed(const scene *s, int64_t time_ns, const char *blade, const char *device)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->removed)
        s->sinks->removed(s->sinks->context, time_ns, blade, device);
}

static void tell_target_removed(const scene *s, int64_t time_ns, const char *name)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->target_removed)
        s->sinks->target_removed(s->sinks->context, time_ns, name);
}

static void tell_blade(const scene *s, int64_t time_ns, const clash_blade *blade)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->blade)
        s->sinks->blade(s->sinks->context, time_ns, blade);
}

static void tell_target(const scene *s, int64_t time_ns, const clash_target_definition *target)
{
    pipeline_finish(s->pipeline);
    if (s->sinks->target)
        s->sinks->target(s->sinks->context, time_ns, target);
}

/* Once, however often it is defined anew. */
static void warn_of_negative(const scene *s, bool is_negative, bool was_negative, const char *what, const char *name)
{
    if (is_negative && !was_negative)
        app_warn_of_negative(&s->log, what, name);
}

/* ---- devices ---- */

/* One thing more on a device; UINT32_MAX where there is no room for it. */
static uint32_t take_device(scene *s, const void *owner, const char *name)
{
    const uint32_t id = pipeline_device(s->pipeline, name);

    if (id != UINT32_MAX && is_client(owner)) {
        s->devices[id].client = owner;
        s->devices[id].things++;
    }
    if (id != UINT32_MAX)
        s->devices[id].is_fed_only = false;
    return id;
}

void scene_forget_device(scene *s, uint32_t device, int64_t time_ns)
{
    feeds_forget_device(s, device);
    tell_removed(s, time_ns, NULL, pipeline_device_name(s->pipeline, device));
    pipeline_remove_device(s->pipeline, device);
    s->devices[device] = (scene_device){0};
}

/* One less. A client's device with nothing on it is no more: it is lost first, so that who follows it hears of it. Those that
 * feed it keep it. */
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

int scene_define_blade(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                       protocol_error *out_error)
{
    const pipeline_blade *known = pipeline_find_blade(s->pipeline, blade->name);
    const uint32_t before = known ? known->device : UINT32_MAX;
    const bool was_negative = known && known->properties.unity_negative;
    const char *reason;
    uint32_t device;
    int result = 0;

    if (scene_check(s, owner, blade->name, false, blade->device, out_error) != 0)
        return -1;
    if (!known && pipeline_blade_count(s->pipeline) == PIPELINE_BLADES_MAX)
        return FAIL(PROTOCOL_ERROR_LIMIT, "blades: clashd cannot follow any more");
    device = take_device(s, owner, blade->device);
    if (device == UINT32_MAX)
        return FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    tell_blade(s, time_ns, blade);
    pipeline_remove_blade(s->pipeline, blade->name);
    reason = app_pipeline_add(s->pipeline, owner, blade);
    if (reason) {
        result = FAIL(PROTOCOL_ERROR_LIMIT, "blade: %s", reason);
        tell_removed(s, time_ns, blade->name, NULL);
        drop_device(s, device, time_ns);
    } else {
        warn_of_negative(s, blade->properties.unity_negative, was_negative, "blade", blade->name);
    }
    drop_device(s, before, time_ns);
    return result;
}

/* On its device. The target is the list's, or gone. */
static int put_target(scene *s, const void *owner, int64_t time_ns, app_target *target, protocol_error *out_error)
{
    const clash_target_definition *definition = app_target_definition(target);
    char name[CLASH_TARGET_NAME_MAX], reason[400];

    memcpy(name, definition->name, sizeof name);
    tell_target(s, time_ns, definition);
    app_target_set_owner(target, owner);
    if (app_targets_put(s->targets, target, reason, sizeof reason) == 0)
        return 0;
    definition = app_targets_find(s->targets, name); /* the one before */
    if (!definition)
        tell_target_removed(s, time_ns, name);
    else
        tell_target(s, time_ns, definition);
    return FAIL(PROTOCOL_ERROR_LIMIT, "%s", reason);
}

int scene_define_target(scene *s, const void *owner, int64_t time_ns, app_target *target, protocol_error *out_error)
{
    const clash_target_definition *definition = app_target_definition(target);
    const clash_target_definition *known = app_targets_find(s->targets, definition->name);
    const uint32_t before = known && known->device[0] ? pipeline_find_device(s->pipeline, known->device) : UINT32_MAX;
    const bool was_negative = known && known->unity_negative, is_still = !definition->device[0];
    uint32_t device = UINT32_MAX;
    int result = scene_check(s, owner, definition->name, true, definition->device, out_error);

    if (result == 0 && !is_still && (device = take_device(s, owner, definition->device)) == UINT32_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (result != 0) {
        app_target_destroy(target);
        return -1;
    }
    result = put_target(s, owner, time_ns, target, out_error);
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
    tell_removed(s, time_ns, name, NULL);
    pipeline_remove_blade(s->pipeline, name);
    drop_device(s, device, time_ns);
}

static void remove_target(scene *s, int64_t time_ns, const pipeline_target *target)
{
    const uint32_t device = target->is_still ? UINT32_MAX : target->device;
    char name[PIPELINE_BLADE_NAME_MAX];

    memcpy(name, target->name, sizeof name);
    tell_target_removed(s, time_ns, name);
    app_targets_remove(s->targets, name);
    drop_device(s, device, time_ns);
}

int scene_remove(scene *s, const void *owner, int64_t time_ns, const char *name, protocol_error *out_error)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);
    const pipeline_target *target = pipeline_find_target(s->pipeline, name);

    if (!blade && !target)
        return FAIL(PROTOCOL_ERROR_UNKNOWN_NAME, "name: there is no blade and no target \"%s\"", name);
    if (check_name(s, owner, name, target != NULL, out_error) != 0)
        return -1;
    if (blade)
        remove_blade(s, time_ns, blade);
    else
        remove_target(s, time_ns, target);
    return 0;
}

/* Of an owner, its last blade, or when there is none its last target; on one device, or UINT32_MAX: wherever it is. False where
 * there is neither. */
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

        if (target->owner == owner && (device == UINT32_MAX || (!target->is_still && target->device == device))) {
            remove_target(s, time_ns, target);
            return true;
        }
    }
    return false;
}

/* Something of another's; NULL: of anybody's. */
static bool is_shared(const scene *s, const void *owner, uint32_t device)
{
    const pipeline_target *target;
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(s->pipeline, i)); i++)
        if (blade->device == device && blade->owner != owner)
            return true;
    for (size_t i = 0; (target = pipeline_target_at(s->pipeline, i)); i++)
        if (!target->is_still && target->device == device && target->owner != owner)
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

    if (id == UINT32_MAX || s->devices[id].client)
        return;
    if (is_shared(s, owner, id) || feeds_has_other(s, NULL, id)) {
        while (remove_last(s, owner, id, time_ns))
            continue;
        scene_source_lost(s, id, time_ns, CLASH_TRACKING_LOST);
        return;
    }
    scene_forget_device(s, id, time_ns);
    app_targets_forget_device(s->targets, name);
}

bool scene_owner_goes(scene *s, const void *client, int64_t time_ns)
{
    protocol_error ignored;

    if (remove_last(s, client, UINT32_MAX, time_ns))
        return true;
    scene_feed(s, client, &(protocol_feed){.count = 0}, time_ns, &ignored);
    return false;
}

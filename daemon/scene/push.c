/* A list of clients that own something, each with its blades and targets; a device exists as long as one is on it. See
 * push.h. */
#include "push_private.h"

#include <stdlib.h>

push *push_create(const push_settings *settings)
{
    push *p = calloc(1, sizeof *p);

    if (p)
        p->settings = *settings;
    return p;
}

void push_destroy(push *p)
{
    while (p && p->owners) {
        push_owner *next = p->owners->next;

        free(p->owners);
        p->owners = next;
    }
    free(p);
}

void push_give_up_one(push_owner *o)
{
    if (o->load)
        target_load_cancel(o->load);
    o->load = NULL;
}

void push_give_up(push *p)
{
    for (push_owner *o = p ? p->owners : NULL; o; o = o->next)
        push_give_up_one(o);
}

/* ---- who owns what ---- */

static push_owner *find_owner(const push *p, const void *client)
{
    push_owner *o = p->owners;

    while (o && o->client != client)
        o = o->next;
    return o;
}

static push_owner *make_owner(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (o || !(o = calloc(1, sizeof *o)))
        return o;
    *o = (push_owner){
        .next = p->owners, .client = client, .push = p, .tokens = PUSH_RATE_HZ * NS_PER_S, .filled_ns = now_ns};
    p->owners = o;
    return o;
}

push_blade *push_find_blade(push_owner *o, const char *name)
{
    for (size_t i = 0; o && i < o->blade_count; i++)
        if (strcmp(o->blades[i].name, name) == 0)
            return &o->blades[i];
    return NULL;
}

push_target *push_find_target(push_owner *o, const char *name)
{
    for (size_t i = 0; o && i < o->target_count; i++)
        if (strcmp(o->targets[i].name, name) == 0)
            return &o->targets[i];
    return NULL;
}

push_device *push_find_device(push_owner *o, const char *name)
{
    for (size_t i = 0; o && i < o->device_count; i++)
        if (strcmp(o->devices[i].name, name) == 0)
            return &o->devices[i];
    return NULL;
}

bool push_owns(const push *p, const char *name)
{
    for (push_owner *o = p->owners; o; o = o->next)
        if (push_find_blade(o, name) || push_find_target(o, name) || push_find_device(o, name))
            return true;
    return false;
}

bool push_pipeline_has_blade(const push *p, const char *name)
{
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(p->settings.pipeline, i)); i++)
        if (strcmp(blade->name, name) == 0)
            return true;
    return false;
}

/* Every name that the pipeline knows and that is not this client's belongs to somebody else. Those of OpenXR are kept free
 * for it: it may come later. */
int push_check_device(const push *p, push_owner *o, const char *device, protocol_error *out_error)
{
    if (strncmp(device, "/user/", 6) == 0)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\": names under /user/ are OpenXR's", device);
    if (!push_find_device(o, device) && app_pipeline_find_device(p->settings.pipeline, device) != UINT32_MAX)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\" is not this client's", device);
    return 0;
}

static int check_names(const push *p, push_owner *o, const clash_blade_definition *blade, protocol_error *out_error)
{
    if (!push_find_blade(o, blade->name) && push_pipeline_has_blade(p, blade->name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the blade \"%s\" is not this client's", blade->name);
    if (app_targets_find(p->settings.targets, blade->name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: \"%s\" is the name of a target", blade->name);
    return push_check_device(p, o, blade->device, out_error);
}

static int check_limits(push *p, push_owner *o, const clash_blade_definition *blade, protocol_error *out_error)
{
    int result = 0;

    if (push_find_blade(o, blade->name))
        return 0;
    if (o->blade_count == PUSH_BLADES_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "blades: a client may have %d", PUSH_BLADES_MAX);
    else if (p->blade_count == PUSH_ALL_BLADES_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "blades: all clients together may have %d", PUSH_ALL_BLADES_MAX);
    p->counters.limited += result != 0;
    return result;
}

void push_warn(const push *p, bool negative, const char *what, const char *name, bool *was_warned_of)
{
    if (negative && !*was_warned_of)
        app_warn_of_negative(&p->settings.log, what, name);
    *was_warned_of |= negative;
}

/* ---- blades ---- */

static void tell_removed(const push *p, int64_t now_ns, const char *blade, const char *device)
{
    const event_sink *sinks = p->settings.sinks;

    sinks->removed(sinks->context, p->settings.epoch_ns + now_ns, blade, device);
}

void push_lose(push *p, push_device *device, int64_t now_ns)
{
    device->live = false;
    pipeline_lost(p->settings.pipeline, device->id, p->settings.epoch_ns + now_ns, CLASH_TRACKING_LOST);
}

/* A device with nothing on it is no more: it is lost first, so that who follows it hears of it. */
void push_drop_device(push *p, push_owner *o, const char *name, int64_t now_ns)
{
    push_device *device = push_find_device(o, name);

    if (!device || --device->things > 0)
        return;
    push_lose(p, device, now_ns);
    tell_removed(p, now_ns, NULL, device->name);
    pipeline_remove_device(p->settings.pipeline, device->id);
    *device = o->devices[--o->device_count];
}

int push_add_device(push *p, push_owner *o, const char *name)
{
    push_device *device = push_find_device(o, name);
    uint32_t id;

    if (!device) {
        id = pipeline_device(p->settings.pipeline, name);
        if (id == UINT32_MAX)
            return -1;
        device = &o->devices[o->device_count++];
        *device = (push_device){.id = id};
        snprintf(device->name, sizeof device->name, "%s", name);
    }
    device->things++;
    return 0;
}

static const char *define_in_pipeline(push *p, const clash_blade_definition *from, int64_t now_ns)
{
    const event_sink *sinks = p->settings.sinks;
    const clash_blade blade = clash_blade_of(from);

    sinks->blade(sinks->context, p->settings.epoch_ns + now_ns, &blade);
    return app_pipeline_define(p->settings.pipeline, &blade);
}

static int define_blade(push *p, push_owner *o, const clash_blade_definition *blade, int64_t now_ns,
                        protocol_error *out_error)
{
    push_blade *known = push_find_blade(o, blade->name);
    push_blade before = known ? *known : (push_blade){0};
    const char *reason;

    if (check_names(p, o, blade, out_error) != 0 || check_limits(p, o, blade, out_error) != 0)
        return -1;
    if (push_add_device(p, o, blade->device) != 0)
        return FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    reason = define_in_pipeline(p, blade, now_ns);
    if (reason) {
        push_drop_device(p, o, blade->device, now_ns);
        return FAIL(PROTOCOL_ERROR_LIMIT, "blades: clashd cannot follow any more: %s", reason);
    }
    if (!known) {
        known = &o->blades[o->blade_count++];
        *known = (push_blade){.name = ""};
        p->blade_count++;
    }
    snprintf(known->name, sizeof known->name, "%s", blade->name);
    snprintf(known->device, sizeof known->device, "%s", blade->device);
    push_warn(p, blade->properties.unity_negative, "blade", known->name, &known->was_warned_of);
    push_drop_device(p, o, before.device, now_ns);
    return 0;
}

static void remove_blade(push *p, push_owner *o, push_blade *blade, int64_t now_ns)
{
    const push_blade gone = *blade;

    *blade = o->blades[--o->blade_count];
    p->blade_count--;
    tell_removed(p, now_ns, gone.name, NULL);
    pipeline_remove_blade(p->settings.pipeline, gone.name);
    push_drop_device(p, o, gone.device, now_ns);
}

static int request_removal(push *p, push_owner *o, const char *name, int64_t now_ns, protocol_error *out_error)
{
    push_blade *blade = push_find_blade(o, name);
    push_target *target = push_find_target(o, name);

    if (blade)
        remove_blade(p, o, blade, now_ns);
    else if (target)
        push_remove_target(p, o, target, now_ns);
    else if (push_pipeline_has_blade(p, name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the blade \"%s\" is not this client's", name);
    else if (app_targets_find(p->settings.targets, name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the target \"%s\" is not this client's", name);
    else
        return FAIL(PROTOCOL_ERROR_UNKNOWN_NAME, "name: there is no blade and no target \"%s\"", name);
    return 0;
}

void push_client_gone(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (!o)
        return;
    push_give_up_one(o);
    while (o->blade_count > 0)
        remove_blade(p, o, &o->blades[o->blade_count - 1], now_ns);
    while (o->target_count > 0)
        push_remove_target(p, o, &o->targets[o->target_count - 1], now_ns);
    for (push_owner **at = &p->owners; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    free(o);
}

int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error)
{
    push_owner *o = find_owner(p, client);

    if (request->type == PROTOCOL_REQUEST_POSES)
        return push_take_poses(p, o, &request->poses, now_ns, out_error);
    if (request->type == PROTOCOL_REQUEST_REMOVE)
        return request_removal(p, o, request->blade.name, now_ns, out_error);
    o = make_owner(p, client, now_ns);
    if (!o)
        return FAIL(PROTOCOL_ERROR_LIMIT, "out of memory");
    if (request->type == PROTOCOL_REQUEST_TARGET)
        return push_define_target(p, o, &request->target, now_ns, out_error);
    return define_blade(p, o, &request->blade, now_ns, out_error);
}

size_t push_list_counters(const push *p, protocol_counter *out_counters, size_t size)
{
    const protocol_counter all[] = {
        {"pushed_blades", p->blade_count},           {"pushed_messages", p->counters.messages},
        {"pushed_poses", p->counters.poses},         {"push_refused_late", p->counters.late},
        {"push_refused_future", p->counters.future}, {"push_refused_limit", p->counters.limited},
        {"push_silent", p->counters.silent},         {"pushed_targets", p->target_count},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}

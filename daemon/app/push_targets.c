/* Targets that clients push. See push.h. */
#include "push_private.h"

static int check_names(const push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    if (!push_find_target(o, target->name) && app_targets_find(p->settings.targets, target->name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the target \"%s\" is not this client's", target->name);
    if (push_pipeline_has_blade(p, target->name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: \"%s\" is the name of a blade", target->name);
    return target->device[0] ? push_check_device(p, o, target->device, out_error) : 0;
}

static int check_limits(push *p, push_owner *o, const char *name, protocol_error *out_error)
{
    int result = 0;

    if (push_find_target(o, name))
        return 0;
    if (o->target_count == PUSH_TARGETS_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "targets: a client may have %d", PUSH_TARGETS_MAX);
    else if (p->target_count == PUSH_ALL_TARGETS_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "targets: all clients together may have %d", PUSH_ALL_TARGETS_MAX);
    p->counters.limited += result != 0;
    return result;
}

/* What it takes is made before anybody is told. */
static int define(push *p, const clash_target_definition *target, int64_t now_ns, protocol_error *out_error)
{
    const event_sink *sinks = p->settings.sinks;
    char reason[400];
    app_target *made = app_target_make(target, reason, sizeof reason);

    if (!made)
        return FAIL(PROTOCOL_ERROR_LIMIT, "%s", reason);
    sinks->target(sinks->context, p->settings.epoch_ns + now_ns, target);
    if (app_targets_put(p->settings.targets, made, reason, sizeof reason) == 0)
        return 0;
    sinks->target_removed(sinks->context, p->settings.epoch_ns + now_ns, target->name);
    return FAIL(PROTOCOL_ERROR_LIMIT, "%s", reason);
}

int push_define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                       protocol_error *out_error)
{
    push_target *known = push_find_target(o, target->name);
    push_target before = known ? *known : (push_target){.name = ""};

    if (check_names(p, o, target, out_error) != 0 || check_limits(p, o, target->name, out_error) != 0)
        return -1;
    if (target->device[0] && push_add_device(p, o, target->device) != 0)
        return FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (define(p, target, now_ns, out_error) != 0) {
        push_drop_device(p, o, target->device, now_ns);
        return -1;
    }
    if (!known) {
        known = &o->targets[o->target_count++];
        *known = (push_target){.name = ""};
        p->target_count++;
    }
    snprintf(known->name, sizeof known->name, "%s", target->name);
    snprintf(known->device, sizeof known->device, "%s", target->device);
    push_warn(p, target->unity_negative, "target", known->name, &known->was_warned_of);
    push_drop_device(p, o, before.device, now_ns);
    return 0;
}

void push_remove_target(push *p, push_owner *o, push_target *target, int64_t now_ns)
{
    const event_sink *sinks = p->settings.sinks;
    const push_target gone = *target;

    *target = o->targets[--o->target_count];
    p->target_count--;
    sinks->target_removed(sinks->context, p->settings.epoch_ns + now_ns, gone.name);
    app_targets_remove(p->settings.targets, gone.name);
    push_drop_device(p, o, gone.device, now_ns);
}

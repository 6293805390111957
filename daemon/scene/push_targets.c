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

/* The sinks have it as it was made, before it can strike. The target is nobody's afterwards but the scene's. */
static int tell_and_put(push *p, app_target *made, int64_t now_ns, protocol_error *out_error)
{
    const event_sink *sinks = p->settings.sinks;
    char reason[400], name[CLASH_TARGET_NAME_MAX];

    memcpy(name, app_target_definition(made)->name, sizeof name);
    sinks->target(sinks->context, p->settings.epoch_ns + now_ns, app_target_definition(made));
    if (app_targets_put(p->settings.targets, made, reason, sizeof reason) == 0)
        return 0;
    sinks->target_removed(sinks->context, p->settings.epoch_ns + now_ns, name);
    return FAIL(PROTOCOL_ERROR_LIMIT, "%s", reason);
}

/* Takes `made`. */
static int put_on_device(push *p, push_owner *o, app_target *made, int64_t now_ns, protocol_error *out_error)
{
    char device[CLASH_TARGET_DEVICE_MAX];

    memcpy(device, app_target_definition(made)->device, sizeof device);
    if (device[0] && push_add_device(p, o, device) != 0) {
        app_target_destroy(made);
        return FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    }
    if (tell_and_put(p, made, now_ns, out_error) == 0)
        return 0;
    push_drop_device(p, o, device, now_ns);
    return -1;
}

static int check(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    return check_names(p, o, target, out_error) != 0 || check_limits(p, o, target->name, out_error) != 0 ? -1 : 0;
}

/* Takes `made`, which it was made of. */
static int define(push *p, push_owner *o, const clash_target_definition *target, app_target *made, int64_t now_ns,
                  protocol_error *out_error)
{
    push_target *known = push_find_target(o, target->name);
    push_target before = known ? *known : (push_target){.name = ""};

    if (put_on_device(p, o, made, now_ns, out_error) != 0)
        return -1;
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

/* ---- those that come later ---- */

/* What is wrong with the points is the client's mistake; that no hull can be looked for is not. */
static int refuse_hull(const char *error, protocol_error *out_error)
{
    const char *points = strstr(error, ": convex: ");

    if (points)
        return FAIL(PROTOCOL_ERROR_BAD_MESSAGE, "mesh.%.400s", points + 2);
    return FAIL(PROTOCOL_ERROR_LIMIT, "%.400s", error);
}

/* Others may have taken the name meanwhile. */
static void on_made(void *context, app_target **targets, const char *error)
{
    push_owner *o = context;
    push *p = o->push;
    const void *client = o->client;
    protocol_error refusal = {.code = PROTOCOL_ERROR_LIMIT}, *out_error = &refusal;
    int result;

    o->load = NULL;
    if (!targets) {
        result = refuse_hull(error, out_error);
    } else if ((result = check(p, o, app_target_definition(targets[0]), out_error)) != 0) {
        app_target_destroy(targets[0]);
    } else {
        const clash_target_definition target = *app_target_definition(targets[0]);

        result = define(p, o, &target, targets[0], p->settings.now_ns(p->settings.context), out_error);
    }
    p->settings.done(p->settings.context, client, result == 0 ? NULL : &refusal);
}

static int define_later(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    const target_load_user user = {.context = o, .done = on_made};

    if (o->load)
        return FAIL(PROTOCOL_ERROR_LIMIT, "targets: one of this client's is being made");
    o->load = target_load_start(p->settings.loader, target, 1, &user);
    return o->load ? PUSH_LATER : FAIL(PROTOCOL_ERROR_LIMIT, "out of memory");
}

int push_define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                       protocol_error *out_error)
{
    app_target *made;
    char reason[400];

    if (check(p, o, target, out_error) != 0)
        return -1;
    if (app_target_is_slow(target) && p->settings.loader)
        return define_later(p, o, target, out_error);
    made = app_target_make(target, reason, sizeof reason);
    return made ? define(p, o, target, made, now_ns, out_error) : FAIL(PROTOCOL_ERROR_LIMIT, "%s", reason);
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

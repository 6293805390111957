/* Targets that clients push. See push.h. */
#include "push_private.h"

static int check(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    return push_check(p, o, target->name, true, target->device, out_error);
}

/* ---- those that come later ---- */

/* Bad points are the client's mistake; that no hull can be computed now is not. */
static int refuse_hull(const char *error, protocol_error *out_error)
{
    const char *points = strstr(error, ": convex: ");

    if (points)
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "mesh.%.400s", points + 2);
    return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "%.400s", error);
}

/* Define the target that was made; another client may have taken its name meanwhile. */
static bool define_made(void *context, const void *subject, int64_t number)
{
    push_owner *o = context;
    push *p = o->push;
    const int64_t time_ns = p->settings.epoch_ns + p->settings.now_ns(p->settings.context);
    const void *client = o->client;
    protocol_error refusal = {.code = PROTOCOL_ERROR_LIMIT};
    scene_target *made = o->made;
    int result = check(p, o, (&made->definition), &refusal);

    (void)subject, (void)number;
    o->made = NULL;
    if (result == 0)
        result = scene_define_target(p->settings.scene, client, time_ns, made, &refusal);
    else
        scene_target_destroy(made);
    p->settings.done(p->settings.context, client, result == 0 ? NULL : &refusal);
    return true;
}

static void on_made(void *context, scene_target **targets, const char *error)
{
    push_owner *o = context;
    push *p = o->push;
    protocol_error refusal = {.code = PROTOCOL_ERROR_LIMIT};

    o->load = NULL;
    if (!targets) {
        refuse_hull(error, &refusal);
        p->settings.done(p->settings.context, o->client, &refusal);
        return;
    }
    o->made = targets[0];
    if (!p->settings.inbox ||
        !inbox_put(p->settings.inbox, &(inbox_task){.run = define_made, .context = o, .subject = o}))
        define_made(o, o, 0);
}

void push_give_up_target(push *p, push_owner *o)
{
    if (o->load)
        target_load_cancel(o->load);
    inbox_forget(p->settings.inbox, define_made, o);
    scene_target_destroy(o->made);
    o->load = NULL;
    o->made = NULL;
}

static int define_later(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    const target_load_user user = {.context = o, .done = on_made};

    if (o->load)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "targets: one of this client's is being made");
    o->load = target_load_start(p->settings.loader, target, 1, &user);
    return o->load ? PUSH_LATER : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
}

int push_define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                       protocol_error *out_error)
{
    scene_target *made;
    failure reason = {0};

    if (check(p, o, target, out_error) != 0)
        return -1;
    if (scene_target_is_slow(target) && p->settings.loader)
        return define_later(p, o, target, out_error);
    made = scene_target_make(target, &reason);
    if (!made)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "%.400s", reason.text);
    return scene_define_target(p->settings.scene, o->client, p->settings.epoch_ns + now_ns, made, out_error);
}

/* What a recording defines besides poses: its clients' blades, and targets, for whose files its poses wait. A client of now that
 * has such a name keeps it. */
#include "daemon_private.h"

#include "scene/assembly.h"
#include "sources/replay/replay.h"

#include <stdio.h>

void daemon_on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    app_daemon *d = context;
    const char *reason;

    if (push_owns(d->push, blade->name) || push_owns(d->push, blade->device)) {
        LOG_WARNING(&d->log, "the recording's blade '%s' is left out: a client has that name", blade->name);
        return;
    }
    d->sinks.blade(d->sinks.context, time_ns, blade);
    reason = app_pipeline_define(d->pipeline, blade);
    if (reason)
        LOG_WARNING(&d->log, "the recording's blade '%s' is left out: %s", blade->name, reason);
}

void daemon_on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    app_daemon *d = context;

    if (push_owns(d->push, blade ? blade : device))
        return;
    d->sinks.removed(d->sinks.context, time_ns, blade, device);
    if (blade) {
        pipeline_remove_blade(d->pipeline, blade);
        return;
    }
    late_targets_forget(d->late, NULL, device);
    pipeline_remove_device(d->pipeline, app_pipeline_find_device(d->pipeline, device));
    app_targets_forget_device(d->targets, device);
}

/* ---- targets ---- */

static void leave_out(app_daemon *d, const char *name, const char *reason)
{
    LOG_WARNING(&d->log, "the recording's target '%s' is left out: %s", name, reason);
}

static bool is_taken(app_daemon *d, const clash_target_definition *target)
{
    if (!push_owns(d->push, target->name) && !(target->device[0] && push_owns(d->push, target->device)))
        return false;
    leave_out(d, target->name, "a client has that name");
    return true;
}

/* A client may have come meanwhile. */
static void on_made(void *context, int64_t time_ns, const char *name, app_target *target, const char *error)
{
    app_daemon *d = context;
    char reason[APP_ERROR_MAX];

    if (!target) {
        leave_out(d, name, error);
        return;
    }
    if (is_taken(d, app_target_definition(target))) {
        app_target_destroy(target);
        return;
    }
    if (app_targets_put(d->targets, target, reason, sizeof reason) != 0)
        leave_out(d, name, reason);
    else
        d->sinks.target(d->sinks.context, time_ns, app_targets_find(d->targets, name));
}

static void on_hold(void *context, bool is_held)
{
    app_daemon *d = context;

    if (d->options->source == APP_SOURCE_REPLAY && d->source)
        replay_source_hold(d->source, is_held);
}

int daemon_open_scene(app_daemon *d, char *out_error)
{
    const late_targets_user user = {.context = d, .hold = on_hold, .made = on_made};

    d->late = late_targets_create(d->loader, &user);
    if (d->late)
        return 0;
    snprintf(out_error, APP_ERROR_MAX, "out of memory");
    return -1;
}

void daemon_on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    app_daemon *d = context;

    if (!is_taken(d, target))
        late_targets_add(d->late, time_ns, target);
}

void daemon_on_target_removed(void *context, int64_t time_ns, const char *target)
{
    app_daemon *d = context;

    if (push_owns(d->push, target))
        return;
    late_targets_forget(d->late, target, NULL);
    d->sinks.target_removed(d->sinks.context, time_ns, target);
    app_targets_remove(d->targets, target);
}

/* No blades at all are no mistake. */
void daemon_say_no_clash(app_daemon *d)
{
    const char *why = app_config_why_no_clash(d->config);

    if (why && d->config->blade_count == 0)
        LOG_INFO(&d->log, "%s", why);
    else if (why)
        LOG_WARNING(&d->log, "%s", why);
}

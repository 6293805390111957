/* What a recording defines besides poses: its clients' blades, and targets. A client of now that has such a name keeps it. */
#include "daemon_private.h"

#include "assembly.h"

void daemon_on_blade(void *context, int64_t time_ns, const pose_blade *blade)
{
    app_daemon *d = context;

    if (push_owns(d->push, blade->name) || push_owns(d->push, blade->device)) {
        LOG_WARNING(&d->log, "the recording's blade '%s' is left out: a client has that name", blade->name);
        return;
    }
    d->sinks.blade(d->sinks.context, time_ns, blade);
    if (app_pipeline_define(d->pipeline, blade) < 0)
        LOG_WARNING(&d->log, "the recording's blade '%s' is left out: there are too many", blade->name);
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
    pipeline_remove_device(d->pipeline, app_pipeline_find_device(d->pipeline, device));
    app_targets_forget_device(d->targets, device);
}

void daemon_on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    char reason[APP_ERROR_MAX];
    app_daemon *d = context;

    if (push_owns(d->push, target->name) || (target->device[0] && push_owns(d->push, target->device))) {
        LOG_WARNING(&d->log, "the recording's target '%s' is left out: a client has that name", target->name);
        return;
    }
    if (app_targets_define(d->targets, target, reason, sizeof reason) != 0)
        LOG_WARNING(&d->log, "the recording's target '%s' is left out: %s", target->name, reason);
    else
        d->sinks.target(d->sinks.context, time_ns, target);
}

void daemon_on_target_removed(void *context, int64_t time_ns, const char *target)
{
    app_daemon *d = context;

    if (push_owns(d->push, target))
        return;
    d->sinks.target_removed(d->sinks.context, time_ns, target);
    app_targets_remove(d->targets, target);
}

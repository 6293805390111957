/* What a recording defines besides poses: its clients' blades, and targets, for whose files its poses wait. Who has such a name
 * already, a client or the configuration, keeps it. */
#include "daemon_private.h"

#include "sources/replay/replay.h"

#include <stdio.h>

static void leave_out(app_daemon *d, const char *kind, const char *name, const char *reason)
{
    LOG_WARNING(&d->log, "the recording's %s '%s' is left out: %s", kind, name, reason);
}

void daemon_on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    app_daemon *d = context;
    protocol_error error;

    if (scene_define_blade(&d->scene, scene_recording, time_ns, blade, &error) != 0)
        leave_out(d, "blade", blade->name, error.message);
}

/* What is not the recording's stays. */
void daemon_on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    app_daemon *d = context;
    protocol_error ignored;

    if (blade) {
        scene_remove(&d->scene, scene_recording, time_ns, blade, &ignored);
        return;
    }
    late_targets_forget(d->late, NULL, device);
    scene_remove_device(&d->scene, scene_recording, time_ns, device);
}

/* ---- targets ---- */

/* Somebody else may have come meanwhile. */
static void on_made(void *context, int64_t time_ns, const char *name, app_target *target, const char *reason)
{
    app_daemon *d = context;
    protocol_error error;

    if (!target)
        leave_out(d, "target", name, reason);
    else if (scene_define_target(&d->scene, scene_recording, time_ns, target, &error) != 0)
        leave_out(d, "target", name, error.message);
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
    protocol_error error;

    if (scene_check(&d->scene, scene_recording, target->name, true, target->device, &error) == 0)
        late_targets_add(d->late, time_ns, target);
    else
        leave_out(d, "target", target->name, error.message);
}

void daemon_on_target_removed(void *context, int64_t time_ns, const char *target)
{
    app_daemon *d = context;
    protocol_error ignored;

    late_targets_forget(d->late, target, NULL);
    scene_remove(&d->scene, scene_recording, time_ns, target, &ignored);
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

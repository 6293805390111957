/* What the daemon waits for before it serves anybody: the targets of its settings, with their files. So `hello` has all of them,
 * no contact with one is missed, and where one cannot be had, clashd has not begun. Signals are heard meanwhile. See
 * daemon_private.h. */
#include "daemon_private.h"

#include <stdio.h>
#include <string.h>

static void refuse(app_daemon *d, const char *name, const char *reason)
{
    snprintf(d->load_error, sizeof d->load_error, "target '%s': %.*s", name, APP_ERROR_MAX - 128, reason);
}

static void on_loaded(void *context, app_target **targets, const char *error)
{
    app_daemon *d = context;
    char reason[APP_ERROR_MAX - 128];

    d->load = NULL;
    uv_stop(&d->loop);
    if (error)
        snprintf(d->load_error, sizeof d->load_error, "%s", error);
    for (size_t i = 0; !error && i < d->config->target_count; i++) {
        app_target_set_owner(targets[i], scene_settings);
        if (d->load_error[0])
            app_target_destroy(targets[i]);
        else if (app_targets_put(d->targets, targets[i], reason, sizeof reason) != 0)
            refuse(d, d->config->targets[i].name, reason);
    }
}

/* The manager's patience is extended by as long as they may take. */
static void say_what_is_read(app_daemon *d)
{
    size_t count = 0;
    char what[64];

    for (size_t i = 0; i < d->config->target_count; i++)
        count += d->config->targets[i].file[0] != '\0';
    if (count == 0)
        return;
    snprintf(what, sizeof what, "reading %zu file%s of targets", count, count == 1 ? "" : "s");
    LOG_INFO(&d->log, "%s", what);
    service_starting(&d->service, what, surface_loader_seconds(d->loader, count));
}

static int wait_for_targets(app_daemon *d, char *out_error)
{
    const target_load_user user = {.context = d, .done = on_loaded};

    say_what_is_read(d);
    d->load = target_load_start(d->loader, d->config->targets, d->config->target_count, &user);
    if (!d->load) {
        snprintf(out_error, APP_ERROR_MAX, "out of memory");
        return -1;
    }
    uv_run(&d->loop, UV_RUN_DEFAULT); /* until they are there, or a signal says that it is enough */
    snprintf(out_error, APP_ERROR_MAX, "%s", d->load_error);
    if (d->load)
        target_load_cancel(d->load);
    return d->load || d->load_error[0] ? -1 : 0;
}

int daemon_load_targets(app_daemon *d, char *out_error)
{
    static const clash_feed_source own[] = {[APP_SOURCE_DEFAULT] = CLASH_SOURCE_OPENXR,
                                            [APP_SOURCE_OPENXR] = CLASH_SOURCE_OPENXR,
                                            [APP_SOURCE_REPLAY] = CLASH_SOURCE_REPLAY,
                                            [APP_SOURCE_NONE] = CLASH_SOURCE_NONE};

    d->targets = app_targets_create(d->pipeline);
    d->loader = surface_loader_create(&d->loop);
    if (d->targets && d->loader && scene_init(&d->scene, d->pipeline, d->targets, &d->sinks, d->log) == 0) {
        d->scene.own = own[d->options->source];
        return d->config->target_count > 0 ? wait_for_targets(d, out_error) : 0;
    }
    snprintf(out_error, APP_ERROR_MAX, "out of memory");
    return -1;
}

/* What the daemon waits for before it serves anybody: its settings' targets with their files. So `hello` has all of
 * them, no contact with one is missed, and if one cannot be loaded, clashd does not start. Signals still work
 * meanwhile. See daemon_private.h. */
#include "daemon_private.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

static void refuse(app_daemon *d, const char *name, const char *reason)
{
    snprintf(d->load_error, sizeof d->load_error, "target '%s': %.*s", name, CONFIG_ERROR_MAX - 128, reason);
}

static void on_loaded(void *context, scene_target **targets, const char *error)
{
    app_daemon *d = context;
    protocol_error refusal;

    d->load = NULL;
    uv_stop(&d->loop);
    if (error)
        snprintf(d->load_error, sizeof d->load_error, "%s", error);
    for (size_t i = 0; !error && i < d->config->target_count; i++) {
        if (d->load_error[0])
            scene_target_destroy(targets[i]);
        else if (scene_define_target(&d->scene, scene_settings, 0, targets[i], &refusal) != 0)
            refuse(d, d->config->targets[i].name, refusal.message);
    }
}

/* Ask the service manager to wait as long as this may take. */
static void notify_starting(app_daemon *d)
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

static int wait_for_targets(app_daemon *d, failure *out_failure)
{
    const target_load_user user = {.context = d, .done = on_loaded};

    notify_starting(d);
    d->load = target_load_start(d->loader, d->config->targets, d->config->target_count, &user);
    if (!d->load) {
        return fail_int(out_failure, "out of memory");
    }
    uv_run(&d->loop, UV_RUN_DEFAULT); /* until they are loaded, or a signal ends it */
    fail_with(out_failure, "%s", d->load_error);
    if (d->load)
        target_load_cancel(d->load);
    return d->load || d->load_error[0] ? -1 : 0;
}

int daemon_load_scene(app_daemon *d, failure *out_failure)
{
    const pipeline_settings settings = config_pipeline_settings(d->config);

    d->loader = surface_loader_create(&d->loop);
    if (!d->loader || scene_open(&d->scene, &settings, &d->sinks, d->log) != 0 ||
        scene_open_pending(&d->scene, d->loader, daemon_hold_replay) != 0)
        return fail_int(out_failure, "out of memory");
    d->scene.on_feed_end = daemon_on_feed_end;
    d->scene.feed_end_context = d;
    d->pipeline = d->scene.pipeline;
    d->scene.own = config_sources[d->options->source].is;
    if (scene_define_blades_of(&d->scene, d->config, out_failure) != 0)
        return fail_int(out_failure, "out of memory");
    scene_set_default_blades(&d->scene, config_has_default_blades(d->config), 0);
    return d->config->target_count > 0 ? wait_for_targets(d, out_failure) : 0;
}

static void warn(void *context, const char *line)
{
    LOG_WARNING(&((app_daemon *)context)->log, "%s", line);
}

/* Having no blades at all is no mistake, and those of other players may come. */
void daemon_warn_no_clash(app_daemon *d)
{
    const char *why = d->config->mqtt.peers ? NULL : config_why_no_clash(d->config);

    if (why && d->config->blade_count == 0)
        LOG_INFO(&d->log, "%s", why);
    else if (why)
        LOG_WARNING(&d->log, "%s", why);
    config_check_shapes(d->config, warn, d);
}

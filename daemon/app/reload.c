/* The daemon's reload. Read the settings again on another thread, and what their targets need by helper programs, while
 * everything goes on; then apply all changes or none. Try them on a pipeline of their own first, so that nothing can
 * fail half way. Sinks hear of changed blades and targets as of clients', so they are in a recording; other contact
 * settings are in the header of the next file. See daemon_private.h. */
#include "daemon_private.h"

#include "config/fields.h"
#include "config/settings.h"
#include "mesh/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what has changed ---- */

static const clash_blade_definition *find_blade(const config_values *config, const char *name)
{
    for (size_t i = 0; i < config->blade_count; i++)
        if (strcmp(config->blades[i].name, name) == 0)
            return &config->blades[i];
    return NULL;
}

static const clash_target_definition *find_target(const config_values *config, const char *name)
{
    for (size_t i = 0; i < config->target_count; i++)
        if (strcmp(config->targets[i].name, name) == 0)
            return &config->targets[i];
    return NULL;
}

/* Compare bits, padding included: defining the same thing again does no harm. Of a file compare its content: `made` has
 * the present digest, the daemon's own target the last one. */
static bool is_same_target(const app_daemon *d, const clash_target_definition *b, const scene *made)
{
    const clash_target_definition *a = find_target(d->config, b->name);
    const clash_target_definition *before = scene_find_target(&d->scene, b->name);
    const clash_target_definition *after = scene_find_target(made, b->name);

    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): see above */
    return a && before && after && memcmp(a, b, sizeof *a) == 0 && strcmp(before->digest, after->digest) == 0;
}

/* ---- whether it can apply ---- */

static int check_fixed(const app_daemon *d, const config_values *next, failure *out_failure)
{
    char key[64];

    if (config_find_fixed_change(d->config, next, key, sizeof key))
        return fail_int(out_failure, "%s: cannot change while clashd runs: start it anew", key);
    if (d->recorder && d->options->record_path && config_find_change(d->config, next, "contact", key, sizeof key))
        return fail_int(
            out_failure,
            "%s: cannot change within the one file of --record: start clashd anew, or give record.directory", key);
    return 0;
}

/* What the recording's header defined gives way to the settings. */
static int check_name(const app_daemon *d, const char *kind, const char *name, const char *device, bool gives_way,
                      failure *out_failure)
{
    const bool is_blade = pipeline_find_blade(d->pipeline, name) != NULL;
    const void *owner = scene_owner_of(&d->scene, name);

    if (is_blade && kind[0] == 'b' && owner != scene_settings && owner != scene_recording)
        owner = NULL; /* a client's blade, which goes before it */
    if (owner && owner != scene_settings && !(owner == scene_recording && gives_way) &&
        !scene_is_displaced(&d->scene, name))
        return fail_int(out_failure, "%s.%s: %s has that name", kind, name, scene_owner_text(owner));
    if (scene_is_clients_device(&d->scene, device))
        return fail_int(out_failure, "%s.%s: a client has its device, %s", kind, name, device);
    return 0;
}

static int check_names(const app_daemon *d, const config_values *next, failure *out_failure)
{
    for (size_t i = 0; i < next->blade_count; i++) {
        const clash_blade_definition *blade = &next->blades[i];
        const bool gives_way =
            next->blades_of_recording || (d->config->blades_of_recording && find_blade(d->config, blade->name));

        if (check_name(d, "blades", blade->name, blade->device, gives_way, out_failure) != 0)
            return -1;
    }
    for (size_t i = 0; i < next->target_count; i++)
        if (check_name(d, "targets", next->targets[i].name, next->targets[i].device, false, out_failure) != 0)
            return -1;
    return 0;
}

/* ---- applying it ---- */

static int64_t now_ns(const app_daemon *d)
{
    return d->session.epoch_monotonic_ns + session_time_ns(&d->session);
}

static bool is_there(const app_daemon *d, const clash_blade_definition *blade, const void *owner)
{
    const clash_blade_definition *before = find_blade(d->config, blade->name);

    return before && clash_blade_is_same(before, blade) &&
           (scene_owner_of(&d->scene, blade->name) == owner || scene_is_displaced(&d->scene, blade->name));
}

static void remove_gone(app_daemon *d, const config_values *next)
{
    const void *owner = scene_owner_of_blades(d->config);
    const bool is_another = owner != scene_owner_of_blades(next);
    protocol_error ignored;

    for (size_t i = 0; i < d->config->blade_count; i++)
        if (is_another || !find_blade(next, d->config->blades[i].name))
            scene_remove(&d->scene, owner, now_ns(d), d->config->blades[i].name, &ignored);
    for (size_t i = 0; i < d->config->target_count; i++)
        if (!find_target(next, d->config->targets[i].name))
            scene_remove(&d->scene, scene_settings, now_ns(d), d->config->targets[i].name, &ignored);
}

static bool define_blade(app_daemon *d, const void *owner, const clash_blade_definition *from)
{
    const clash_blade blade = clash_blade_of(from);
    protocol_error refusal;

    return scene_define_blade(&d->scene, owner, now_ns(d), &blade, &refusal) == 0;
}

/* The header's blades are the recording's, which still says which of them exist. */
static bool define_blades(app_daemon *d, const config_values *next)
{
    const void *owner = scene_owner_of_blades(next);
    bool is_whole = true;

    for (size_t i = 0; i < next->blade_count; i++)
        if (owner == scene_settings
                ? !is_there(d, &next->blades[i], owner)
                : !d->config->blades_of_recording && !scene_owner_of(&d->scene, next->blades[i].name))
            is_whole &= define_blade(d, owner, &next->blades[i]);
    return is_whole;
}

/* Apply only what `made` showed to be possible; only memory can be lacking. */
static void apply(app_daemon *d, const config_values *next, scene *made)
{
    const pipeline_settings settings = config_pipeline_settings(next);
    bool is_whole = true;
    char key[64];

    remove_gone(d, next);
    scene_set_default_blades(&d->scene, config_has_default_blades(next), now_ns(d));
    is_whole &= define_blades(d, next);
    for (size_t i = 0; i < next->target_count; i++)
        if (!is_same_target(d, &next->targets[i], made)) {
            scene_target *target = scene_take_target(made, next->targets[i].name);
            protocol_error refusal;

            is_whole &= scene_define_target(&d->scene, scene_settings, now_ns(d), target, &refusal) == 0;
        }
    if (config_find_change(d->config, next, "contact", key, sizeof key))
        pipeline_change_settings(d->pipeline, &settings);
    if (!is_whole)
        LOG_ERROR(&d->log, "out of memory; blades or targets of the settings are missing");
    *d->config = *next;
    log_output_set_level(d->output, next->log_level);
    if (d->haptics.output.pulse)
        daemon_name_haptics(d);
}

static void ignore_event(void *context, const clash_event *event)
{
    (void)context;
    (void)event;
}

/* Take all targets. Return 0, or -1 and which one is refused. */
static int try_targets(scene *made, const config_values *next, scene_target **targets, failure *out_failure)
{
    protocol_error refusal;
    int result = 0;

    for (size_t i = 0; i < next->target_count; i++) {
        if (result != 0)
            scene_target_destroy(targets[i]);
        else if (scene_define_target(made, scene_settings, 0, targets[i], &refusal) != 0)
            result = fail_int(out_failure, "target '%s': %s", next->targets[i].name, refusal.message);
    }
    return result;
}

static void destroy_targets(scene_target **targets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scene_target_destroy(targets[i]);
}

/* Take all targets. Return 0 if everything applies now, else -1, and nothing has changed. */
static int try_and_apply(app_daemon *d, const config_values *next, scene_target **targets, failure *out_failure)
{
    const pipeline_settings settings = config_pipeline_settings(next);
    const event_sink nobody = {.event = ignore_event};
    scene made = {0};
    bool can = false;

    if (scene_open(&made, &settings, &nobody, (logger){0}) == 0 &&
        scene_define_blades_of(&made, next, out_failure) == 0)
        can = try_targets(&made, next, targets, out_failure) == 0 && check_fixed(d, next, out_failure) == 0 &&
              check_names(d, next, out_failure) == 0 && daemon_change_outlets(d, next, out_failure) == 0;
    else
        destroy_targets(targets, next->target_count);
    if (!can)
        fail_with(out_failure, "out of memory"); /* unless a more exact reason is noted */
    if (can && d->source->look_ahead && d->config->openxr.lookahead_ms != next->openxr.lookahead_ms)
        d->source->look_ahead(d->source, llround(next->openxr.lookahead_ms * 1e6));
    if (can && d->source->offset)
        d->source->offset(d->source, &next->openxr.offsets);
    if (can)
        apply(d, next, &made);
    scene_close(&made);
    return can ? 0 : -1;
}

/* ---- one reload ---- */

/** Outlives an abandoned reload as long as the other thread uses it. */
typedef struct app_reload {
    app_daemon *daemon;
    worker *reading;        /* of the settings; NULL: done */
    target_load *load;      /* of their targets; NULL: none, or done */
    scene_target **targets; /* made, until they are applied; NULL: none */
    const char *cause;      /* for the log */
    config_options options;
    config_settings next;
    int result;
    failure failure;
} app_reload;

static void refuse(app_daemon *d, const char *cause, const char *why)
{
    protocol_error error;

    protocol_refuse(&error, PROTOCOL_ERROR_CANNOT_RELOAD, "%.500s", why);
    d->reloads_refused++;
    LOG_ERROR(&d->log, "%s: the settings are refused, and all stays as it was: %s", cause, why);
    service_ready(&d->service); /* the old settings stay in force */
    server_reloaded(d->server, &error);
}

static void end(app_reload *reload, bool applies)
{
    app_daemon *d = reload->daemon;

    d->reload = NULL;
    if (applies) {
        d->reloads++;
        snprintf(d->settings->config_path, sizeof d->settings->config_path, "%s", reload->next.config_path);
        LOG_INFO(&d->log, "%s: the settings apply: %zu blades, %zu targets", reload->cause,
                 scene_count(&d->scene, scene_settings, false), scene_count(&d->scene, scene_settings, true));
        daemon_warn_no_clash(d);
        if (d->recorder)
            recorder_reopen(d->recorder); /* the next file's header has these settings */
        service_ready(&d->service);
        server_reloaded(d->server, NULL);
    } else {
        refuse(d, reload->cause, reload->failure.text);
    }
    free(reload);
}

static bool apply_loaded(void *context, const void *subject, int64_t number)
{
    app_reload *reload = context;
    scene_target **targets = reload->targets;
    bool applies;

    (void)subject, (void)number;
    reload->targets = NULL;
    applies = try_and_apply(reload->daemon, &reload->next.config, targets, &reload->failure) == 0;
    free((void *)targets);
    end(reload, applies);
    return true;
}

/* A step has one set of settings and goes into one recording: the inbox applies them between two. */
static void on_loaded(void *context, scene_target **targets, const char *error)
{
    app_reload *reload = context;
    const size_t count = reload->next.config.target_count;

    reload->load = NULL;
    if (error)
        fail_with(&reload->failure, "%s", error);
    else if ((reload->targets = (scene_target **)calloc(count + 1, sizeof(scene_target *))))
        memcpy((void *)reload->targets, (const void *)targets, count * sizeof(scene_target *));
    else
        destroy_targets(targets, count);
    if (reload->targets &&
        inbox_put(reload->daemon->inbox, &(inbox_task){.run = apply_loaded, .context = reload, .subject = reload}))
        return;
    if (reload->targets) {
        destroy_targets(reload->targets, count);
        free((void *)reload->targets);
    }
    fail_with(&reload->failure, "out of memory");
    end(reload, false);
}

static void read_settings(void *context)
{
    app_reload *reload = context;

    reload->result = config_settings_load(&reload->next, &reload->options, &reload->failure);
    if (reload->result == 0)
        reload->result = outlets_check(&reload->next.config, &reload->failure);
}

static void on_settings(void *context)
{
    app_reload *reload = context;
    const config_values *next = &reload->next.config;
    const target_load_user user = {.context = reload, .done = on_loaded};

    reload->reading = NULL;
    if (reload->result == 0)
        reload->load = target_load_start(reload->daemon->loader, next->targets, next->target_count, &user);
    if (!reload->load) {
        fail_with(&reload->failure, "out of memory");
        end(reload, false);
    }
}

void daemon_reload(app_daemon *d, const char *cause)
{
    app_reload *reload = calloc(1, sizeof *reload);
    const worker_job work = {.context = reload, .work = read_settings, .done = on_settings, .drop = free};

    if (d->ending) { /* what settings are for is closed already */
        free(reload);
        return;
    }
    if (d->reload)
        LOG_INFO(&d->log, "%s: again, before the settings of the last one could apply: they are read anew", cause);
    daemon_cancel_reload(d);
    if (reload) {
        reload->daemon = d;
        reload->cause = cause;
        reload->options = *d->options;
        reload->reading = worker_start(&d->loop, &work);
    }
    if (reload && reload->reading) {
        d->reload = reload;
        return;
    }
    free(reload);
    refuse(d, cause, "out of memory");
}

int daemon_reload_for(app_daemon *d, protocol_error *out_error)
{
    service_reloading(&d->service);
    daemon_reload(d, "reload");
    return d->reload ? 0 : protocol_refuse(out_error, PROTOCOL_ERROR_CANNOT_RELOAD, "out of memory");
}

void daemon_cancel_reload(app_daemon *d)
{
    app_reload *reload = d->reload;

    d->reload = NULL;
    if (reload && reload->reading) {
        worker_abandon(reload->reading); /* the worker frees it */
        return;
    }
    if (!reload)
        return;
    if (reload->load)
        target_load_cancel(reload->load);
    inbox_forget(d->inbox, apply_loaded, reload);
    if (reload->targets)
        destroy_targets(reload->targets, reload->next.config.target_count);
    free((void *)reload->targets);
    free(reload);
}

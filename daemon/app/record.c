/* The daemon's recording: open the recorder as the settings say, and control it as clients and SIGHUP ask. See
 * daemon_private.h. */
#include "daemon_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static void on_changed(void *context, const protocol_recorder *now)
{
    app_daemon *d = context;

    if (now->state[0] == 'w' && strcmp(now->file, d->recorded_to) != 0)
        LOG_INFO(&d->log, "recording to %s", now->file);
    if (now->state[0] == 'w')
        snprintf(d->recorded_to, sizeof d->recorded_to, "%s", now->file);
    if (d->server)
        server_notify_recorder(d->server, now);
}

int daemon_open_recorder(app_daemon *d, failure *out_failure)
{
    const config_record *record = &d->config->record;
    const char *path = d->options->record_path;
    const recorder_settings settings = {
        .loop = &d->loop,
        .path = path,
        .overwrites = d->options->overwrites,
        .directory = path ? NULL : record->directory,
        .compress = record->compress,
        .rotate_bytes = (uint64_t)record->rotate_bytes,
        .keep = record->keep,
        .settings = &d->config->contact,
        .epoch_ns = d->session.epoch_monotonic_ns,
        .names = daemon_names(d),
        .log = d->log,
        .context = d,
        .session = daemon_describe_session,
        .changed = on_changed,
    };

    if (!path && !record->directory[0])
        return 0;
    if (path && d->options->source == CONFIG_SOURCE_REPLAY && is_same_file(path, d->options->source_argument)) {
        return fail_int(out_failure, "--record %s: would overwrite the recording that is replayed", path);
    }
    d->recorder = recorder_open(&settings, out_failure);
    if (!d->recorder)
        return -1;
    LOG_INFO(&d->log, "recording to %s, from the first pose on", path ? path : record->directory);
    return 0;
}

void daemon_take_equipment(void *context, const pose_equipment *equipment)
{
    app_daemon *d = context;

    snprintf(d->runtime, sizeof d->runtime, "%s", equipment->runtime);
    d->controller_count = equipment->controller_count;
    for (size_t i = 0; i < equipment->controller_count; i++) {
        char(*names)[PROTOCOL_NAME_MAX] = d->controller_names[i];

        snprintf(names[0], sizeof names[0], "%s", equipment->controllers[i].device);
        snprintf(names[1], sizeof names[1], "%s", equipment->controllers[i].profile);
        d->controllers[i] = (protocol_controller){names[0], names[1]};
    }
    if (d->recorder)
        recorder_notify_equipment(d->recorder);
}

static int carry_out(recorder *r, const protocol_record *what, failure *out_failure)
{
    switch (what->action) {
    case PROTOCOL_RECORD_START:
        return recorder_start(r, out_failure);
    case PROTOCOL_RECORD_STOP:
        return recorder_stop(r, out_failure);
    case PROTOCOL_RECORD_ROTATE:
        return recorder_rotate(r, out_failure);
    case PROTOCOL_RECORD_MARK:
        return recorder_mark(r, what->text, out_failure);
    }
    return -1;
}

int daemon_record(app_daemon *d, const protocol_record *what, const char **out_file, protocol_error *out_error)
{
    failure why = {0};

    if (!d->recorder)
        return protocol_refuse(out_error, PROTOCOL_ERROR_CANNOT_RECORD,
                               "nothing can be recorded: give record.directory in the settings, or --record FILE");
    if (carry_out(d->recorder, what, &why) < 0)
        return protocol_refuse(out_error, PROTOCOL_ERROR_CANNOT_RECORD, "%s", why.text);
    *out_file = recorder_file(d->recorder);
    return 0;
}

/* If the terminal on which clashd was started is gone, SIGHUP ends it as usual. Before clashd listens, SIGHUP is only
 * noted, and carried out when it does. */
bool daemon_hangup(void *context)
{
    app_daemon *d = context;

    if (d->had_terminal && !signals_have_terminal())
        return false;
    if (!d->server) {
        d->hung_up = true;
        return true;
    }
    service_reloading(&d->service);
    daemon_reload(d, "SIGHUP");
    return true;
}

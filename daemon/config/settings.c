/* The settings of one run of clashd; see settings.h. */
#include "settings.h"

#include "fields.h"
#include "fill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int load_file(app_settings *settings, const app_options *options, failure *out_failure)
{
    const char *path = options->config_path;
    char found[APP_PATH_MAX];
    app_config_result result;

    if (!path && app_config_default_path(found, sizeof found) == 0)
        path = found;
    if (!path)
        return 0;
    result = app_config_load(&settings->config, path, out_failure);
    if (result == APP_CONFIG_ABSENT && !options->config_path) {
        *out_failure = (failure){0};
        return 0;
    }
    if (result != APP_CONFIG_OK)
        return -1;
    snprintf(settings->config_path, sizeof settings->config_path, "%s", path);
    return 0;
}

/* Load the blades and settings under which a recording was made, so that its replay finds the same. */
static int load_header(app_settings *settings, const app_options *options, failure *out_failure)
{
    const recording_header *header;
    app_config_result result;
    recording *r = recording_open_file(options->source_argument, NULL, NULL, out_failure);

    if (!r)
        return -1;
    header = recording_get_header(r);
    result = app_config_apply_header(&settings->config, options->source_argument, header, out_failure);
    snprintf(settings->space, sizeof settings->space, "%s", header->space);
    recording_close(r);
    return result == APP_CONFIG_OK ? 0 : -1;
}

static void take_flag(app_config *config, const char *key, char *member, size_t size, const char *flag)
{
    if (!flag)
        return;
    snprintf(member, size, "%s", flag);
    config_note_source(config, key, APP_FROM_FLAG);
}

static int apply_options(app_settings *settings, app_options *options, failure *out_failure)
{
    app_config *config = &settings->config;

    if (options->source == APP_SOURCE_DEFAULT)
        options->source = config->openxr.enabled ? APP_SOURCE_OPENXR : APP_SOURCE_NONE;
    if (options->rate_hz > 0.0) {
        config->openxr.rate_hz = options->rate_hz;
        config->openxr.rate_is_auto = false;
        config_note_source(config, "openxr.rate_hz", APP_FROM_FLAG);
    }
    if (options->level.is_given) {
        config->log_level = options->level.is;
        config_note_source(config, "log.level", APP_FROM_FLAG);
    }
    if (options->source != APP_SOURCE_REPLAY)
        snprintf(settings->space, sizeof settings->space, "%s", config->openxr.space);
    if (options->socket_path && strlen(options->socket_path) >= sizeof config->socket.path)
        return fail_int(out_failure, "--socket: the path is too long");
    take_flag(config, "socket.path", config->socket.path, sizeof config->socket.path, options->socket_path);
    take_flag(config, "socket.tcp", config->socket.tcp, sizeof config->socket.tcp, options->tcp);
    take_flag(config, "socket.websocket", config->socket.websocket, sizeof config->socket.websocket,
              options->websocket);
    if (config_check_socket(config, "these flags and settings together", out_failure) < 0)
        return -1;
    return config_check_mqtt_together(config, "these flags and settings together", out_failure);
}

int app_settings_load(app_settings *settings, app_options *options, failure *out_failure)
{
    *settings = (app_settings){0};
    app_config_defaults(&settings->config);
    if (options->source == APP_SOURCE_REPLAY && load_header(settings, options, out_failure) < 0)
        return -1;
    if (load_file(settings, options, out_failure) < 0)
        return -1;
    for (size_t i = 0; i < options->sets.count; i++)
        if (app_config_set(&settings->config, options->sets.texts[i], out_failure) != APP_CONFIG_OK)
            return -1;
    return apply_options(settings, options, out_failure);
}

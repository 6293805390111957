/* The settings of one run of clashd; see settings.h. */
#include "settings.h"

#include "fields.h"
#include "fill.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOGETHER "these flags and settings together"

static int load_file(config_settings *settings, const config_options *options, failure *out_failure)
{
    const char *path = options->config_path;
    char found[CONFIG_PATH_MAX];
    config_result result;

    if (!path && config_default_path(found, sizeof found) == 0)
        path = found;
    if (!path)
        return 0;
    result = config_load(&settings->config, path, out_failure);
    if (result == CONFIG_ABSENT && !options->config_path) {
        *out_failure = (failure){0};
        return 0;
    }
    if (result != CONFIG_OK)
        return -1;
    snprintf(settings->config_path, sizeof settings->config_path, "%s", path);
    return 0;
}

/* Load the blades and settings under which a recording was made, so that its replay finds the same. */
static int load_header(config_settings *settings, const config_options *options, failure *out_failure)
{
    const recording_header *header;
    config_result result;
    recording *r = recording_open_file(options->source_argument, NULL, NULL, out_failure);

    if (!r)
        return -1;
    header = recording_get_header(r);
    result = config_apply_header(&settings->config, options->source_argument, header, out_failure);
    snprintf(settings->space, sizeof settings->space, "%s", header->space);
    recording_close(r);
    return result == CONFIG_OK ? 0 : -1;
}

static void take_flag(config_values *config, const char *key, char *member, size_t size, const char *flag)
{
    if (!flag)
        return;
    snprintf(member, size, "%s", flag);
    config_note_source(config, key, CONFIG_FROM_FLAG);
}

static int apply_options(config_settings *settings, config_options *options, failure *out_failure)
{
    config_values *config = &settings->config;

    if (options->source == CONFIG_SOURCE_DEFAULT)
        options->source = config->openxr.enabled ? CONFIG_SOURCE_OPENXR : CONFIG_SOURCE_NONE;
    if (options->rate_hz > 0.0) {
        config->openxr.rate_hz = options->rate_hz;
        config->openxr.rate_is_auto = false;
        config_note_source(config, "openxr.rate_hz", CONFIG_FROM_FLAG);
    }
    if (options->level.is_given) {
        config->log_level = options->level.is;
        config_note_source(config, "log.level", CONFIG_FROM_FLAG);
    }
    if (options->source != CONFIG_SOURCE_REPLAY)
        snprintf(settings->space, sizeof settings->space, "%s", config->openxr.space);
    if (options->socket_path && strlen(options->socket_path) >= sizeof config->socket.path)
        return fail_int(out_failure, "--socket: the path is too long");
    take_flag(config, "socket.path", config->socket.path, sizeof config->socket.path, options->socket_path);
    take_flag(config, "socket.tcp", config->socket.tcp, sizeof config->socket.tcp, options->tcp);
    take_flag(config, "socket.websocket", config->socket.websocket, sizeof config->socket.websocket,
              options->websocket);
    if (config_check_socket(config, TOGETHER, out_failure) < 0)
        return -1;
    return config_check_mqtt_together(config, TOGETHER, out_failure);
}

void config_settings_place(const config_settings *settings, failure *f)
{
    char *text = settings->config_path[0] ? config_text_read(settings->config_path) : NULL;
    failure placed = {0};

    if (text && config_text_place(settings->config_path, text, f->text, &placed))
        *f = placed;
    free(text);
}

/* Put the file's line and column before an error of all layers together, if it is about a key of the file. */
static void place_together(const config_settings *settings, failure *f)
{
    failure shorter = {0};

    if (strncmp(f->text, TOGETHER ": ", sizeof TOGETHER ": " - 1) != 0)
        return;
    fail_with(&shorter, "%s", f->text + sizeof TOGETHER ": " - 1);
    config_settings_place(settings, &shorter);
    if (strncmp(shorter.text, settings->config_path, strlen(settings->config_path)) == 0 && settings->config_path[0])
        *f = shorter;
}

int config_settings_load(config_settings *settings, config_options *options, failure *out_failure)
{
    *settings = (config_settings){0};
    config_defaults(&settings->config);
    if (options->source == CONFIG_SOURCE_REPLAY && load_header(settings, options, out_failure) < 0)
        return -1;
    if (load_file(settings, options, out_failure) < 0)
        return -1;
    for (size_t i = 0; i < options->sets.count; i++)
        if (config_set(&settings->config, options->sets.texts[i], out_failure) != CONFIG_OK)
            return -1;
    if (apply_options(settings, options, out_failure) == 0)
        return 0;
    place_together(settings, out_failure);
    return -1;
}

/* What one run of clashd goes by: the defaults, under a replayed recording's header, under the settings file, under the
 * flags. */
#ifndef CLASHD_CONFIG_SETTINGS_H
#define CLASHD_CONFIG_SETTINGS_H

#include "config.h"
#include "options.h"

typedef struct app_settings {
    app_config config;
    char config_path[APP_PATH_MAX]; /* the file that was read; "" for none */
    char space[sizeof((recording_header *)0)->space];
} app_settings;

/** Also turns options->source from its default into what the settings say. Blocking. 0, or -1 with the whole message (no
 *  newline) in out_error, APP_ERROR_MAX bytes. */
int app_settings_load(app_settings *settings, app_options *options, char *out_error);

#endif

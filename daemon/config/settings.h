/* The settings of one run of clashd, layer over layer: the defaults, a replayed recording's header, the settings file,
 * the flags. */
#ifndef CLASHD_CONFIG_SETTINGS_H
#define CLASHD_CONFIG_SETTINGS_H

#include "cli/failure.h"
#include "config.h"
#include "options.h"

typedef struct config_settings {
    config_values config;
    char config_path[CONFIG_PATH_MAX]; /* the file that was read, or "" */
    char space[sizeof((recording_header *)0)->space];
} config_settings;

/** Load the settings. Also resolves options->source from its default. Blocking. Return 0, or -1 with the whole message
 *  (no newline) in out_failure. */
int config_settings_load(config_settings *settings, config_options *options, failure *out_failure);
/** If a message begins with a key that the settings file has, put the file, line and column before it. */
void config_settings_place(const config_settings *settings, failure *f);

#endif

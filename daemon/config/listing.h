/* All settings in force with where each came from, as `config` says them. */
#ifndef CLASHD_CONFIG_LISTING_H
#define CLASHD_CONFIG_LISTING_H

#include "config.h"
#include "options.h"
#include "protocol/messages/encode_config.h"

#define CONFIG_LISTING_MAX (APP_SETTINGS_MAX + 2)

/** Points into itself and into the config it was made from: not to be copied. */
typedef struct config_listing {
    size_t count;
    protocol_setting settings[CONFIG_LISTING_MAX];
    char keys[CONFIG_LISTING_MAX][48];
    size_t name_count;
    const char *names[4 * APP_NAMES_MAX + APP_BLADES_MAX + APP_TARGETS_MAX];
} config_listing;

/** Blades and targets first, then every other setting in the order of the schema. */
void config_list(const app_config *config, config_listing *out_listing);
/** What is in force in the place of the setting of that key, which there has to be: `text`, or null if it is NULL. */
void config_listing_put(config_listing *listing, const char *key, const char *text, app_setting_source source);
/** What flags that are no settings put in their place: --source, --record. */
void config_listing_put_options(config_listing *listing, const app_options *options);

#endif

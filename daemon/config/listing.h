/* All settings in force and where each came from, as `config` reports them. */
#ifndef CLASHD_CONFIG_LISTING_H
#define CLASHD_CONFIG_LISTING_H

#include "config.h"
#include "options.h"
#include "protocol/messages/encode_config.h"

#define CONFIG_LISTING_MAX (CONFIG_SETTINGS_MAX + 2)

/** Points into itself and into the config it was made from: do not copy. */
typedef struct config_listing {
    size_t count;
    protocol_setting settings[CONFIG_LISTING_MAX];
    char keys[CONFIG_LISTING_MAX][48];
    protocol_named_pose poses[POSE_OFFSETS_MAX]; /* of openxr.offsets */
    size_t name_count;
    const char *names[5 * CONFIG_NAMES_MAX + CONFIG_BLADES_MAX + CONFIG_TARGETS_MAX];
} config_listing;

/** List blades and targets first, then every other setting in the schema's order. */
void config_list(const config_values *config, config_listing *out_listing);
/** Replace a setting's value, which must be listed, by `text`, or by null if NULL. */
void config_listing_put(config_listing *listing, const char *key, const char *text, config_setting_source source);
/** Put in the values of flags that are not settings themselves: --source, --record. */
void config_listing_put_options(config_listing *listing, const config_options *options);

#endif

/* From a document that the schema has accepted to values in an app_config. What a document leaves out stays as it is; blades and
 * targets are replaced as a whole. */
#ifndef CLASHD_CONFIG_FILL_H
#define CLASHD_CONFIG_FILL_H

#include "cli/failure.h"
#include "config.h"

#include <cjson/cJSON.h>

/** 0, or -1 with a message naming `origin` and the key in out_failure; then `config` is half filled. `source` is noted as where
 *  what it says came from. */
int config_fill(app_config *config, const char *origin, app_setting_source source, const cJSON *document,
                failure *out_failure);
/** What no single key can be blamed for: names given twice, edges without a length. As above. */
int config_check_blades(const app_config *config, const char *origin, failure *out_failure);
/** The targets of a document, in place of those that were; paths are found from where `origin` is. As config_fill. */
int config_fill_targets(app_config *config, const char *origin, const cJSON *targets, failure *out_failure);
/** Names that two targets have, or a target and a blade. As config_check_blades. */
int config_check_targets(const app_config *config, const char *origin, failure *out_failure);
/** Lays a checked document over `config` if all of it is right; for NULL, which has left its own message, APP_CONFIG_BAD. */
app_config_result config_apply_document(app_config *config, const char *origin, app_setting_source source,
                                        const cJSON *document, failure *out_failure);
/** Addresses that are none, and a token that is waived where others could come in. As above. */
int config_check_socket(const app_config *config, const char *origin, failure *out_failure);
/** Receivers and addresses of OSC that are none. As above. */
int config_check_osc(const app_config *config, const char *origin, failure *out_failure);
/** A broker that is none. As above. */
int config_check_mqtt(const app_config *config, const char *origin, failure *out_failure);
/** What of MQTT goes with what, when all documents have been laid over each other. As above. */
int config_check_mqtt_together(const app_config *config, const char *origin, failure *out_failure);
/** One blade as it would stand in a document; NULL when out of memory. */
cJSON *config_blade_document(const clash_blade_definition *blade);

#endif

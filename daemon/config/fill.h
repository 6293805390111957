/* From a document that the schema accepted to values in an config_values. What a document leaves out stays as it is;
 * blades and targets are replaced as a whole. */
#ifndef CLASHD_CONFIG_FILL_H
#define CLASHD_CONFIG_FILL_H

#include "cli/failure.h"
#include "config.h"

#include <cjson/cJSON.h>

/** Fill `config` and note `source` as where its values came from. Return 0, or -1 with a message naming `origin` and
 *  the key in out_failure; then `config` is half filled. */
int config_fill(config_values *config, const char *origin, config_setting_source source, const cJSON *document,
                failure *out_failure);
/** Check what no single key is to blame for: names given twice, edges without a length. Results as above. */
int config_check_blades(const config_values *config, const char *origin, failure *out_failure);
/** Replace the targets with a document's; paths are relative to `origin`. Results as for config_fill. */
int config_fill_targets(config_values *config, const char *origin, const cJSON *targets, failure *out_failure);
/** Check that no two targets, nor a target and a blade, have the same name. Results as above. */
int config_check_targets(const config_values *config, const char *origin, failure *out_failure);
/** Lay a checked document over `config` if all of it is right. NULL, whose message is already written, gives
 *  CONFIG_BAD. */
config_result config_apply_document(config_values *config, const char *origin, config_setting_source source,
                                    const cJSON *document, failure *out_failure);
/** Replace where swords lie in controllers by a document's. Return 0, or -1 with a reason that begins with the key within `object`. */
int config_fill_offsets(pose_offsets *out, const cJSON *object, failure *out_reason);
/** Check that addresses are valid, and that the token is only waived if nobody can come in from outside. Results as
 *  above. */
int config_check_socket(const config_values *config, const char *origin, failure *out_failure);
/** Check OSC's receivers and addresses. Results as above. */
int config_check_osc(const config_values *config, const char *origin, failure *out_failure);
/** Check MQTT's broker. Results as above. */
int config_check_mqtt(const config_values *config, const char *origin, failure *out_failure);
/** Check MQTT's settings as a whole, after all layers. Results as above. */
int config_check_mqtt_together(const config_values *config, const char *origin, failure *out_failure);
/** Return one blade as it would be in a document; NULL when out of memory. */
cJSON *config_blade_document(const clash_blade_definition *blade);

#endif

/* The settings that are one value each: a row says where the value is kept, how it is read, and whether a reload
 * applies it. Blades and targets are not among them. */
#ifndef CLASHD_CONFIG_FIELDS_H
#define CLASHD_CONFIG_FIELDS_H

#include "cli/failure.h"
#include "config.h"

#include "protocol/messages/encode_config.h"

#include <cjson/cJSON.h>

/** Lay a document's values over `config`, and note `source` as where they came from. Return 0, or -1 with a message
 *  naming `origin` and the key; then `config` is half filled. */
int config_fill_fields(config_values *config, const char *origin, config_setting_source source, const cJSON *document,
                       failure *out_failure);
/** Return whether the two differ in a setting of `section`; out_key (`size` bytes) gets the first one,
 *  "section.key". */
bool config_find_change(const config_values *a, const config_values *b, const char *section, char *out_key,
                        size_t size);
/** The same for any setting that cannot change while clashd runs. */
bool config_find_fixed_change(const config_values *a, const config_values *b, char *out_key, size_t size);
/** Note where the value of "section.key" came from, if there is such a setting. */
void config_note_source(config_values *config, const char *key, config_setting_source source);
/** The same for every setting of a section. */
void config_note_section(config_values *config, const char *section, config_setting_source source);

/** Called with each setting. `value` has neither key nor source. A list of names is in `names`, else NULL, and `value`
 *  is empty. */
typedef void (*config_field_function)(void *context, const char *key, config_setting_source source,
                                      const protocol_setting *value, const config_names *names);
/** Visit every setting, in order; what `value` points to is `config`'s. */
void config_visit_fields(const config_values *config, void *context, config_field_function take);

#endif

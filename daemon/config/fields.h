/* The settings that are one value each: one row for each, with where its value is kept, how it is read, and whether a reload takes
 * it. Blades and targets are none of them. */
#ifndef CLASHD_CONFIG_FIELDS_H
#define CLASHD_CONFIG_FIELDS_H

#include "cli/failure.h"
#include "config.h"

#include "protocol/messages/encode_config.h"

#include <cjson/cJSON.h>

/** Lays what the document says of them over `config`, and notes `source` as where that came from. 0, or -1 with a message naming
 *  `origin` and the key; then `config` is half filled. */
int config_fill_fields(app_config *config, const char *origin, app_setting_source source, const cJSON *document,
                       failure *out_failure);
/** Whether the two differ in a setting of `section`; the first such goes into out_key, "section.key", at most `size` bytes. */
bool config_find_change(const app_config *a, const app_config *b, const char *section, char *out_key, size_t size);
/** The same of any setting that cannot change while clashd runs. */
bool config_find_fixed_change(const app_config *a, const app_config *b, char *out_key, size_t size);
/** Notes where the value of that setting, "section.key", came from, if there is such a setting. */
void config_note_source(app_config *config, const char *key, app_setting_source source);
/** The same of every setting of a section. */
void config_note_section(app_config *config, const char *section, app_setting_source source);

/** `value` has neither key nor source; of a list of names it has nothing, and they are in `names`, which else is NULL. */
typedef void (*config_field_function)(void *context, const char *key, app_setting_source source,
                                      const protocol_setting *value, const app_name_list *names);
/** Every setting, in order; what `value` points to is `config`'s. */
void config_visit_fields(const app_config *config, void *context, config_field_function take);

#endif

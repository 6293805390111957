/* The settings into which a calibration puts its result: a file's, or the defaults. Everything but the blade's ends
 * stays as it was. */
#ifndef CLASHD_CTL_CALIBRATE_SETTINGS_H
#define CLASHD_CTL_CALIBRATE_SETTINGS_H

#include "cli/failure.h"
#include "config/config.h"
#include "offline/align.h"

#include <cjson/cJSON.h>

typedef struct calibrate_settings {
    config_values *config;
    cJSON *document;
} calibrate_settings;

/** Read a file; without one, take the defaults. A file that is to be written must have no comments, since they would be
 *  lost. Call calibrate_settings_end in either case. */
bool calibrate_settings_load(calibrate_settings *s, const char *file, bool is_to_be_written, failure *out_failure);
void calibrate_settings_end(calibrate_settings *s);
/** Return the blade of that name or, if `name` is NULL, the device's first. Return NULL with the reason. */
const clash_blade_definition *calibrate_settings_find(const calibrate_settings *s, const char *name, const char *device,
                                                      failure *out_failure);
/** Put a blade's ends into the document, rounded to 0.1 mm, and its edge, if not NULL. */
bool calibrate_settings_put(calibrate_settings *s, const char *name, const clash_capsule *shape, const clash_vec3 *edge,
                            failure *out_failure);
/** Put into the document where this stage is in the room, if the other player's is, in this one, by that much elsewhere than it is taken to
 *  be. */
bool calibrate_settings_put_room(calibrate_settings *s, const alignment *found, failure *out_failure);
/** Return the document as text for people, indented by two spaces, to be freed; NULL when out of memory. */
char *calibrate_settings_text(const calibrate_settings *s);
/** Replace the file, whole or not at all. */
bool calibrate_settings_write(const calibrate_settings *s, const char *file, failure *out_failure);

#endif

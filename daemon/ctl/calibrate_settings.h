/* The settings in which a calibration puts what it has found: a file's, or the defaults; all but the ends of the blade stays as it
 * was. */
#ifndef CLASHD_CTL_CALIBRATE_SETTINGS_H
#define CLASHD_CTL_CALIBRATE_SETTINGS_H

#include "cli/failure.h"
#include "config/config.h"

#include <cjson/cJSON.h>

typedef struct calibrate_settings {
    app_config *config;
    cJSON *document;
} calibrate_settings;

/** Reads a file; if there is none, the defaults. One that is to be written must have no comments, since they would be lost. End it
 *  either way. */
bool calibrate_settings_load(calibrate_settings *s, const char *file, bool is_to_be_written, failure *out_failure);
void calibrate_settings_end(calibrate_settings *s);
/** The blade of that name, or, `name` NULL, the first one of the device. NULL with the reason. */
const clash_blade_definition *calibrate_settings_find(const calibrate_settings *s, const char *name, const char *device,
                                                      failure *out_failure);
/** Puts the ends of a blade into the document, rounded to 0.1 mm, and, if it is not NULL, its edge. */
bool calibrate_settings_put(calibrate_settings *s, const char *name, const clash_capsule *shape, const clash_vec3 *edge,
                            failure *out_failure);
/** Over the file, whole or not at all. */
bool calibrate_settings_write(const calibrate_settings *s, const char *file, failure *out_failure);

#endif

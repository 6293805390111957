/* Files that settings of MQTT name. Blocking. */
#ifndef CLASHD_SINKS_MQTT_MQTT_FILES_H
#define CLASHD_SINKS_MQTT_MQTT_FILES_H

#include "cli/failure.h"

#include <stddef.h>

#define MQTT_PASSWORD_MAX 1024

/** The first line of a file that not everybody may read. Return 0, or -1 with what is wrong, which names the file. */
int mqtt_read_password(const char *path, char out[MQTT_PASSWORD_MAX], failure *out_failure);
/** Check whether a file is there and may be read. As above. */
int mqtt_check_file(const char *path, failure *out_failure);

#endif

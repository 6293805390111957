/* The interaction profiles of OpenXR 1.0, that of trackers, and the component paths that each has. Pure tables. */
#ifndef CLASHD_RUNTIME_PROFILES_H
#define CLASHD_RUNTIME_PROFILES_H

#include <stdbool.h>

#define PROFILES_MAX 10
/** That of trackers, which is beside the controllers' one; only with its extension. */
#define PROFILES_TRACKER 9

/** The number of a profile by its path, -1 if the runtime knows none of that name. */
int profiles_find(const char *path);
const char *profiles_path(int number);
/** Whether `binding` (".../input/trigger/value", or short ".../input/trigger") exists on that profile. */
bool profiles_has_binding(int number, const char *binding);

#endif

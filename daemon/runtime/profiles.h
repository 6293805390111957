/* The interaction profiles of OpenXR 1.0 and of trackers, with the component paths of each. Pure tables. */
#ifndef CLASHD_RUNTIME_PROFILES_H
#define CLASHD_RUNTIME_PROFILES_H

#include <stdbool.h>

#define PROFILES_MAX 10
/** The trackers' profile, used beside that of the controllers; only with its extension. */
#define PROFILES_TRACKER 9

/** Return the number of the profile with that path, or -1 if the runtime does not know it. */
int profiles_find(const char *path);
const char *profiles_path(int number);
/** Return whether `binding` (".../input/trigger/value", or short ".../input/trigger") exists on that profile. */
bool profiles_has_binding(int number, const char *binding);

#endif

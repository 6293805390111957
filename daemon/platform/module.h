/* Parts of clashd that are loaded when the settings want them: libraries that only they need then cost nobody else anything. */
#ifndef CLASHD_PLATFORM_MODULE_H
#define CLASHD_PLATFORM_MODULE_H

#include "cli/failure.h"

/** Load the module of that file, which is found as helper_place finds programs, and which stays loaded. What it calls `symbol` begins
 *  with a `const char *`, the version that it was built with, which has to be `version`. That, or NULL with why not in out_failure. */
const void *module_load(const char *file, const char *variable, const char *room, const char *symbol,
                        const char *version, failure *out_failure);

#endif

/* Find the helper programs, which do what clashd had better not do in its own process. */
#ifndef CLASHD_PLATFORM_HELPER_PLACE_H
#define CLASHD_PLATFORM_HELPER_PLACE_H

#include <stddef.h>

/** Write the path of the helper `name`: the value of the environment's `variable`, if set (for tests and unusual
 *  installations); else, relative to the running program's directory, the first that exists of where it is installed
 *  and where it is built, in that room of daemon/; else where it ought to be. Return 0, or -1 with errno. */
int helper_place(const char *name, const char *variable, const char *room, char *out_path, size_t size);

#endif

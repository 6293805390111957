/* Where the programs are that do in clashd's stead what it had better not do itself. */
#ifndef CLASHD_PLATFORM_HELPER_PLACE_H
#define CLASHD_PLATFORM_HELPER_PLACE_H

#include <stddef.h>

/** What the environment's `variable` says, for tests and for who installs the program elsewhere; else, as seen from the directory
 *  of the running program, the first that is there of where `name` is installed and where it is built, in that room of daemon/.
 *  Also if there is none: where it ought to be. 0, or -1 with errno. */
int helper_place(const char *name, const char *variable, const char *room, char *out_path, size_t size);

#endif

/* Paths in settings as a shell would read them: ~ and $VARIABLES. */
#ifndef CLASHD_CONFIG_EXPAND_H
#define CLASHD_CONFIG_EXPAND_H

#include "cli/failure.h"

#include <stddef.h>

/** Copies `path` with "~" or "~/" at its beginning replaced by $HOME, "$NAME" and "${NAME}" by that variable of the environment, and
 *  "$$" by "$". Nothing else of a shell: no "~user", no default values, and what a variable holds is not looked into again.
 *  0, or -1 with what is wrong: a variable that is not set or empty, a "$" that begins no name, or more than `size` bytes with
 *  the terminating zero. Reads the environment, so not while another thread changes it. */
int config_expand_path(const char *path, char *out, size_t size, failure *out_failure);

#endif

/* Expand ~ and $VARIABLES in the settings' paths, as a shell would. */
#ifndef CLASHD_CONFIG_EXPAND_H
#define CLASHD_CONFIG_EXPAND_H

#include "cli/failure.h"

#include <stddef.h>

/** Copy `path` with "~" or "~/" at its beginning replaced by $HOME, "$NAME" and "${NAME}" by that environment variable,
 *  and "$$" by "$". Nothing else of a shell: no "~user", no default values, and a variable's value is not expanded
 *  again. Return 0, or -1 and what is wrong: a variable that is not set or empty, a "$" that begins no name, or more
 *  than `size` bytes with the terminating zero. Reads the environment, so not while another thread changes it. */
int config_expand_path(const char *path, char *out, size_t size, failure *out_failure);

#endif

/* Copying a recording's lines, as cut and convert do. */
#ifndef CLASHD_CTL_COMMAND_CUT_H
#define CLASHD_CTL_COMMAND_CUT_H

#include "protocol/recording/recording.h"

/** All lines of `r`, which is `from`, into the new file `to`, and says how many. The exit code; messages begin with `command`. */
int ctl_copy_lines(const char *command, recording *r, const char *from, const char *to, bool is_compressed);

#endif

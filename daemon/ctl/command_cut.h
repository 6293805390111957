/* Copying a recording's lines, as cut and convert do. */
#ifndef CLASHD_CTL_COMMAND_CUT_H
#define CLASHD_CTL_COMMAND_CUT_H

#include "protocol/recording/recording.h"

/** Copy all lines of `r`, which is the file `from`, into the new file `to`, and print how many. Return the exit code;
 *  messages begin with `command`. With `keeps_part` a message says that `to` has what is before an error in `r`. */
int ctl_copy_lines(const char *command, recording *r, const char *from, const char *to, bool is_compressed,
                   bool keeps_part);

#endif

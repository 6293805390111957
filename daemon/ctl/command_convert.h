/* What clashctl convert makes that is no copy of lines: a table of a recording's contacts, and a recording of a replay of
 * Beat Saber. `command` is what messages begin with; both return the exit code, and leave no file where they fail. */
#ifndef CLASHD_CTL_COMMAND_CONVERT_H
#define CLASHD_CTL_COMMAND_CONVERT_H

#include "protocol/recording/recording.h"

/** Whether a file of that name is to be a table. */
bool ctl_convert_is_table(const char *path);
/** Reads `r`, which is the file `from`, to its end. */
int ctl_convert_table(const char *command, const char *from, const char *to, recording *r);
int ctl_convert_replay(const char *command, const char *from, const char *to);

#endif

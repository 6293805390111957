/* Recordings in every format that clashctl reads: MCAP files and Beat Saber replays become temporary recordings first. */
#ifndef CLASHD_CTL_FOREIGN_H
#define CLASHD_CTL_FOREIGN_H

#include "cli/failure.h"
#include "scratch.h"

/** The formats, for error messages. */
#define FOREIGN_FORMATS "a recording (.jsonl, .jsonl.zst), an MCAP file (.mcap) or a Beat Saber replay (.bsor)"

typedef struct foreign {
    scratch file; /* its path is empty if the file is a recording already */
} foreign;

/** Return the path of the recording that `file` is or contains; with `is_piped`, "-" is standard input. Messages about what was left out go
 *  to standard error if `command` is not NULL. Return NULL with a message if an import fails. After the file at that path has been
 *  opened, call foreign_end, in every case. Blocking. */
const char *foreign_begin(foreign *i, const char *command, const char *file, bool is_piped, failure *out_failure);
/** Remove the temporary recording. What has it open can read it to its end. */
void foreign_end(foreign *i);
/** Return whether `file` can be read, so that its content is the reason if it cannot be opened as a recording. */
bool foreign_is_readable(const char *file, bool is_piped);

#endif

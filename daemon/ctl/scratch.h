/* Files that must not outlive the command: imported copies in a temporary directory, and new files until they are complete. The end of
 * the command removes them, and so do SIGINT, SIGTERM and SIGHUP, unless these are ignored or caught. One thread. */
#ifndef CLASHD_CTL_SCRATCH_H
#define CLASHD_CTL_SCRATCH_H

#include "cli/failure.h"

#include <limits.h>
#include <stdbool.h>

/** Zero-initialise. Must stay where it is from the first call until scratch_remove. */
typedef struct scratch {
    char directory[PATH_MAX]; /* of its own; "": the path is in another one */
    char path[PATH_MAX];      /* "": not used */
    struct scratch *next;
} scratch;

/** Make a directory that other users cannot enter, in $TMPDIR or else /tmp, and set s->path to `name` in it. Return false with a
 *  message. */
bool scratch_in_directory(scratch *s, const char *name, failure *out_failure);
/** Set s->path to a new name in the directory of `file`. Return false with a message. */
bool scratch_beside(scratch *s, const char *file, failure *out_failure);
/** Put the file on the disk and rename it, replacing what has that name. Return false with a message. */
bool scratch_keep(scratch *s, const char *as, failure *out_failure);
/** Remove what there is of it. Idempotent. */
void scratch_remove(scratch *s);

/** Write a file beside `to` with `write`, which returns an exit code, and let it replace `to` only if it is complete (code 0). Return the
 *  exit code; messages begin with `command`. */
int scratch_replace(const char *command, const char *to, int (*write)(void *context, const char *path), void *context);

#endif

/* Where the lines of clashctl detect --summary go: standard output, or a file to which they are only ever appended, each whole, and
 * which says on the next run what is done already. One process writes such a file at a time. Blocking file I/O. */
#ifndef CLASHD_CTL_DETECT_RESULTS_H
#define CLASHD_CTL_DETECT_RESULTS_H

#include "cli/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct detect_results detect_results;

/** `path` NULL: standard output. Else a file that is nobody's before, or with `resumes` one that is there, of which the lines were made
 *  by this version with these `settings` (see detect_summary.h); what a crash has torn is cut off. Return NULL with out_failure. */
detect_results *detect_results_open(const char *path, bool resumes, const char *settings, failure *out_failure);
/** Return whether the file has a line of this recording, which did not fail and was of so many bytes. */
bool detect_results_has(const detect_results *r, const char *name, uint64_t bytes);
/** A line, newline included. Return false with out_failure, and nothing of it is in the file; or, if nobody reads standard output any more,
 *  without a message. */
bool detect_results_add(detect_results *r, const char *line, size_t length, failure *out_failure);
/** Return whether that is this file itself. */
bool detect_results_is(const detect_results *r, const char *path);
/** For a process that goes on without it. */
void detect_results_leave(const detect_results *r);
/** Return 0, or -1 with out_failure. Accepts NULL. */
int detect_results_close(detect_results *r, failure *out_failure);

#endif

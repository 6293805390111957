/* The directory of continuous recordings: dated names, and how many files are kept. Blocking; any thread. */
#ifndef CLASHD_RECORDER_DIRECTORY_H
#define CLASHD_RECORDER_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** Create the directory (0700) and those above it if they are missing. Return 0, or an errno, also if no file can be
 *  created in it. */
int record_directory_make(const char *path);
/** Return what record_directory_make would, but create nothing. */
int record_directory_check(const char *path);
/** Write DIRECTORY/clash-YYYYMMDD-HHMMSSZ-SESSION-PART.jsonl, in UTC, plus .zst if `compress`. Names sort by age,
 *  except within one second. `session` is a random id, of which some digits are used. Return 0, or -1 if it does not
 *  fit. */
int record_directory_name(char *out_path, size_t size, const char *directory, time_t now, const char *session,
                          unsigned part, bool compress);
/** Return whether a name, without its directory, is one of those. */
bool record_directory_is_name(const char *name);
/** Called for a file that was removed (error 0) or cannot be (an errno). */
typedef void (*record_directory_removed)(void *context, const char *name, int error);

/** Remove the oldest until `keep` are left, and report each (`removed` may be NULL). Age goes by the second in the
 *  name, then by when it was last written, then by the part. Leaves alone `current` (a path), what any process is
 *  writing, and files with other names. Return how many were removed. */
size_t record_directory_keep(const char *directory, uint32_t keep, const char *current,
                             record_directory_removed removed, void *context);

#endif

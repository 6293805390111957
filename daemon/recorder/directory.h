/* The directory that continuous recordings go to: dated names, and how many of them are kept. Blocking; any thread. */
#ifndef CLASHD_RECORDER_DIRECTORY_H
#define CLASHD_RECORDER_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** Makes it (0700), and the directories above it, where they are missing. 0, or an errno, also if no file can be made
 *  in it. */
int record_directory_make(const char *path);
/** What record_directory_make would say, but makes nothing. */
int record_directory_check(const char *path);
/** DIRECTORY/clash-YYYYMMDD-HHMMSSZ-SESSION-PART.jsonl, in UTC, and .zst where `compress`. Names sort by their age, but
 *  for those of one second. `session` is a random id, of which some digits are taken. 0, or -1 if it does not fit. */
int record_directory_name(char *out_path, size_t size, const char *directory, time_t now, const char *session,
                          unsigned part, bool compress);
/** Whether a name, without its directory, is one of those. */
bool record_directory_is_name(const char *name);
/** Told of a file that has been removed, error 0, or cannot be: an errno. */
typedef void (*record_directory_removed)(void *context, const char *name, int error);

/** Removes the oldest until `keep` are left, and tells of each (may be NULL): by the second of the name, then by when it was
 *  written last, then by the part. Leaves `current` (a path) alone, and what any process is writing, and all that has
 *  another kind of name. Returns how many it removed. */
size_t record_directory_keep(const char *directory, uint32_t keep, const char *current,
                             record_directory_removed removed, void *context);

#endif

/* What a file is, by how it begins, before anybody reads it. "-" is standard input, of which nothing is lost by that. */
#ifndef CLASHD_PROTOCOL_RECORDING_FIRST_BYTES_H
#define CLASHD_PROTOCOL_RECORDING_FIRST_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#define RECORDING_FIRST_BYTES_MAX 8

/** What means standard input, where a recording is asked for. */
#define RECORDING_STANDARD_INPUT "-"

/** Return whether it begins with these, at most RECORDING_FIRST_BYTES_MAX. False of what is neither a regular file nor standard input, and
 *  if it cannot be read. Of standard input it may wait. */
bool recording_begins_with(const char *path, const void *bytes, size_t length);

#endif

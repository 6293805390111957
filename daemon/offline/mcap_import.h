/* The recording that is in an MCAP file that mcap_export wrote: its lines, as they were. */
#ifndef CLASHD_OFFLINE_MCAP_IMPORT_H
#define CLASHD_OFFLINE_MCAP_IMPORT_H

#include "cli/failure.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct mcap_lines {
    uint64_t lines;
    uint64_t damaged; /* chunks and lines that were left out */
    bool is_torn;     /* the file ends too early: what is before that is there */
} mcap_lines;

/** Return whether that file, or standard input ("-"), is MCAP by its first bytes. */
bool mcap_is_one(const char *path);
/** Make the new file `to`; "-" are standard input and output. Return 0, or -1 with a message in out_failure: then there
 *  is no file. Reads from start to end, and no more than 64 MiB of it at a time, whatever lengths it claims.
 *  Blocking. */
int mcap_import(const char *from, const char *to, bool is_compressed, mcap_lines *out_report, failure *out_failure);

#endif

/* A recording's bytes, decompressed if they are compressed (Zstandard, told by the first bytes, not by the name). What
 * cannot be decompressed is left out and said; what comes after it is found again. Knows no lines. Blocking file I/O; the
 * same memory whatever the size, but for the window that a frame wants, 128 MiB at most. */
#ifndef CLASHD_PROTOCOL_RECORDING_BYTES_H
#define CLASHD_PROTOCOL_RECORDING_BYTES_H

#include "cli/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct recording_bytes recording_bytes;

typedef enum recording_bytes_result {
    RECORDING_BYTES_SOME,
    RECORDING_BYTES_END,
    RECORDING_BYTES_DAMAGED, /* a stretch is left out here; reading goes on */
    RECORDING_BYTES_TORN,    /* the compressed data ends too early; END follows */
    RECORDING_BYTES_ERROR    /* the file cannot be read on; END follows */
} recording_bytes_result;

/** Return NULL with what is wrong in out_failure. "-" is standard input, unless `only_files`. What is no regular file may make it wait, unless `only_files`: then it is refused
 *  at once. */
recording_bytes *recording_bytes_open(const char *path, bool only_files, failure *out_failure);
void recording_bytes_close(recording_bytes *b);
/** Read on. SOME: *out_bytes are the next bytes, valid until the next call; they may be none yet, as no call reads more
 *  than half a MB or decompresses more than 1 MiB. Else, but for END, out_failure says what is wrong. */
recording_bytes_result recording_bytes_read(recording_bytes *b, const char **out_bytes, size_t *out_length,
                                            failure *out_failure);
/** Bytes of the file that have been taken, and all there were when it was opened; 0 if it is no file. */
void recording_bytes_get_extent(const recording_bytes *b, uint64_t *out_taken, uint64_t *out_total);
bool recording_bytes_is_compressed(const recording_bytes *b);
/** Return whether it is on its way to a place in a frame, from that one's beginning on. */
bool recording_bytes_is_passing(const recording_bytes *b);
/** Tell where the last read's bytes begin, to read them again. `offset` is in the file, `skip` counts decompressed
 *  bytes from there on. */
void recording_bytes_get_place(const recording_bytes *b, uint64_t *out_offset, uint64_t *out_skip);
/** Go on at such a place. Return 0, or -1 if the file cannot be sought in. */
int recording_bytes_go(recording_bytes *b, uint64_t offset, uint64_t skip);

#endif

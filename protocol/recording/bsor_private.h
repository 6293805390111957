/* Shared by the two parts of the BSOR reader: bsor.c (frames) and bsor_check.c (what stands around them). */
#ifndef CLASHD_PROTOCOL_RECORDING_BSOR_PRIVATE_H
#define CLASHD_PROTOCOL_RECORDING_BSOR_PRIVATE_H

#include <stdio.h>

#include "bsor.h"

/** The longest string a file may hold, in characters. Titles of songs are the longest there are. */
#define BSOR_STRING_MAX 4096
/** Of so many UTF-16 units. */
#define BSOR_WINDOW_BYTES (3 * BSOR_STRING_MAX)
#define BSOR_FRAME_BYTES 92
#define BSOR_PAUSE_BYTES 12

struct bsor {
    FILE *file;
    const char *path;
    failure *failure; /* where a message goes, during a call */
    int64_t at, size; /* bytes */
    int64_t frames_at, pauses_at;
    uint64_t frames_left, pauses_left;
    double song_speed, next_pause_s;
    bool has_frame, has_pause;
    int64_t last_ns;
    bsor_counters counters;
    bool counts_characters; /* the lengths of its strings are in UTF-16 units */
    unsigned char window[BSOR_WINDOW_BYTES];
};

/** Leave "PATH: at byte AT: MESSAGE". Always false. */
__attribute__((format(printf, 3, 4))) bool bsor_fail(bsor *b, int64_t at, const char *format, ...);
/** `length` bytes from where the file stands. Return false with a message that names `what`. */
bool bsor_read(bsor *b, void *out, size_t length, const char *what);
bool bsor_seek(bsor *b, int64_t at);

uint32_t bsor_u32(const unsigned char *bytes);
float bsor_float(const unsigned char *bytes);

/** Everything, from the first byte on: where frames and pauses are, and how fast the song was. Return false with a message. */
bool bsor_check(bsor *b);

#endif

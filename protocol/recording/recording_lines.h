/* A recording's file as lines, in memory that does not grow with it: compressed or not, whatever is in them. What gives no
 * line of a recording for too long ends it, so that no file, however small, keeps anybody for ever; and who has no time
 * reads in stretches. Blocking file I/O. Private to the recording reader. */
#ifndef CLASHD_PROTOCOL_RECORDING_RECORDING_LINES_H
#define CLASHD_PROTOCOL_RECORDING_RECORDING_LINES_H

#include "cli/failure.h"
#include "recording.h"

typedef struct recording_lines recording_lines;

typedef enum recording_lines_state {
    RECORDING_LINES_END,      /* see recording_lines_failure */
    RECORDING_LINES_WHOLE,    /* a line, without its newline */
    RECORDING_LINES_TORN,     /* the last one, which has none */
    RECORDING_LINES_TOO_LONG, /* over PROTOCOL_LINE_MAX: its rest is passed over */
    RECORDING_LINES_DAMAGED,  /* bytes are missing here, and the line they were in goes with them */
    RECORDING_LINES_CUT,      /* likewise: the compressed data ends too early */
    RECORDING_LINES_LATER     /* nothing yet, and it is time to do something else */
} recording_lines_state;

/** Return NULL with what is wrong in out_failure. `only_files`: see bytes.h. */
recording_lines *recording_lines_open(const char *path, bool only_files, failure *out_failure);
void recording_lines_close(recording_lines *l);
/** From now on LATER, once so many bytes have been read or decompressed, or what takes as long; 0: never. */
void recording_lines_allow(recording_lines *l, uint64_t bytes);
recording_lines_state recording_lines_read(recording_lines *l);
/** The last line that was WHOLE or TORN, ended by a zero; valid until the next one. */
char *recording_lines_text(recording_lines *l, size_t *out_length);
/** Its number, of all that are not END, DAMAGED, CUT or LATER: 1 is the first. */
uint64_t recording_lines_number(const recording_lines *l);
/** What is wrong if the last one was DAMAGED or CUT; "" if none was. */
const char *recording_lines_trouble(const recording_lines *l);
/** The last line was one of a recording. */
void recording_lines_note_good(recording_lines *l);
/** Why it ended before the end of the file; NULL if it did not. */
const char *recording_lines_failure(const recording_lines *l);
/** Where the next line begins; not between LATER and the line it comes before. */
void recording_lines_get_place(const recording_lines *l, recording_place *out_place);
/** Go on there. Return 0, or -1 if the file cannot be sought in. */
int recording_lines_go(recording_lines *l, const recording_place *place);
/** As recording_get_extent. */
void recording_lines_get_extent(const recording_lines *l, uint64_t *out_read_bytes, uint64_t *out_total_bytes);

#endif

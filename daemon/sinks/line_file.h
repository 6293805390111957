/* A file that grows by whole lines, written behind on libuv's thread pool so that a slow disk holds nobody up. After an
 * error what was torn is cut off, kept in memory and tried again. Knows nothing of what the lines say.
 * All on the loop's thread. */
#ifndef CLASHD_SINKS_LINE_FILE_H
#define CLASHD_SINKS_LINE_FILE_H

#include "ports/log.h"

#include <stdint.h>
#include <uv.h>

typedef struct line_file line_file;

typedef struct line_file_settings {
    uv_loop_t *loop;
    const char *path; /* copied; a regular file is overwritten, anything else refused */
    logger log;
    size_t line_max;     /* bytes of the longest line, newline included */
    size_t buffer_bytes; /* kept in memory while the file cannot be written */
    uint32_t flush_ms;   /* the longest a line waits */
    uint32_t retry_ms;   /* after an error */
} line_file_settings;

typedef struct line_file_counters {
    uint64_t lines;  /* in the file */
    uint64_t lost;   /* that never got there */
    uint64_t errors; /* writes that failed */
} line_file_counters;

/** Creates it (0600), empty. NULL with out_error naming file and reason. Makes SIGXFSZ ignored where it still has its
 *  default: a limit on file sizes is an error like any other. */
line_file *line_file_open(const line_file_settings *settings, char *out_error, size_t error_size);
/** Room for a line of line_max bytes, or NULL where no more may wait (the line is counted as lost). */
char *line_file_begin(line_file *f);
/** The line that was written there is `length` bytes long, newline included; 0 counts it as lost. */
void line_file_end(line_file *f, size_t length);
/** Writes what waits at once; blocks. 0, or -1 with out_error. For the first line, so that a bad file is known early. */
int line_file_write_now(line_file *f, char *out_error, size_t error_size);
const line_file_counters *line_file_get_counters(const line_file *f);
/** Writes what waits, then closes: at once, or when the write under way has ended, so let the loop run until it has
 *  nothing left to do. It then frees itself. What could not be written is logged. Accepts NULL. */
void line_file_close(line_file *f);

#endif

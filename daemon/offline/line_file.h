/* A new recording that a command writes: lines into a file that was nobody's before, or to standard output; compressed or plain. */
#ifndef CLASHD_OFFLINE_LINE_FILE_H
#define CLASHD_OFFLINE_LINE_FILE_H

#include "cli/failure.h"
#include "recorder/record_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The name that means standard output. */
#define LINE_FILE_STANDARD_OUTPUT "-"

/** Large: keep it off the stack. */
typedef struct line_file {
    record_file file;
    const char *name;
    uint64_t lines;
    int error; /* errno of the first write that failed; nothing is written after it */
    size_t length;
    char buffer[128u << 10];
} line_file;

/** Never overwrites anything. `name` must live as long. Return 0, or -1 with a message. Finish it in either case. */
int line_file_open(line_file *f, const char *name, bool is_compressed, failure *out_failure);
/** A line without its newline, shorter than PROTOCOL_LINE_MAX. */
void line_file_write(line_file *f, const char *line, size_t length);
/** Return whether nobody reads standard output any more: a reason to stop, and no mistake. */
bool line_file_is_unread(const line_file *f);
/** Write the rest. Return 0, or -1 with a message if anything could not be written, but for what nobody reads any more. */
int line_file_close(line_file *f, failure *out_failure);
/** Remove a closed file that is of no use. */
void line_file_remove(line_file *f);
void line_file_finish(line_file *f);

#endif

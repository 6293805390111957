/* What all commands do alike: messages on standard error, results on standard output, and the reader of standard output
 * going away, which is a reason to stop and not an error. */
#ifndef CLASHD_CLI_OUTPUT_H
#define CLASHD_CLI_OUTPUT_H

#include "flags.h"

#include <stdbool.h>
#include <stddef.h>

/** "clashctl COMMAND: message", in one line, whatever is in the arguments. */
__attribute__((format(printf, 2, 3))) void output_error(const char *command, const char *format, ...);
/** What came from outside, as a terminal may show it (daemon/cli/printable.h); valid until the eighth next call. */
const char *output_text(const char *text);
/** A line of JSON, likewise; it says the same. False as output_write. */
bool output_json(const char *line);
/** The same, and where help is to be had. Returns CTL_USAGE. */
int output_usage_error(const char *command, const char *message);

/** Ignores SIGPIPE and makes standard output whole lines at once (`live`) or large pieces. Before the first output. */
void output_begin(bool live);
/** False if nobody reads any more or it cannot be written; output_end says which. */
bool output_write(const char *bytes, size_t length);
/** A write to standard output that was made another way failed, by that errno; output_end says so. */
void output_failed(int error);
/** False if nobody will ever read standard output again: its pipe's or socket's other end is closed, its terminal gone. */
bool output_has_reader(void);

typedef enum output_ready { OUTPUT_READY, OUTPUT_TIMEOUT, OUTPUT_NO_READER } output_ready;
/** Waits until `fd` can be read (or, if asked for, written) or has ended; timeout_ms -1: for ever. With `with_reader` also until
 *  nobody reads standard output any more. */
output_ready output_wait(int fd, bool to_write, int timeout_ms, bool with_reader);
/** Writes the rest. Returns `code`, or CTL_USAGE with a message where standard output could not be written. */
int output_end(const char *command, int code);

/** --help of a command. */
void output_help(const char *command, const char *arguments, const char *text, const flag_table *table);

#endif

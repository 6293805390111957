/* What all commands share: messages on standard error, results on standard output, and stopping without an error when
 * the reader of standard output goes away. */
#ifndef CLASHD_CLI_OUTPUT_H
#define CLASHD_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Print "clashctl COMMAND: message" as one line, whatever the arguments contain. */
__attribute__((format(printf, 2, 3))) void output_error(const char *command, const char *format, ...);
/** The same, and return CTL_USAGE. */
__attribute__((format(printf, 2, 3))) int output_refuse(const char *command, const char *format, ...);
/** Return text from outside as a terminal may show it (daemon/cli/printable.h); valid until the eighth call after this
 *  one. */
const char *output_text(const char *text);
/** Write a line of JSON, made printable without changing its meaning. Return false as output_write. */
bool output_json(const char *line);
/** Print the message and how to get help. Returns CTL_USAGE. */
int output_usage_error(const char *command, const char *message);

/** Ignore SIGPIPE, and flush standard output at each line (`live`) or in large pieces. Call before the first output. */
void output_begin(bool live);
/** Write. Return false if nobody reads any more or writing failed; output_end says which. */
bool output_write(const char *bytes, size_t length);
/** Note that a write to standard output by other means failed with that errno, for output_end. */
void output_failed(int error);
/** Return false if nobody will ever read standard output again: the other end of its pipe or socket is closed, or its
 *  terminal is gone. */
bool output_has_reader(void);

/** Return the ending of a counted noun: "" for one, else "s". */
static inline const char *plural_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

typedef enum output_ready { OUTPUT_READY, OUTPUT_TIMEOUT, OUTPUT_NO_READER } output_ready;
/** Wait until `fd` can be read (or, if asked for, written) or has ended; timeout_ms -1: for ever. With `with_reader`
 *  also until nobody reads standard output any more. */
output_ready output_wait(int fd, bool to_write, int timeout_ms, bool with_reader);
/** Write what is buffered. Return `code`, or CTL_USAGE with a message if standard output could not be written. */
int output_end(const char *command, int code);

#endif

/* Messages and results: see output.h. */
#include "output.h"

#include "ctl.h"
#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int write_error; /* errno of the first write that failed */

void output_error(const char *command, const char *format, ...)
{
    va_list arguments;

    progress_erase();
    fflush(stdout);
    fprintf(stderr, "clashctl %s: ", command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int output_usage_error(const char *command, const char *message)
{
    output_error(command, "%s", message);
    fprintf(stderr, "Try 'clashctl %s --help'.\n", command);
    return CTL_USAGE;
}

void output_begin(bool live)
{
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, live ? _IOLBF : _IOFBF, 1u << 16);
}

bool output_write(const char *bytes, size_t length)
{
    if (write_error == 0 && fwrite(bytes, 1, length, stdout) != length)
        write_error = errno;
    return write_error == 0;
}

int output_end(const char *command, int code)
{
    if (write_error == 0 && fflush(stdout) != 0)
        write_error = errno;
    if (write_error == 0 || write_error == EPIPE)
        return code;
    output_error(command, "standard output: %s", strerror(write_error));
    return CTL_USAGE;
}

void output_help(const char *command, const char *arguments, const char *text, const flag_table *table)
{
    printf("usage: clashctl %s %s\n\n%s\n", command, arguments, text);
    flags_print(table);
}

/* Messages and results: see output.h. */
#include "output.h"

#include "exit_code.h"
#include "printable.h"
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest message, which may contain file names and text from clashd. */
#define MESSAGE_MAX 8192

static int write_error; /* errno of the first write that failed */

static void report(const char *command, const char *format, va_list arguments)
{
    char text[MESSAGE_MAX], shown[2 * MESSAGE_MAX];

    progress_erase();
    fflush(stdout);
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "clashctl %s: %s\n", command, printable(text, shown, sizeof shown));
}

void output_error(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(command, format, arguments);
    va_end(arguments);
}

int output_refuse(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(command, format, arguments);
    va_end(arguments);
    return CTL_USAGE;
}

const char *output_text(const char *text)
{
    static char shown[8][1024];
    static unsigned next;

    return printable(text, shown[next++ % 8], sizeof shown[0]);
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
    /* glibc's fwrite counts a whole line as written even if it could not be passed on; only the stream itself knows. */
    if (write_error == 0 && (fwrite(bytes, 1, length, stdout) != length || ferror(stdout)))
        write_error = errno;
    return write_error == 0;
}

void output_failed(int error)
{
    if (write_error == 0)
        write_error = error;
}

output_ready output_wait(int fd, bool to_write, int timeout_ms, bool with_reader)
{
    /* Ask nothing of standard output: poll reports in any case that its other end is gone. */
    struct pollfd polled[2] = {{.fd = with_reader ? STDOUT_FILENO : -1},
                               {.fd = fd, .events = (short)(POLLIN | (to_write ? POLLOUT : 0))}};
    int count;

    while ((count = poll(polled, 2, timeout_ms)) < 0 && errno == EINTR) {
    }
    if (polled[0].revents & (POLLERR | POLLHUP))
        return OUTPUT_NO_READER;
    return count > 0 ? OUTPUT_READY : OUTPUT_TIMEOUT;
}

bool output_has_reader(void)
{
    return output_wait(-1, false, 0, true) != OUTPUT_NO_READER;
}

bool output_json(const char *line)
{
    const size_t size = 6 * strlen(line) + 8;
    char *shown = malloc(size);
    bool more;

    if (!shown)
        return false;
    printable_json(line, shown, size);
    more = output_write(shown, strlen(shown)) && output_write("\n", 1);
    free(shown);
    return more;
}

int output_end(const char *command, int code)
{
    if (write_error == 0 && fflush(stdout) != 0)
        write_error = errno;
    if (write_error == 0 && ferror(stdout)) /* what was printed before is lost, and so is its errno */
        write_error = output_has_reader() ? EIO : EPIPE;
    if (write_error == 0 || write_error == EPIPE)
        return code;
    output_error(command, "standard output: %s", strerror(write_error));
    return CTL_USAGE;
}

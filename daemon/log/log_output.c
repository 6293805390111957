/* Messages for people; see log_output.h. A mutex keeps lines whole and counts repeats. */
#include "log_output.h"

#include "cli/printable.h"
#include "journal.h"
#include "platform/monotonic.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warning", "info", "debug"};
/* syslog's priorities, which journald reads. */
static const int level_priorities[] = {3, 4, 6, 7};

/* A message, and how often it was repeated. */
#define LINE_MAX_BYTES (LOG_LIMIT_TEXT_MAX + 128)

#define LEVEL_COUNT (sizeof level_names / sizeof level_names[0])

/* Compare the file, as systemd advises: JOURNAL_STREAM is inherited by children whose output goes elsewhere. */
static bool is_journal(int fd)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char ours[64];
    struct stat file;

    if (!stream || fstat(fd, &file) != 0)
        return false;
    snprintf(ours, sizeof ours, "%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
    return strcmp(stream, ours) == 0;
}

static int format_line(const log_output *log, log_level level, const char *message, char *out, size_t size)
{
    if (log->journal)
        return snprintf(out, size, "<%d>%s\n", level_priorities[level], message);
    if (level == LOG_LEVEL_INFO)
        return snprintf(out, size, "%s: %s\n", log->program, message);
    return snprintf(out, size, "%s: %s: %s\n", log->program, level_names[level], message);
}

static void write_line(log_output *log, log_level level, const char *message, const log_field *field)
{
    char line[LINE_MAX_BYTES + 64], value[256];
    log_field escaped;
    int length;

    if (field) {
        printable(field->value, value, sizeof value);
        escaped = (log_field){field->name, value};
    }
    if (log_journal_send(log->journal_fd, level_priorities[level], log->program, message, field ? &escaped : NULL))
        return;
    length = format_line(log, level, message, line, sizeof line);
    /* If standard error is gone there is nobody left to tell. */
    if (length < 0 || write(log->fd, line, (size_t)length) < 0)
        return;
}

static void sum_up(log_output *log, uint64_t time_ms, bool all)
{
    char text[LINE_MAX_BYTES];
    log_level level;

    while (log_limit_sum_up(&log->limit, time_ms, all, &level, text, sizeof text))
        write_line(log, level, text, NULL);
}

static void write_about(void *context, log_level level, const char *message, const log_field *field)
{
    log_output *log = context;
    char text[LOG_LIMIT_TEXT_MAX];
    uint64_t time_ms;

    if (level > log->level)
        return;
    /* Text from a client or a file must not begin a line of its own, nor control a terminal. */
    printable(message, text, sizeof text);
    pthread_mutex_lock(&log->mutex);
    time_ms = (uint64_t)monotonic_ns() / 1000000;
    sum_up(log, time_ms, false);
    if (log_limit_pass(&log->limit, time_ms, level, text))
        write_line(log, level, text, field);
    pthread_mutex_unlock(&log->mutex);
}

static void write_message(void *context, log_level level, const char *message)
{
    write_about(context, level, message, NULL);
}

void log_output_init(log_output *log, const char *program, log_level level)
{
    *log = (log_output){.program = program, .level = level, .fd = STDERR_FILENO, .journal_fd = -1};
    log->journal = is_journal(log->fd);
    if (log->journal)
        log->journal_fd = log_journal_open(LOG_JOURNAL_SOCKET);
    pthread_mutex_init(&log->mutex, NULL);
}

void log_output_set_level(log_output *log, log_level level)
{
    log->level = level;
}

void log_output_finish(log_output *log)
{
    sum_up(log, (uint64_t)monotonic_ns() / 1000000, true);
    if (log->journal_fd >= 0)
        close(log->journal_fd);
    log->journal_fd = -1;
    pthread_mutex_destroy(&log->mutex);
}

logger log_output_port(log_output *log)
{
    return (logger){.context = log, .write = write_message, .write_about = write_about};
}

const char *log_level_name(log_level level)
{
    return level_names[level];
}

int log_level_parse(const char *name, log_level *out_level)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++)
        if (strcmp(name, level_names[i]) == 0) {
            *out_level = (log_level)i;
            return 0;
        }
    return -1;
}

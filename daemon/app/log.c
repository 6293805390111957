/* Messages for people: see log.h. One write(2) a line is what makes it safe from any thread. */
#include "log.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warning", "info", "debug"};
/* syslog's numbers, which journald reads. */
static const int level_priorities[] = {3, 4, 6, 7};

#define LEVEL_COUNT (sizeof level_names / sizeof level_names[0])

/* JOURNAL_STREAM is inherited by children whose output goes elsewhere, so systemd says to compare the file. */
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

static int format_line(const app_log *log, log_level level, const char *message, char *out, size_t size)
{
    if (log->journal)
        return snprintf(out, size, "<%d>%s\n", level_priorities[level], message);
    if (level == LOG_LEVEL_INFO)
        return snprintf(out, size, "%s: %s\n", log->program, message);
    return snprintf(out, size, "%s: %s: %s\n", log->program, level_names[level], message);
}

/* Messages may hold what a client or a file said: that cannot begin a line of its own, nor steer a terminal. */
static void mask_controls(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
}

static void write_line(void *context, log_level level, const char *message)
{
    const app_log *log = context;
    char line[1200];
    int length;

    if (level > log->level)
        return;
    length = format_line(log, level, message, line, sizeof line);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof line) {
        length = (int)sizeof line - 1;
        line[length - 1] = '\n';
    }
    mask_controls(line, (size_t)length - 1);
    /* Where standard error is gone there is nobody left to tell. */
    if (write(log->fd, line, (size_t)length) < 0)
        return;
}

void app_log_init(app_log *log, const char *program, log_level level)
{
    log->program = program;
    log->level = level;
    log->fd = STDERR_FILENO;
    log->journal = is_journal(log->fd);
}

logger app_log_port(const app_log *log)
{
    return (logger){.context = (void *)(uintptr_t)log, .write = write_line};
}

const char *app_log_level_name(log_level level)
{
    return level_names[level];
}

int app_log_level_parse(const char *name, log_level *out_level)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++)
        if (strcmp(name, level_names[i]) == 0) {
            *out_level = (log_level)i;
            return 0;
        }
    return -1;
}

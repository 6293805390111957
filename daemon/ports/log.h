/* Port: messages for people. Rooms report what happened; app decides where it is written. Thread-safe. Interface only:
 * depends on nothing but the C library. */
#ifndef CLASHD_PORTS_LOG_H
#define CLASHD_PORTS_LOG_H

#include <stdarg.h>
#include <stdio.h>

typedef enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG } log_level;

typedef void (*log_function)(void *context, log_level level, const char *message);

/** What a message is about, for logs that can be searched by it: a field in the journal, e.g. CLASHD_CLIENT. */
typedef struct log_field {
    const char *name; /* A to Z, 0 to 9 and _ */
    const char *value;
} log_field;

/** A logger, which may be copied; a zeroed one logs nothing. */
typedef struct logger {
    void *context;
    log_function write;
    /** Write a message with what it is about. May be NULL. */
    void (*write_about)(void *context, log_level level, const char *message, const log_field *field);
} logger;

/** Log one line, without a newline at the end; cut after 1 KiB. `client`: whom it is about; NULL: nobody. */
__attribute__((format(printf, 4, 5))) static inline void logger_print_client(const logger *log, log_level level,
                                                                             const char *client, const char *format,
                                                                             ...)
{
    char line[1024];
    va_list arguments;

    if (!log || !log->write)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (client && log->write_about)
        log->write_about(log->context, level, line, &(log_field){"CLASHD_CLIENT", client});
    else
        log->write(log->context, level, line);
}

#define logger_print(log, level, ...) logger_print_client((log), (level), NULL, __VA_ARGS__)
#define LOG_ERROR(log, ...) logger_print((log), LOG_LEVEL_ERROR, __VA_ARGS__)
#define LOG_WARNING(log, ...) logger_print((log), LOG_LEVEL_WARNING, __VA_ARGS__)
#define LOG_INFO(log, ...) logger_print((log), LOG_LEVEL_INFO, __VA_ARGS__)
#define LOG_DEBUG(log, ...) logger_print((log), LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif

/* Messages for people, on standard error: "clashd: warning: ...", one line each, control characters escaped, repeats
 * summed up (limit.h). If standard error is journald's, they go there as entries with fields (journal.h), or else each
 * line begins with its priority instead of its level. Knows nothing of what is logged. */
#ifndef CLASHD_LOG_LOG_OUTPUT_H
#define CLASHD_LOG_LOG_OUTPUT_H

#include "limit.h"
#include "ports/log.h"

#include <pthread.h>

#include <stdbool.h>

/** Where messages go, and which; the caller's memory. */
typedef struct app_log {
    const char *program;     /* first word of every line; must outlive the log */
    _Atomic log_level level; /* the least important level that is written */
    int fd;
    bool journal;   /* the descriptor is journald's: lines begin with "<3>" and so on, */
    int journal_fd; /* unless they go here as entries; -1: none does */
    pthread_mutex_t mutex;
    log_limit limit; /* under the mutex */
} app_log;

/** Set the level from now on; any thread. */
void app_log_set_level(app_log *log, log_level level);
/** Begin; writes to standard error. */
void app_log_init(app_log *log, const char *program, log_level level);
/** Report the repeats not reported yet. Nobody may log during the call or after it. */
void app_log_finish(app_log *log);
/** Return it as the port, valid as long as `log` is not moved; any thread. */
logger app_log_port(app_log *log);

/** Return "error", "warning", "info" or "debug". */
const char *app_log_level_name(log_level level);
/** Parse a level's name. Return 0, or -1 if there is no such level. */
int app_log_level_parse(const char *name, log_level *out_level);

#endif

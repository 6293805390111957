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
typedef struct log_output {
    const char *program;     /* first word of every line; must outlive the log */
    _Atomic log_level level; /* the least important level that is written */
    int fd;
    bool journal;   /* the descriptor is journald's: lines begin with "<3>" and so on, */
    int journal_fd; /* unless they go here as entries; -1: none does */
    pthread_mutex_t mutex;
    log_limit limit; /* under the mutex */
} log_output;

/** Set the level from now on; any thread. */
void log_output_set_level(log_output *log, log_level level);
/** Begin; writes to standard error. */
void log_output_init(log_output *log, const char *program, log_level level);
/** Report the repeats not reported yet. Nobody may log during the call or after it. */
void log_output_finish(log_output *log);
/** Return it as the port, valid as long as `log` is not moved; any thread. */
logger log_output_port(log_output *log);

/** Return "error", "warning", "info" or "debug". */
const char *log_level_name(log_level level);
/** Parse a level's name. Return 0, or -1 if there is no such level. */
int log_level_parse(const char *name, log_level *out_level);

#endif

/* Messages for people, on standard error: "clashd: warning: ...", one line each, control characters escaped, repeats summed up
 * (limit.h). Where standard error is journald's they go there as entries with fields (journal.h), and if that cannot
 * be, each line says its priority instead of its level. Knows nothing of what is logged. */
#ifndef CLASHD_LOG_LOG_OUTPUT_H
#define CLASHD_LOG_LOG_OUTPUT_H

#include "limit.h"
#include "ports/log.h"

#include <pthread.h>

#include <stdbool.h>

/** Where messages go and which; the caller's memory. */
typedef struct app_log {
    const char *program;     /* first word of every line; outlives the log */
    _Atomic log_level level; /* the least important that is written */
    int fd;
    bool journal;   /* the descriptor is journald's: "<3>" and so on in front.. */
    int journal_fd; /* ..of what does not go there as an entry; -1: none does */
    pthread_mutex_t mutex;
    log_limit limit; /* under the mutex */
} app_log;

/** From now on; any thread. */
void app_log_set_level(app_log *log, log_level level);
/** Writes to standard error. */
void app_log_init(app_log *log, const char *program, log_level level);
/** Says what is still owed of repeats. No other thread may log any more, nor anybody from then on. */
void app_log_finish(app_log *log);
/** As the port, valid as long as `log` stays where it is; any thread. */
logger app_log_port(app_log *log);

/** "error", "warning", "info", "debug". */
const char *app_log_level_name(log_level level);
/** 0, or -1 if there is no such level. */
int app_log_level_parse(const char *name, log_level *out_level);

#endif

/* Messages for people, on standard error: "clashd: warning: ...", one line each, one write each, so that threads do not
 * mix. Under journald each line says its priority instead of its level. Knows nothing of what is logged. */
#ifndef CLASHD_APP_LOG_H
#define CLASHD_APP_LOG_H

#include "ports/log.h"

#include <stdbool.h>

/** Where messages go and which; the caller's memory, unchanged after init. */
typedef struct app_log {
    const char *program; /* first word of every line; outlives the log */
    log_level level;     /* the least important that is written */
    int fd;
    bool journal; /* the descriptor is journald's: "<3>" and so on in front */
} app_log;

/** Writes to standard error. */
void app_log_init(app_log *log, const char *program, log_level level);
/** As the port, valid as long as `log` stays where it is; any thread. */
logger app_log_port(const app_log *log);

/** "error", "warning", "info", "debug". */
const char *app_log_level_name(log_level level);
/** 0, or -1 where there is no such level. */
int app_log_level_parse(const char *name, log_level *out_level);

#endif

/* The daemon: makes source, pipeline and sinks as settings and flags say, joins them on one loop, runs until a signal or
 * the end of a replay, and takes everything apart again. */
#ifndef CLASHD_APP_DAEMON_H
#define CLASHD_APP_DAEMON_H

#include "config/config.h"
#include "config/options.h"
#include "log/log_output.h"

/** `space` is what poses are relative to, as hello says it. `config` becomes another where a reload makes it so, and `log` then
 *  gets its level. Returns the exit code: 0, or 2 where it cannot start, which has then been logged. */
int app_daemon_run(app_config *config, const app_options *options, const char *space, app_log *log);

#endif

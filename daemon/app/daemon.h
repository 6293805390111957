/* The daemon: create source, pipeline and sinks as settings and flags say, join them on one loop, run until a signal or
 * the end of a replay, and take everything apart again. */
#ifndef CLASHD_APP_DAEMON_H
#define CLASHD_APP_DAEMON_H

#include "config/options.h"
#include "config/settings.h"
#include "log/log_output.h"
#include "ports/web_asset.h"

/** Run the daemon. A reload changes `settings`, and may change the level of `output`. Return the exit code: 0, or 2 if
   *  it cannot start, which has been logged. `assets`: the page that it serves. */
int app_daemon_run(config_settings *settings, const config_options *options, const web_assets *assets,
                   log_output *output);

#endif

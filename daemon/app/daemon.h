/* The daemon: makes source, pipeline and sinks as settings and flags say, joins them on one loop, runs until a signal or
 * the end of a replay, and takes everything apart again. */
#ifndef CLASHD_APP_DAEMON_H
#define CLASHD_APP_DAEMON_H

#include "config/options.h"
#include "config/settings.h"
#include "log/log_output.h"
#include "ports/web_asset.h"

/** `settings` become others where a reload makes them so, and `output` then gets its level. Returns the exit code: 0, or 2 where it
 *  cannot start, which has then been logged. `assets`: the page that it serves. */
int app_daemon_run(app_settings *settings, const app_options *options, const web_assets *assets, app_log *output);

#endif

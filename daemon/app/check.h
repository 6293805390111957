/* What --check-config finds out: all that would keep a start with these settings from beginning, as far as it can be known without
 * taking, making or changing anything; and what a start would do, but nobody can have meant. */
#ifndef CLASHD_APP_CHECK_H
#define CLASHD_APP_CHECK_H

#include "cli/failure.h"
#include "config/settings.h"

/** Reads all files of targets, waiting for them, and looks at the directories. 0, or -1 with a message in out_failure
 *  bytes. */
int app_check_start(const app_settings *settings, const app_options *options, failure *out_failure);

/** Calls `say` for each blade and target on a device that its source never has, with a line that names it. */
void app_check_devices(const app_settings *settings, const app_options *options,
                       void (*say)(void *context, const char *line), void *context);

#endif

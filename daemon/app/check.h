/* What --check-config does: find everything that would keep a start with these settings from succeeding, as far as that
 * can be known without creating or changing anything. */
#ifndef CLASHD_APP_CHECK_H
#define CLASHD_APP_CHECK_H

#include "cli/failure.h"
#include "config/settings.h"

/** Read all files of targets, waiting for them, and look at the directories. Return 0, or -1 with a message in
 *  out_failure. */
int app_check_start(const config_settings *settings, const config_options *options, failure *out_failure);

#endif

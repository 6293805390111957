/* The contacts of a recording as a table, a row for each: for spreadsheets. */
#ifndef CLASHD_OFFLINE_CONTACTS_CSV_H
#define CLASHD_OFFLINE_CONTACTS_CSV_H

#include "cli/failure.h"
#include "config/config.h"

#include <stdio.h>

/** Finds them anew with the recording's own settings, and writes them in the order in which they end. 0, or -1 with a
 *  message in out_failure. *out_count contacts. */
int app_contacts_csv(recording *r, const char *origin, FILE *out, uint64_t *out_count, failure *out_failure);

#endif

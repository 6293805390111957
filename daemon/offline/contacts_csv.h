/* The contacts of a recording as a table, a row for each: for spreadsheets. */
#ifndef CLASHD_OFFLINE_CONTACTS_CSV_H
#define CLASHD_OFFLINE_CONTACTS_CSV_H

#include "detect.h"

#include <stdio.h>

typedef struct contacts_report {
    uint64_t rows;    /* contacts that have ended */
    uint64_t clashes; /* that have begun */
    int write_error;  /* errno of a write to `out` that failed, with which it ended; 0: all is written */
    detect_report found;
} contacts_report;

/** Find them anew under those settings, and write them in the order in which they end. Return 0, or -1 with a message in
 *  out_failure. */
int contacts_csv(recording *r, const config_values *config, FILE *out, contacts_report *out_report,
                 failure *out_failure);

#endif

/* A recording as MCAP, as Foxglove shows it: frames of devices, blades, targets, sparks of clashes, speeds, events, a log; and on the
 * topic /recording its lines as they stand in it, of which the recording can be made again. */
#ifndef CLASHD_OFFLINE_MCAP_EXPORT_H
#define CLASHD_OFFLINE_MCAP_EXPORT_H

#include "detect.h"

#include <stdio.h>

typedef struct mcap_report {
    uint64_t lines;     /* of the recording, the header too */
    uint64_t messages;  /* all of them */
    uint64_t too_large; /* pictures that do not fit: not drawn */
    int write_error;    /* errno of a write to `out`, with which it ended; 0: all is written */
    detect_report found;
} mcap_report;

/** Read `r` to its end under those settings, and write to `out`, which may be a pipe. Return 0, or -1 with a message in out_failure. */
int mcap_export(recording *r, const config_values *config, FILE *out, mcap_report *out_report, failure *out_failure);

#endif

/* Whether a recording's events are what its poses give: found anew and held against those in the file, one by one and in
 * order, to the bit. A file that begins within its session, or goes on after a gap, is compared from the first moment on
 * at which nothing touches. */
#ifndef CLASHD_OFFLINE_VERIFY_H
#define CLASHD_OFFLINE_VERIFY_H

#include "cli/failure.h"
#include "detect.h"

typedef struct verify_report {
    detect_report found;
    uint64_t recorded;      /* events in the file */
    uint64_t compared;      /* pairs of them */
    uint64_t clashes;       /* among those */
    uint64_t passed;        /* not compared: what they came of is not in the file */
    uint64_t behind_damage; /* not compared either */
    uint64_t gaps;
    bool is_damaged;     /* within; nothing after that was compared */
    bool differs;        /* of the first difference: */
    uint64_t difference; /* line of the file */
    failure reason;
    char *recorded_line, *found_line; /* NULL if there is none; freed by verify_finish */
} verify_report;

/** Read `r` to its end, under the settings. Return 0, or -1 with a message in out_failure. */
int verify_run(recording *r, const config_values *config, verify_report *out_report, failure *out_failure);
void verify_finish(verify_report *report);

#endif

/* Report a recording's damage to the user: the first few places each, the others as a number. */
#ifndef CLASHD_CTL_DAMAGE_REPORT_H
#define CLASHD_CTL_DAMAGE_REPORT_H

#include "protocol/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct damage_report {
    const char *command, *file; /* the caller's */
    uint64_t seen;
    bool is_over;
} damage_report;

/** Open a recording whose damage is reported, for that command; `report` lives as long. NULL after a message. */
recording *damage_report_open(damage_report *report, const char *command, const char *file);
/** After the last: report how many there were, if not all were named. Nothing is reported from then on. */
void damage_report_end(damage_report *report);

#endif

/* Report a recording's damage to the user: the first few places each, the others as a number. */
#ifndef CLASHD_CTL_DAMAGE_REPORT_H
#define CLASHD_CTL_DAMAGE_REPORT_H

#include <stdint.h>

typedef struct damage_report {
    const char *command, *file; /* the caller's */
    uint64_t seen;
} damage_report;

/** Report one place; takes a damage_report, so that it can be given to recording_open. */
void damage_report_add(void *report, uint64_t line_number, const char *message);
/** After the last: report how many there were, if not all were named. */
void damage_report_end(const damage_report *report);

#endif

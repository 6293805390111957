/* What is damaged in a recording, as a command's user is told of it: the first few places by name, the others by number. */
#ifndef CLASHD_CTL_DAMAGE_REPORT_H
#define CLASHD_CTL_DAMAGE_REPORT_H

#include <stdint.h>

typedef struct damage_report {
    const char *command, *file; /* the caller's */
    uint64_t seen;
} damage_report;

/** One place; takes a damage_report, so that it can be given to recording_open. */
void damage_report_add(void *report, uint64_t line_number, const char *message);
/** After the last: how many there were, where not all have been named. */
void damage_report_end(const damage_report *report);

#endif

/* A recording through the pipeline, as fast as it can: the event lines that the daemon would send. No loop, no socket; the
 * times are the recording's own. */
#ifndef CLASHD_OFFLINE_DETECT_H
#define CLASHD_OFFLINE_DETECT_H

#include "cli/failure.h"
#include "config/config.h"

typedef struct detect_output {
    void *context;
    /** Called with each event, as on the wire, newline included. Return false to stop. */
    bool (*line)(void *context, const clash_event *event, const char *line, size_t length);
    /** Called with each item of the recording, its end too, before the item's events. May be NULL. */
    void (*item)(void *context, const recording_item *item);
} detect_output;

typedef struct detect_report {
    uint64_t frames; /* poses lines */
    int64_t first_ns, last_ns;
    bool stopped;        /* by the output, before the end */
    uint64_t lost_lines; /* events too long to be sent: see PROTOCOL_LINE_MAX */
    pipeline_counters counters;
    recording_counters recording;
} detect_report;

/** Read `r` from where it stands to its end, and tell cli/progress.h how far it is. 0 (also if the output stopped it), or
 *  -1 (also if a target of the recording cannot be made, as its file is not there any more) with a message in out_failure,
 *  CONFIG_ERROR_MAX bytes. */
int detect_run(recording *r, const config_values *config, const detect_output *output, detect_report *out_report,
               failure *out_failure);
/** Tell cli/progress.h how far `r` has been read. */
void detect_progress(const recording *r);

#endif

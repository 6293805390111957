/* A trace for Perfetto (https://ui.perfetto.dev) and chrome://tracing: a JSON array of events in Chrome's trace event
 * format. It can be opened even if its end is missing. Times are ns, of one clock. */
#ifndef CLASHD_CTL_TRACE_FILE_H
#define CLASHD_CTL_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct trace_file {
    FILE *out;
    uint64_t events, spans;
    int error; /* errno of the first failed write */
} trace_file;

/** A number attached to a span. */
typedef struct trace_note {
    const char *name; /* NULL: none */
    double value;
} trace_note;

#define TRACE_NOTES_MAX 4

void trace_begin(trace_file *t, FILE *out, const char *process);
/** Draw a span in the row `row`, together with others of that row; they may overlap. `notes` ends with a NULL name. */
void trace_span(trace_file *t, const char *row, const char *name, int64_t from_ns, int64_t to_ns,
                const trace_note *notes);
/** Draw a value from that time on. */
void trace_counter(trace_file *t, const char *name, int64_t time_ns, double value);
/** End the trace. Return 0, or the errno of the first failed write. `out` stays open. */
int trace_end(trace_file *t);

#endif

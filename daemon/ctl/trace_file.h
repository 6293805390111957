/* A trace as Perfetto (https://ui.perfetto.dev) and chrome://tracing read it: an array of events, JSON, of Chrome's trace event
 * format. What has been written can be opened even if the end is missing. Times are ns, of one clock. */
#ifndef CLASHD_CTL_TRACE_FILE_H
#define CLASHD_CTL_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct trace_file {
    FILE *out;
    uint64_t events, spans;
    int error; /* errno of the first write that failed */
} trace_file;

/** One more thing that is said of a span: a number. */
typedef struct trace_note {
    const char *name; /* NULL: none */
    double value;
} trace_note;

#define TRACE_NOTES_MAX 4

void trace_begin(trace_file *t, FILE *out, const char *process);
/** From one time to another, in a row `row` together with others like it; they may overlap. `notes` ends with a NULL name. */
void trace_span(trace_file *t, const char *row, const char *name, int64_t from_ns, int64_t to_ns,
                const trace_note *notes);
/** A value from that time on. */
void trace_counter(trace_file *t, const char *name, int64_t time_ns, double value);
/** 0, or the errno of the first write that failed. `out` stays open. */
int trace_end(trace_file *t);

#endif

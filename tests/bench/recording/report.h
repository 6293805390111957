/* What the recording benchmark measured, and how it is shown. */
#ifndef BENCH_RECORDING_REPORT_H
#define BENCH_RECORDING_REPORT_H

#include <stdio.h>

#include "bench.h"

enum { PASSES_MAX = 99, STAGES_MAX = 8, COMMANDS_MAX = 8, FORMS = 2 };

/** One workload, plain (form 0) and compressed (form 1). */
typedef struct measured {
    const workload *of;
    input in;
    unsigned passes;
    double stages[FORMS][STAGES_MAX][PASSES_MAX]; /* s of the processor */
    spent commands[FORMS][COMMANDS_MAX][PASSES_MAX];
} measured;

/** Markdown tables; medians of the passes. */
void report_print(FILE *out, const measured *list, size_t count);
/** One row for each pass. */
void report_write_csv(FILE *out, const measured *list, size_t count);

#endif

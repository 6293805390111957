/* What `status` says, as Prometheus reads it: text format 0.0.4. Every counter of `status` has its name there in the table of
 * table.c; one that is missing there is left out, which a test finds. Pure: a status in, text out. */
#ifndef CLASHD_METRICS_METRICS_H
#define CLASHD_METRICS_METRICS_H

#include "protocol/messages/codec.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

typedef enum metrics_kind { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM } metrics_kind;

/** Rows of one metric, which differ in their labels, follow each other. */
typedef struct metrics_row {
    const char *counter; /* in `status` */
    const char *name;
    const char *labels; /* "" or as they stand between the braces */
    metrics_kind kind;
    const char *help;
} metrics_row;

extern const metrics_row metrics_table[];
extern const size_t metrics_table_size;

/** The page, on the heap, and how long it is; NULL when out of memory. */
char *metrics_format(const protocol_status *status, size_t *out_length);

#endif

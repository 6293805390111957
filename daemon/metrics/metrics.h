/* `status` in Prometheus' text format 0.0.4. Pure: a status in, text out. */
#ifndef CLASHD_METRICS_METRICS_H
#define CLASHD_METRICS_METRICS_H

#include "ports/counter.h"
#include "protocol/messages/codec.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** Return the page, on the heap, and its length; NULL when out of memory. `counters` are those of `status`, with their
 *  metrics' names and help. */
char *metrics_format(const protocol_status *status, const counter_list *counters, size_t *out_length);

#endif

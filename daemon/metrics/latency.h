/* Count durations in fixed buckets: allocates nothing and never overflows its memory. Reads no clock. One thread. */
#ifndef CLASHD_METRICS_LATENCY_H
#define CLASHD_METRICS_LATENCY_H

#include "protocol/messages/codec.h"

/** The upper bounds of the buckets, ns. */
extern const int64_t latency_bounds_ns[PROTOCOL_HISTOGRAM_BOUNDS];

/** Zero-initialise. */
typedef struct latency {
    protocol_histogram histogram;
} latency;

/** Add one. A pose may lie in the future if the runtime predicts: less than 0 counts as 0. */
void latency_add(latency *l, int64_t took_ns);

#endif

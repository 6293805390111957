/* How long things took, counted into fixed buckets: nothing is allocated, and nothing is lost however many there are. Reads no
 * clock. One thread. */
#ifndef CLASHD_METRICS_LATENCY_H
#define CLASHD_METRICS_LATENCY_H

#include "protocol/messages/codec.h"

/** The upper bounds of the buckets, ns. */
extern const int64_t latency_bounds_ns[PROTOCOL_HISTOGRAM_BOUNDS];

/** Zeroed at first. */
typedef struct latency {
    protocol_histogram histogram;
} latency;

/** Poses may be of a time to come, where the runtime predicts them: less than 0 counts as 0. */
void latency_add(latency *l, int64_t took_ns);

#endif

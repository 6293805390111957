/* Buckets of 1, 2, 5, from what the loop needs to pass a sample on to what a person sees as a delay. See latency.h. */
#include "latency.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

const int64_t latency_bounds_ns[PROTOCOL_HISTOGRAM_BOUNDS] = {50 * US,  100 * US, 200 * US, 500 * US, 1 * MS,
                                                              2 * MS,   5 * MS,   10 * MS,  20 * MS,  50 * MS,
                                                              100 * MS, 200 * MS, 500 * MS, 1000 * MS};

void latency_add(latency *l, int64_t took_ns)
{
    size_t bucket = 0;

    if (took_ns < 0)
        took_ns = 0;
    while (bucket < PROTOCOL_HISTOGRAM_BOUNDS && took_ns > latency_bounds_ns[bucket])
        bucket++;
    l->histogram.counts[bucket]++;
    l->histogram.sum_ns += (uint64_t)took_ns;
}

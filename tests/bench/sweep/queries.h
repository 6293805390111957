/* The benchmark's queries: five workloads from one seed, each query with a certain answer by exhaustive search. Nothing
 * here is timed. What each workload is made of stands in README.md. */
#ifndef CLASHD_BENCH_SWEEP_QUERIES_H
#define CLASHD_BENCH_SWEEP_QUERIES_H

#include <clash/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WORKLOAD_RANDOM, WORKLOAD_FAR, WORKLOAD_DROPPED, WORKLOAD_HITS, WORKLOAD_PARALLEL, WORKLOADS };

extern const char *const workload_names[WORKLOADS];

/** Query i is bodies[2 i] against bodies[2 i + 1], which is also what pairs[i] says. */
typedef struct query_set {
    size_t count;
    clash_body *bodies;
    uint32_t (*pairs)[2];
    clash_sweep_result *truths; /**< APART, HIT or OVERLAP; all are certain by 0.02 mm of distance */
    size_t hits;                /**< how many of them are HIT: touching, but apart at the start */
} query_set;

/** Fills `out_set`; false where there is no memory. The same workload, count and seed give the same queries. */
bool query_set_init(query_set *out_set, int workload, size_t count, uint64_t seed);
void query_set_finish(query_set *set);

/** Distance between the two axes of query i at `fraction`, by the reference, m. */
double query_distance(const query_set *set, size_t i, double fraction);

#ifdef __cplusplus
}
#endif
#endif

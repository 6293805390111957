/* Those that compete: each answers the same queries, a blade against a solid target. Shapes are made in prepare(), which is
 * not timed. */
#ifndef CLASHD_BENCH_TARGETS_CONTENDER_H
#define CLASHD_BENCH_TARGETS_CONTENDER_H

#include <clash/sweep.h>

#include "support/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_query {
    clash_body blade;
    impact_target target;
} bench_query;

typedef struct contender {
    const char *name;
    void *(*prepare)(const bench_query *queries, size_t count);
    /** out_answers[i] of query i: the fraction of the first contact, negative where there is none. */
    void (*run)(const bench_query *queries, void *prepared, size_t count, double *out_answers);
    void (*release)(void *prepared);
} contender;

extern const contender contender_bullet;

#ifdef __cplusplus
}
#endif
#endif

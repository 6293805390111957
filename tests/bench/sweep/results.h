/* What was measured, and how it is printed. */
#ifndef CLASHD_BENCH_SWEEP_RESULTS_H
#define CLASHD_BENCH_SWEEP_RESULTS_H

#include <stdio.h>

#include "contenders.h"

enum { CONTENDERS_MAX = 24 };

typedef struct result {
    double ns;              /**< a query */
    size_t missed;          /**< touching, apart at the start, and not reported */
    size_t invented;        /**< reported where nothing touches */
    size_t overlaps_unseen; /**< touching at the start, and not reported there */
    double worst_gap;       /**< m, between the surfaces at the reported first contact, of contacts that there are */
} result;

typedef struct results {
    const contender *contenders[CONTENDERS_MAX];
    size_t contender_count;
    result of[CONTENDERS_MAX][WORKLOADS];
    query_set sets[WORKLOADS];
    int passes;
    uint64_t seed;
} results;

/** The tables, in Markdown. */
void results_print(FILE *out, const results *r);
void results_print_csv(FILE *out, const results *r);
/** Whether ours gave a wrong answer to any query; says so on stderr. */
bool results_are_wrong(const results *r);

#endif

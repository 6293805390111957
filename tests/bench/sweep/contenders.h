/* Those that compete: each answers the same queries, a block at a time. What can be known before a frame comes (shapes, or
 * where a row says so the motions) is made in prepare(), which is not timed. */
#ifndef CLASHD_BENCH_SWEEP_CONTENDERS_H
#define CLASHD_BENCH_SWEEP_CONTENDERS_H

#include "queries.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contender {
    const char *key;  /**< in the CSV */
    const char *name; /**< in the table */
    bool detects;     /**< false: it only measures a distance, so it can be neither right nor wrong */
    bool is_ours;     /**< it must not be wrong even once */
    bool is_variant;  /**< it finds what the row before it finds, in another time: left out where times do not matter */
    size_t stride;    /**< bytes a query of what prepare() returns, if that is an array to be read; else 0 */
    void *(*prepare)(const query_set *set);
    /** Answers queries from .. from + count - 1. out_answers[i] of query i: the fraction of the first contact, negative
     *  where there is none. */
    void (*run)(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers);
    /** Not timed: turns what run() left in `prepared` into answers, for all queries. NULL where run() gives them. */
    void (*collect)(const query_set *set, void *prepared, double *out_answers);
    void (*release)(void *prepared);
} contender;

extern const contender contender_sweep, contender_pairs, contender_clash_distance;
extern const contender contender_double, contender_double_ball, contender_double_ready, contender_double_ready_ball;
extern const contender contender_float, contender_float_ball, contender_float_ready, contender_float_ready_ball;
extern const contender contender_current, contender_straight, contender_distance;
extern const contender contender_fcl, contender_bullet;

#ifdef __cplusplus
}
#endif
#endif

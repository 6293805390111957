/* Properties of random swings, tried on one seed after another: a failure prints its seed, and CLASHD_SEED runs that
 * one alone. */
#ifndef CLASHD_TESTS_SWINGS_SEEDS_H
#define CLASHD_TESTS_SWINGS_SEEDS_H

#include <inttypes.h>
#include <stdio.h>

#include "support/swings.h"

static uint64_t current_seed;

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition))                                                                         \
            fail_msg("line %d, CLASHD_SEED=%" PRIu64 ": %s", __LINE__, current_seed, #condition); \
    } while (0)

/** What a test keeps for its properties; it defines this itself. */
typedef struct bench bench;

/** Fill `s`, which is b's, for each seed and try the property on b; it returns how many contacts it examined. */
static inline void for_all_seeds(long normal, bench *b, swings *s, size_t (*property)(bench *b))
{
    const long cases = getenv("CLASHD_SEED") ? 1 : random_cases(normal);
    size_t contacts = 0;

    for (long i = 0; i < cases; i++) {
        current_seed = random_seed((uint64_t)i + 1);
        swings_make(s, current_seed);
        contacts += property(b);
    }
    printf("%ld cases, %zu contacts\n", cases, contacts);
    assert_true((long)contacts > random_enough(0));
}

#endif

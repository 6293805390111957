/* Queries of all nineteen kinds, plain and hard, under one number. */
#ifndef CLASHD_TESTS_ANY_QUERY_H
#define CLASHD_TESTS_ANY_QUERY_H

#include "support/queries_hard.h"

enum { ANY_KINDS = QUERY_KINDS + HARD_KINDS };

static inline const char *any_name(int kind)
{
    return kind < QUERY_KINDS ? query_names[kind] : hard_names[kind - QUERY_KINDS];
}

static inline query any_query(random_state *r, int kind)
{
    return kind < QUERY_KINDS ? query_make(r, kind) : hard_make(r, (hard_kind)(kind - QUERY_KINDS));
}

static inline double any_limit(const query *q)
{
    return (double)q->a.shape.radius + (double)q->b.shape.radius;
}

#endif

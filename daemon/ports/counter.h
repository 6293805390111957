/* Port: the counters of a room. Each is declared once, in the room that counts: `status` has its name and value,
 * /metrics everything. Interface only: depends on nothing. */
#ifndef CLASHD_PORTS_COUNTER_H
#define CLASHD_PORTS_COUNTER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Strings are static. */
typedef struct counter_row {
    const char *name;   /* in `status` */
    const char *metric; /* for Prometheus: in base units; ends in _total if, and only if, it never falls. Labels in
                           braces; rows of one metric follow each other */
    const char *help;   /* of the metric */
    uint64_t value;
} counter_row;

/** Enough for all rooms together. */
#define COUNTERS_MAX 128

typedef struct counter_list {
    counter_row rows[COUNTERS_MAX];
    size_t count;
} counter_list;

static inline void counter_list_add(counter_list *list, const counter_row *rows, size_t count)
{
    assert(list->count + count <= COUNTERS_MAX);
    memcpy(list->rows + list->count, rows, count * sizeof *rows);
    list->count += count;
}

#endif

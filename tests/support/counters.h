/* A room's counters by name. */
#ifndef TESTS_COUNTERS_H
#define TESTS_COUNTERS_H

#include "ports/counter.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static inline uint64_t counter_named(const counter_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->rows[i].name, name) == 0)
            return list->rows[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

#endif

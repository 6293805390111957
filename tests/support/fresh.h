/* A failure without what was noted before: only the first note counts. */
#ifndef TESTS_FRESH_H
#define TESTS_FRESH_H

#include "cli/failure.h"

static inline failure *fresh(failure *f)
{
    *f = (failure){.text = ""};
    return f;
}

#endif

/* A failure that has none of what was wrong before: only the first thing is noted. */
#ifndef TESTS_FRESH_H
#define TESTS_FRESH_H

#include "cli/failure.h"

static inline failure *fresh(failure *f)
{
    *f = (failure){.text = ""};
    return f;
}

#endif

/* How names of files end. */
#ifndef CLASHD_CLI_NAME_END_H
#define CLASHD_CLI_NAME_END_H

#include <stdbool.h>
#include <string.h>

/** Return whether `end` is the end of `name`, or all of it. */
static inline bool name_ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

#endif

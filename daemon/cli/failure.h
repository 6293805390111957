/* What went wrong, in words for people: whoever finds it notes it, whoever can do something about it shows it. */
#ifndef CLASHD_CLI_FAILURE_H
#define CLASHD_CLI_FAILURE_H

#include <stdbool.h>

#define FAILURE_MAX 1024

/** Zeroed: nothing is wrong. One line; what does not fit is cut off. */
typedef struct failure {
    char text[FAILURE_MAX];
} failure;

/** Notes what is wrong. The first one counts: others come of it. Always false, for a function to return. */
__attribute__((format(printf, 2, 3))) bool fail_with(failure *f, const char *format, ...);
/** The same, for functions that say it by -1. */
__attribute__((format(printf, 2, 3))) int fail_int(failure *f, const char *format, ...);

#endif

/* What went wrong, in words for people: whoever finds it notes it, whoever can act on it shows it. */
#ifndef CLASHD_CLI_FAILURE_H
#define CLASHD_CLI_FAILURE_H

#include <stdbool.h>

#define FAILURE_MAX 1024

/** Zeroed: nothing is wrong. One line; what does not fit is cut. */
typedef struct failure {
    char text[FAILURE_MAX];
} failure;

/** Note what is wrong. Only the first note counts, as others follow from it. Always returns false, for a function to
 *  return. */
__attribute__((format(printf, 2, 3))) bool fail_with(failure *f, const char *format, ...);
/** The same for functions that return -1. */
__attribute__((format(printf, 2, 3))) int fail_int(failure *f, const char *format, ...);

#endif

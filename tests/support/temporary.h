/* What mkdtemp and mkstemp replace at the end of a name. */
#ifndef CLASHD_TESTS_TEMPORARY_H
#define CLASHD_TESTS_TEMPORARY_H

#define TEMPORARY \
    "X"           \
    "X"           \
    "X"           \
    "X"           \
    "X"           \
    "X"

#endif

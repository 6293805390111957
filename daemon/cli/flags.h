/* Command lines by table: one row a flag, from which it is both parsed and explained, so that --help cannot lie.
 * Errors name the flag, the value and what was expected. Knows neither clashd's flags nor clashctl's. */
#ifndef CLASHD_CLI_FLAGS_H
#define CLASHD_CLI_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#define FLAGS_MAX 32

/** 0, or -1 with what was expected (no newline, no flag, no value) in out_expected. `value` is NULL for a flag that takes
 *  none; it is part of argv and lives as long. */
typedef int (*flag_function)(void *target, const char *value, char *out_expected, size_t size);

typedef struct flag {
    const char *name;     /* without the dashes */
    const char *argument; /* what --help calls its value; NULL: takes none */
    const char *help;     /* '\n' where a line ends */
    flag_function set;
} flag;

typedef struct flag_table {
    const flag *flags;
    size_t count; /* at most FLAGS_MAX */
} flag_table;

/** Hands every flag of argv[1..] to its row. What is no flag is moved to the end of argv, and *out_rest is the index of
 *  the first. 0, or -1 with the whole message (no newline) in out_error. Not reentrant: getopt_long. */
int flags_parse(const flag_table *table, int argc, char **argv, void *target, int *out_rest, char *out_error,
                size_t size);
/** Two columns on standard output. */
void flags_print(const flag_table *table);

/** The whole of `text` as a finite number; false where it is none. */
bool flags_parse_number(const char *text, double *out_number);

#endif

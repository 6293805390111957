/* Command lines by table: one row for each flag, from which it is both parsed and explained, so --help cannot be wrong.
 * Errors name the flag, the value and what was expected. Knows neither clashd's flags nor clashctl's. */
#ifndef CLASHD_CLI_FLAGS_H
#define CLASHD_CLI_FLAGS_H

#include "failure.h"
#include <stdbool.h>
#include <stddef.h>

#define FLAGS_MAX 32
/** What flags_parse returns if the version is to be printed. */
#define FLAGS_VERSION 1

/** Parse a value of none of the types below. Return 0, or -1 with what was expected (no newline, no flag, no value) in
 *  out_expected. `value` is part of argv and lives as long. */
typedef int (*flag_function)(void *member, const char *value, failure *out_expected);

typedef enum flag_type {
    FLAG_IS_CHOICE,        /* takes no value; an int is set to `least`, and.. */
    FLAG_IS_SWITCH,        /* ..a bool to true */
    FLAG_IS_TEXT,          /* a const char *, which is part of argv.. */
    FLAG_IS_PATH,          /* ..and not empty */
    FLAG_IS_NUMBER,        /* a double from `least` to `most` */
    FLAG_IS_NUMBER_OR_MAX, /* 0 for max */
    FLAG_IS_OTHER          /* as `set` has it */
} flag_type;

typedef struct flag {
    const char *name;     /* without the dashes */
    const char *argument; /* the value's name in --help; NULL: takes none */
    const char *help;     /* '\n' between lines */
    flag_type type;
    size_t offset; /* of the member of the target */
    double least, most;
    flag_function set;
    const char *words; /* possible values, separated by blanks; one that ends in ":" continues. NULL: not listed */
} flag;

/* The rows of a table; TARGET is the struct that flags_parse fills. */
#define FLAG_ROW(name, argument, TARGET, member, help, type, least, most, set)       \
    {                                                                                \
        name, argument, help, type, offsetof(TARGET, member), least, most, set, NULL \
    }
#define FLAG_CHOICE(name, TARGET, member, value, help) \
    FLAG_ROW(name, NULL, TARGET, member, help, FLAG_IS_CHOICE, value, 0, NULL)
#define FLAG_SWITCH(name, TARGET, member, help) FLAG_ROW(name, NULL, TARGET, member, help, FLAG_IS_SWITCH, 0, 0, NULL)
#define FLAG_HELP(TARGET) FLAG_SWITCH("help", TARGET, help, "print this, and stop")
#define FLAG_TEXT(name, argument, TARGET, member, help) \
    FLAG_ROW(name, argument, TARGET, member, help, FLAG_IS_TEXT, 0, 0, NULL)
#define FLAG_PATH(name, argument, TARGET, member, help) \
    FLAG_ROW(name, argument, TARGET, member, help, FLAG_IS_PATH, 0, 0, NULL)
#define FLAG_NUMBER(name, argument, TARGET, member, least, most, help) \
    FLAG_ROW(name, argument, TARGET, member, help, FLAG_IS_NUMBER, least, most, NULL)
#define FLAG_NUMBER_OR_MAX(name, argument, TARGET, member, least, most, help) \
    FLAG_ROW(name, argument, TARGET, member, help, FLAG_IS_NUMBER_OR_MAX, least, most, NULL)
#define FLAG_OTHER(name, argument, TARGET, member, set, help) \
    FLAG_ROW(name, argument, TARGET, member, help, FLAG_IS_OTHER, 0, 0, set)
/* Like FLAG_OTHER and FLAG_TEXT for a value with known words, which shells complete. */
#define FLAG_NAME(name, argument, words, TARGET, member, help)                          \
    {                                                                                   \
        name, argument, help, FLAG_IS_TEXT, offsetof(TARGET, member), 0, 0, NULL, words \
    }
#define FLAG_WORDS(name, argument, words, TARGET, member, set, help)                    \
    {                                                                                   \
        name, argument, help, FLAG_IS_OTHER, offsetof(TARGET, member), 0, 0, set, words \
    }

typedef struct flag_table {
    const flag *flags;
    size_t count; /* at most FLAGS_MAX */
} flag_table;

/** Hand every flag of argv[1..] to its row. Other arguments are moved to the end of argv, and *out_rest is the index of
 *  the first. -h is the row "help", and -V the row "version"; without such a row --version and -V return FLAGS_VERSION.
 *  Return 0, or -1 with the whole message (no newline) in out_failure. Not reentrant: getopt_long. */
int flags_parse(const flag_table *table, int argc, char **argv, void *target, int *out_rest, failure *out_failure);
/** Print two columns on standard output. */
void flags_print(const flag_table *table);

/** Parse the whole of `text` as a finite number; return false if it is none. */
bool flags_parse_number(const char *text, double *out_number);

#endif

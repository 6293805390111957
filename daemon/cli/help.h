/* What --help says, as a page: printed for who asks, and handed whole to the program that makes the manual of all pages. */
#ifndef CLASHD_CLI_HELP_H
#define CLASHD_CLI_HELP_H

#include "flags.h"

typedef struct help_page {
    const char *program; /* clashd, clashctl */
    const char *command; /* of the program; NULL: the program's own page */
    const char *
        arguments; /* as `usage` shows them: a word in capitals stands for a value, words with | between them for a choice */
    const char *text;        /* lines of at most 80 characters, the last one ended too; an empty one ends a paragraph */
    const flag_table *table; /* NULL: no flags */
    const char *after;       /* likewise, what stands behind the flags; NULL: nothing */
} help_page;

typedef void (*help_function)(const help_page *page);

/** To standard output, or to whom help_redirect named. */
void help_print(const help_page *page);
/** Pages go to `take` from now on, each valid during its call; NULL: to standard output again. Not thread-safe. */
void help_redirect(help_function take);

#endif

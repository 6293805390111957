/* A page of --help: printed for the user, or handed whole to the program that makes the manual. */
#ifndef CLASHD_CLI_HELP_H
#define CLASHD_CLI_HELP_H

#include "flags.h"

typedef struct help_page {
    const char *program;     /* clashd, clashctl */
    const char *command;     /* a subcommand; NULL: the program's own page */
    const char *arguments;   /* as `usage` shows them: a word in capitals stands for a value, | separates choices */
    const char *text;        /* lines of at most 80 characters, each ended; an empty one ends a paragraph */
    const flag_table *table; /* NULL: no flags */
    const char *after;       /* likewise, after the flags; NULL: nothing */
} help_page;

typedef void (*help_function)(const help_page *page);

/** Print a page on standard output, or hand it to the function of help_redirect. */
void help_print(const help_page *page);
/** Hand pages to `take` from now on, each valid during its call; NULL: print them again. Not thread-safe. */
void help_redirect(help_function take);

#endif

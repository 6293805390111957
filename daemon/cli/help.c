/* Pages of help: see help.h. */
#include "help.h"

#include <stdio.h>

static help_function redirected;

void help_redirect(help_function take)
{
    redirected = take;
}

void help_print(const help_page *page)
{
    if (redirected) {
        redirected(page);
        return;
    }
    printf("usage: %s %s%s%s\n\n%s\n", page->program, page->command ? page->command : "", page->command ? " " : "",
           page->arguments, page->text);
    if (page->table)
        flags_print(page->table);
    if (page->after)
        printf("%s%s", page->table ? "\n" : "", page->after);
}

/* flag_tables FILE: write everything that --help of clashd and clashctl consists of into a file, as one JSON object,
 * for the programs that make man pages and shell completions: so the tables are written only once. Runs when clashd is
 * built, and is not installed. */
#include "cli/help.h"
#include "config/options.h"
#include "ctl/ctl.h"

#include <cjson/cJSON.h>
#include <clash/base.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static cJSON *pages; /* what add_page was given; there is one thread */

static const char *type_name(flag_type type)
{
    switch (type) {
    case FLAG_IS_CHOICE:
    case FLAG_IS_SWITCH:
        return "switch";
    case FLAG_IS_PATH:
        return "path";
    case FLAG_IS_NUMBER:
    case FLAG_IS_NUMBER_OR_MAX:
        return "number";
    case FLAG_IS_TEXT:
    case FLAG_IS_OTHER:
        break;
    }
    return "text";
}

static cJSON *make_flag(const flag *f)
{
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "name", f->name);
    cJSON_AddStringToObject(row, "type", type_name(f->type));
    cJSON_AddStringToObject(row, "help", f->help);
    if (f->argument)
        cJSON_AddStringToObject(row, "argument", f->argument);
    if (f->words)
        cJSON_AddStringToObject(row, "words", f->words);
    if (f->type == FLAG_IS_NUMBER || f->type == FLAG_IS_NUMBER_OR_MAX) {
        cJSON_AddNumberToObject(row, "least", f->least);
        cJSON_AddNumberToObject(row, "most", f->most);
    }
    return row;
}

static void add_page(const help_page *page)
{
    cJSON *object = cJSON_CreateObject(), *flags = cJSON_AddArrayToObject(object, "flags");

    cJSON_AddStringToObject(object, "program", page->program);
    if (page->command)
        cJSON_AddStringToObject(object, "command", page->command);
    cJSON_AddStringToObject(object, "arguments", page->arguments);
    cJSON_AddStringToObject(object, "text", page->text);
    if (page->after)
        cJSON_AddStringToObject(object, "after", page->after);
    for (size_t i = 0; page->table && i < page->table->count; i++)
        cJSON_AddItemToArray(flags, make_flag(&page->table->flags[i]));
    cJSON_AddItemToArray(pages, object);
}

/* Have each command print its page, and add its summary; false if one did not. */
static bool add_commands(void)
{
    static char help[] = "--help";
    size_t count;
    const ctl_command *const *commands = ctl_commands(&count);

    for (size_t i = 0; i < count; i++) {
        char name[64];
        char *argv[] = {name, help, NULL};
        const int before = cJSON_GetArraySize(pages);

        snprintf(name, sizeof name, "%s", commands[i]->name);
        if (ctl_run(commands[i], 2, argv) != 0 || cJSON_GetArraySize(pages) != before + 1) {
            fprintf(stderr, "clashctl %s --help: no page of help came of it\n", name);
            return false;
        }
        cJSON_AddStringToObject(cJSON_GetArrayItem(pages, before), "summary", commands[i]->summary);
    }
    return true;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "we") : NULL;
    bool is_written;
    cJSON *whole;
    char *text = NULL;

    if (!file) {
        fprintf(stderr, "usage: flag_tables FILE, which it writes\n");
        return EXIT_FAILURE;
    }
    whole = cJSON_CreateObject();
    cJSON_AddStringToObject(whole, "version", CLASH_VERSION_STRING);
    pages = cJSON_AddArrayToObject(whole, "pages");
    help_redirect(add_page);
    config_options_help();
    ctl_help();
    if (add_commands())
        text = cJSON_Print(whole);
    cJSON_Delete(whole);
    is_written = text && fputs(text, file) != EOF;
    cJSON_free(text);
    return fclose(file) == 0 && is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}

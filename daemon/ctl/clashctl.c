/* clashctl: find the command and run it. */
#include "cli/nearest_word.h"
#include "cli/output.h"
#include "ctl.h"

#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *name)
{
    size_t count;
    const ctl_command *const *commands = ctl_commands(&count);
    nearest_word near = nearest_word_begin(name);

    for (size_t i = 0; i < count; i++)
        nearest_word_offer(&near, commands[i]->name);
    nearest_word_offer(&near, "help");
    nearest_word_offer(&near, "--help");
    nearest_word_offer(&near, "version");
    nearest_word_offer(&near, "--version");
    fprintf(stderr, "clashctl: %s%s%s%s%s%s%s", what, name[0] ? " '" : "", output_text(name), name[0] ? "'" : "",
            near.found ? ", is it '" : "", near.found ? near.found : "",
            near.found ? "'? The commands are " : ": the commands are ");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", commands[i]->name);
    fprintf(stderr, "\nTry 'clashctl --help'.\n");
    return CTL_USAGE;
}

static const ctl_command *find(const char *name)
{
    size_t count;
    const ctl_command *const *commands = ctl_commands(&count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* Print the help of the command `name`, or of clashctl itself if it is NULL. */
static int help(const char *name)
{
    const ctl_command *command = name ? find(name) : NULL;

    if (name && !command)
        return fail("unknown command", name);
    if (command)
        ctl_help_command(command);
    else
        ctl_help();
    return CTL_DONE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const ctl_command *command = find(name);

    if (command)
        return ctl_run(command, argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(NULL);
    if (strcmp(name, "help") == 0)
        return help(argc > 2 && strcmp(argv[2], "help") != 0 ? argv[2] : NULL);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0 || strcmp(name, "-V") == 0) {
        ctl_print_version();
        return CTL_DONE;
    }
    if (name[0] == '\0')
        return fail("no command given", "");
    return fail(name[0] == '-' ? "expected a command before" : "unknown command", name);
}

/* clashctl: find the command and run it. */
#include "cli/output.h"
#include "ctl.h"

#include <clash/base.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *name)
{
    size_t count;
    const ctl_command *const *commands = ctl_commands(&count);

    fprintf(stderr, "clashctl: %s%s%s%s: there are ", what, name[0] ? " '" : "", output_text(name), name[0] ? "'" : "");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", commands[i]->name);
    fprintf(stderr, "\nTry 'clashctl --help'.\n");
    return CTL_USAGE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    size_t count;
    const ctl_command *const *commands = ctl_commands(&count);

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        ctl_help();
        return CTL_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("clashctl %s\n", CLASH_VERSION_STRING);
        return CTL_DONE;
    }
    if (name[0] == '\0')
        return fail("no command given", "");
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return ctl_run(commands[i], argc - 1, argv + 1);
    return fail(name[0] == '-' ? "expected a command before" : "unknown command", name);
}

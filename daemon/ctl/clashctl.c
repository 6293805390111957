/* clashctl: finds the command and runs it. */
#include "cli/output.h"
#include "ctl.h"

#include <clash/base.h>
#include <stdio.h>
#include <string.h>

static const ctl_command commands[] = {
    {"watch", "show clashes as they happen", ctl_watch},
    {"status", "show what a running clashd is doing", ctl_status},
    {"doctor", "say what is wrong, from the OpenXR runtime to the poses", ctl_doctor},
    {"calibrate", "find out where base and tip of a sword are", ctl_calibrate},
    {"record", "begin and end recordings, and set marks in them", ctl_record},
    {"replay", "pause, step and seek in a recording that clashd plays", ctl_replay},
    {"detect", "find the clashes of a recording", ctl_detect},
    {"tune", "find the clashes of a recording under one setting after another", ctl_tune},
    {"play", "show a recording in the terminal", ctl_play},
    {"verify", "hold a recording's events against its poses", ctl_verify},
    {"info", "say what is in a recording", ctl_info},
    {"cut", "take a piece out of a recording", ctl_cut},
    {"convert", "compress or tabulate a recording, import a Beat Saber one", ctl_convert},
    {"layer", "have games that do not themselves tell clashd where the hands are", ctl_layer},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(void)
{
    printf("usage: clashctl COMMAND [OPTION..]\n\n"
           "Talks to a running clashd, and works on its recordings.\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-11s%s\n", commands[i].name, commands[i].summary);
    printf("\n'clashctl COMMAND --help' says more. 'clashctl --version' prints the version.\n\n"
           "exit status: 0 done, 1 a verdict of no, 2 bad usage, settings or input,\n"
           "3 no clashd to talk to\n");
}

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "clashctl: %s%s%s%s: there are ", what, name[0] ? " '" : "", output_text(name), name[0] ? "'" : "");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 == COMMAND_COUNT ? " and " : ", ", commands[i].name);
    fprintf(stderr, "\nTry 'clashctl --help'.\n");
    return CTL_USAGE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return CTL_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("clashctl %s\n", CLASH_VERSION_STRING);
        return CTL_DONE;
    }
    if (name[0] == '\0')
        return fail("no command given", "");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return fail(name[0] == '-' ? "expected a command before" : "unknown command", name);
}

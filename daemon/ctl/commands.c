/* The commands of clashctl, in the order in which --help lists them. */
#include "cli/help.h"
#include "ctl.h"

#include <stdio.h>
#include <string.h>

static const ctl_command commands[] = {
    {"watch", "show clashes as they happen", ctl_watch},
    {"status", "show what a running clashd is doing", ctl_status},
    {"config", "show the settings in force, and where each came from", ctl_config},
    {"reload", "make a running clashd read its settings again", ctl_reload},
    {"doctor", "check everything from the OpenXR runtime to the poses", ctl_doctor},
    {"calibrate", "find the base and tip of a sword", ctl_calibrate},
    {"record", "start and stop recordings, and set marks in them", ctl_record},
    {"replay", "pause, step and seek in a recording that clashd plays", ctl_replay},
    {"detect", "find the clashes of a recording", ctl_detect},
    {"tune", "find the clashes of a recording under one setting after another", ctl_tune},
    {"play", "show a recording in the terminal", ctl_play},
    {"verify", "check a recording's events against its poses", ctl_verify},
    {"info", "say what is in a recording", ctl_info},
    {"cut", "take a piece out of a recording", ctl_cut},
    {"convert", "write a recording in another format, import a Beat Saber one", ctl_convert},
    {"trace", "measure how late a running clashd's lines come, for Perfetto", ctl_trace},
    {"view", "open clashd's page in the browser: live, or a recording", ctl_view},
    {"layer", "let games without a clashd client report the hands", ctl_layer},
};

const ctl_command *ctl_commands(size_t *out_count)
{
    *out_count = sizeof commands / sizeof commands[0];
    return commands;
}

void ctl_help(void)
{
    char text[4096] = "Talks to a running clashd, and works on its recordings.\n\ncommands:\n";

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "  %-11s%s\n", commands[i].name, commands[i].summary);
    }
    help_print(&(help_page){
        .program = "clashctl",
        .arguments = "COMMAND [OPTION..]",
        .text = text,
        .after = "'clashctl COMMAND --help' says more. 'clashctl --version' prints the version.\n\n"
                 "exit status: 0 done, 1 a verdict of no, 2 bad usage, settings or input,\n"
                 "3 no clashd to talk to\n",
    });
}

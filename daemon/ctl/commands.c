/* The commands of clashctl, in the order in which --help lists them. */
#include "cli/help.h"
#include "cli/nearest_word.h"
#include "cli/output.h"
#include "ctl.h"

#include <clash/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ctl_command *const commands[] = {
    &ctl_demo,   &ctl_watch,   &ctl_status, &ctl_config, &ctl_reload, &ctl_doctor, &ctl_calibrate,
    &ctl_record, &ctl_replay,  &ctl_detect, &ctl_tune,   &ctl_play,   &ctl_verify, &ctl_info,
    &ctl_cut,    &ctl_convert, &ctl_trace,  &ctl_view,   &ctl_layer,
};

const ctl_command *const *ctl_commands(size_t *out_count)
{
    *out_count = sizeof commands / sizeof commands[0];
    return commands;
}

static bool wants_help(const ctl_command *c, const void *target)
{
    return *(const bool *)((const char *)target + c->table.flags[c->table.count - 1].offset);
}

static int run(const ctl_command *c, void *target, int argc, char **argv)
{
    failure error = {0};
    size_t count;
    int rest;

    if (c->defaults)
        memcpy(target, c->defaults, c->size);
    switch (flags_parse(&c->table, argc, argv, target, &rest, &error)) {
    case 0:
        break;
    case FLAGS_VERSION:
        ctl_print_version();
        return CTL_DONE;
    default:
        return output_usage_error(c->name, error.text);
    }
    if (wants_help(c, target)) {
        ctl_help_command(c);
        return CTL_DONE;
    }
    count = (size_t)(argc - rest);
    if (count < c->words.least || count > c->words.most)
        return output_usage_error(c->name, c->expected ? c->expected : "takes options only");
    if (c->words.first && !nearest_word_is_in(argv[rest], c->words.first)) {
        snprintf(error.text, sizeof error.text, "'%s': %s", output_text(argv[rest]), c->expected);
        nearest_word_add(argv[rest], c->words.first, &error);
        return output_usage_error(c->name, error.text);
    }
    return c->run(target, argv + rest);
}

int ctl_run(const ctl_command *command, int argc, char **argv)
{
    void *target = calloc(1, command->size);
    const int code = target ? run(command, target, argc, argv) : output_refuse(command->name, "out of memory");

    free(target);
    return code;
}

void ctl_print_version(void)
{
    printf("clashctl %s\n", CLASH_VERSION_STRING);
}

void ctl_help_command(const ctl_command *command)
{
    help_print(&(help_page){.program = "clashctl",
                            .command = command->name,
                            .arguments = command->arguments,
                            .text = command->text,
                            .table = &command->table});
}

void ctl_help(void)
{
    char text[4096] = "Talks to a running clashd, and works on its recordings.\n\ncommands:\n";

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "  %-11s%s\n", commands[i]->name, commands[i]->summary);
    }
    help_print(&(help_page){
        .program = "clashctl",
        .arguments = "COMMAND [OPTION..]",
        .text = text,
        .after = "'clashctl help COMMAND' says more. 'clashctl --version' prints the version.\n"
                 "\n"
                 "The commands that talk to clashd find it by --socket ADDRESS:\n"
                 "  /run/user/1000/clashd/clashd.sock, or unix:PATH   its Unix socket\n"
                 "  tcp:192.168.1.5:4717     clashd --tcp, also on another machine\n"
                 "  ws://127.0.0.1:4718      clashd --websocket\n"
                 "Without --socket it is the path in the settings, or clashd's default. tcp: and\n"
                 "ws: show a token, which clashd writes beside its Unix socket (clashd.token).\n"
                 "From another machine, or as another user, name a copy of it: --token-file FILE.\n"
                 "\n"
                 "exit status: 0 done, 1 a verdict of no, 2 bad usage, settings or input, or a\n"
                 "token that clashd refuses, 3 no clashd to talk to ('clashctl doctor' counts that\n"
                 "as a verdict: 1)\n",
    });
}

/* clashctl's commands: one file each, listed in commands.c. Each is one row, by which its words are read, its --help is
 * printed and it runs. */
#ifndef CLASHD_CTL_CTL_H
#define CLASHD_CTL_CTL_H

#include "cli/exit_code.h"
#include "cli/flags.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ctl_command {
    const char *name;
    const char *summary;          /* of it in clashctl's own --help */
    const char *arguments, *text; /* of its page of --help: see cli/help.h */
    flag_table table;             /* the last row is FLAG_HELP */
    struct {
        size_t least, most;
        const char *first; /* the words that the first one can be, separated by blanks; NULL: any */
    } words;               /* besides the flags */
    const char *expected;  /* what is said if there are fewer or more; NULL: that it takes options only */
    size_t size;           /* of the struct that `run` gets, which the flags fill.. */
    const void *defaults;  /* ..and which begins as a copy of this; NULL: zeroed */
    /** Returns the exit code. NULL ends the words. */
    int (*run)(void *target, char **words);
} ctl_command;

#define CTL_FLAGS(rows)                          \
    {                                            \
        (rows), sizeof(rows) / sizeof((rows)[0]) \
    }

/** Return all of them; the array is static. */
const ctl_command *const *ctl_commands(size_t *out_count);
/** Run one with its own argv (argv[0] is its name). Return the exit code. */
int ctl_run(const ctl_command *command, int argc, char **argv);
/** Print clashctl's own --help. */
void ctl_help(void);
/** Print the --help of one command. */
void ctl_help_command(const ctl_command *command);
void ctl_print_version(void);

extern const ctl_command ctl_watch, ctl_status, ctl_config, ctl_reload, ctl_doctor, ctl_calibrate, ctl_record,
    ctl_replay, ctl_detect, ctl_tune, ctl_play, ctl_verify, ctl_info, ctl_cut, ctl_convert, ctl_trace, ctl_view,
    ctl_layer, ctl_demo;

#endif

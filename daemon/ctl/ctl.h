/* clashctl's commands: one file each, listed in commands.c. A command gets its own argv (argv[0] is its name) and returns the
 * exit code. */
#ifndef CLASHD_CTL_CTL_H
#define CLASHD_CTL_CTL_H

#include "cli/exit_code.h"

#include <stddef.h>

typedef struct ctl_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} ctl_command;

/** Return all of them; the array is static. */
const ctl_command *ctl_commands(size_t *out_count);
/** Print clashctl's own --help. */
void ctl_help(void);

int ctl_watch(int argc, char **argv);
int ctl_config(int argc, char **argv);
int ctl_reload(int argc, char **argv);
int ctl_doctor(int argc, char **argv);
int ctl_calibrate(int argc, char **argv);
int ctl_status(int argc, char **argv);
int ctl_record(int argc, char **argv);
int ctl_replay(int argc, char **argv);
int ctl_layer(int argc, char **argv);
int ctl_detect(int argc, char **argv);
int ctl_tune(int argc, char **argv);
int ctl_play(int argc, char **argv);
int ctl_verify(int argc, char **argv);
int ctl_info(int argc, char **argv);
int ctl_cut(int argc, char **argv);
int ctl_convert(int argc, char **argv);
int ctl_trace(int argc, char **argv);
int ctl_view(int argc, char **argv);

#endif

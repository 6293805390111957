/* clashd's command line as a struct. What it leaves out comes from the configuration. */
#ifndef CLASHD_CONFIG_OPTIONS_H
#define CLASHD_CONFIG_OPTIONS_H

#include "cli/failure.h"
#include "ports/log.h"
#include "sources.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum config_action { CONFIG_RUN, CONFIG_CHECK, CONFIG_VERSION, CONFIG_HELP } config_action;

typedef struct config_level {
    bool is_given; /* otherwise log.level applies */
    log_level is;
} config_level;

#define CONFIG_SETS_MAX 64

typedef struct config_sets {
    size_t count;
    const char *texts[CONFIG_SETS_MAX]; /* KEY=VALUE */
} config_sets;

/** Strings are parts of argv. */
typedef struct config_options {
    config_action action;
    const char *config_path; /* NULL: the default file, if there is one */
    const char *socket_path; /* NULL: the configuration's, or else the default */
    const char *tcp;         /* like socket.tcp; NULL: the configuration's */
    const char *websocket;   /* likewise */
    config_sets sets;        /* applied over the file's settings and under the other flags */
    config_source_kind source;
    bool has_source;             /* --source was given */
    const char *source_argument; /* after its name: the file of CONFIG_SOURCE_REPLAY */
    double speed;                /* relative to the recording's own; 0: as fast as possible */
    const char *record_path;     /* NULL: none */
    double rate_hz;              /* 0: the configuration's */
    config_level level;
    bool wait_for_client, exit_at_end, loops, overwrites;
} config_options;

/** Parse the command line. Return 0, or -1 with the whole message (no newline) in out_failure. */
int config_options_parse(int argc, char **argv, config_options *out_options, failure *out_failure);
/** Print --help on standard output. */
void config_options_help(void);

#endif

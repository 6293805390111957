/* clashd's command line as a struct. What it leaves out comes from the configuration. */
#ifndef CLASHD_CONFIG_OPTIONS_H
#define CLASHD_CONFIG_OPTIONS_H

#include "cli/failure.h"
#include "ports/log.h"
#include "sources.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum app_action { APP_RUN, APP_CHECK_CONFIG, APP_VERSION, APP_HELP } app_action;

typedef struct app_level_option {
    bool is_given; /* otherwise log.level applies */
    log_level is;
} app_level_option;

#define APP_SETS_MAX 64

typedef struct app_sets {
    size_t count;
    const char *texts[APP_SETS_MAX]; /* KEY=VALUE */
} app_sets;

/** Strings are parts of argv. */
typedef struct app_options {
    app_action action;
    const char *config_path; /* NULL: the default file, if there is one */
    const char *socket_path; /* NULL: the configuration's, or else the default */
    const char *tcp;         /* like socket.tcp; NULL: the configuration's */
    const char *websocket;   /* likewise */
    app_sets sets;           /* applied over the file's settings and under the other flags */
    app_source_kind source;
    bool has_source;             /* --source was given */
    const char *source_argument; /* after its name: the file of APP_SOURCE_REPLAY */
    double speed;                /* relative to the recording's own; 0: as fast as possible */
    const char *record_path;     /* NULL: none */
    double rate_hz;              /* 0: the configuration's */
    app_level_option level;
    bool wait_for_client, exit_at_end, loops, overwrites;
} app_options;

/** Parse the command line. Return 0, or -1 with the whole message (no newline) in out_failure. */
int app_options_parse(int argc, char **argv, app_options *out_options, failure *out_failure);
/** Print --help on standard output. */
void app_options_help(void);

#endif

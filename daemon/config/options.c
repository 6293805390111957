/* clashd's command line: see options.h. One row and one short setter a flag; what flags must not be given together is
 * checked once, at the end. */
#include "options.h"

#include "cli/flags.h"
#include "ipc/address.h"
#include "log/log_output.h"

#include <stdio.h>
#include <string.h>

/* Beyond this no recording is of any use as a rehearsal; --speed max is what is meant. */
#define SPEED_MAX 1000.0
#define SPEED_MIN 0.001
#define RATE_MAX 2000.0
#define REPLAY_PREFIX "replay:"

#define EXPECT(...) (snprintf(out_expected, size, __VA_ARGS__), -1)

static int set_path(const char **out_path, const char *value, char *out_expected, size_t size)
{
    if (value[0] == '\0')
        return EXPECT("expected the path of a file");
    *out_path = value;
    return 0;
}

static int set_config(void *target, const char *value, char *out_expected, size_t size)
{
    return set_path(&((app_options *)target)->config_path, value, out_expected, size);
}

static int set_socket(void *target, const char *value, char *out_expected, size_t size)
{
    return set_path(&((app_options *)target)->socket_path, value, out_expected, size);
}

static int set_address(const char **out_text, const char *value, char *out_expected, size_t size)
{
    address a;

    *out_text = value;
    return address_parse(value, &a, out_expected, size);
}

static int set_tcp(void *target, const char *value, char *out_expected, size_t size)
{
    return set_address(&((app_options *)target)->tcp, value, out_expected, size);
}

static int set_websocket(void *target, const char *value, char *out_expected, size_t size)
{
    return set_address(&((app_options *)target)->websocket, value, out_expected, size);
}

static int set_record(void *target, const char *value, char *out_expected, size_t size)
{
    return set_path(&((app_options *)target)->record_path, value, out_expected, size);
}

static int set_source(void *target, const char *value, char *out_expected, size_t size)
{
    app_options *options = target;

    if (strcmp(value, "openxr") == 0)
        options->source = APP_SOURCE_OPENXR;
    else if (strcmp(value, "none") == 0)
        options->source = APP_SOURCE_NONE;
    else if (strncmp(value, REPLAY_PREFIX, strlen(REPLAY_PREFIX)) == 0 && value[strlen(REPLAY_PREFIX)]) {
        options->source = APP_SOURCE_REPLAY;
        options->replay_path = value + strlen(REPLAY_PREFIX);
    } else
        return EXPECT("expected openxr, replay:FILE or none");
    return 0;
}

static int set_speed(void *target, const char *value, char *out_expected, size_t size)
{
    app_options *options = target;

    options->speed_given = true;
    options->speed = 0.0;
    if (strcmp(value, "max") == 0)
        return 0;
    if (!flags_parse_number(value, &options->speed) || options->speed < SPEED_MIN || options->speed > SPEED_MAX)
        return EXPECT("expected a number from %g to %g, or max", SPEED_MIN, SPEED_MAX);
    return 0;
}

static int set_rate(void *target, const char *value, char *out_expected, size_t size)
{
    app_options *options = target;

    if (!flags_parse_number(value, &options->rate_hz) || options->rate_hz < 1.0 || options->rate_hz > RATE_MAX)
        return EXPECT("expected a number of Hz from 1 to %g", RATE_MAX);
    return 0;
}

static int set_log_level(void *target, const char *value, char *out_expected, size_t size)
{
    if (app_log_level_parse(value, &((app_options *)target)->level) < 0)
        return EXPECT("expected error, warning, info or debug");
    return 0;
}

/* The flags without a value have one signature, and no way to be wrong. */
#define SWITCH(name, member, state)                                                   \
    static int name(void *target, const char *value, char *out_expected, size_t size) \
    {                                                                                 \
        (void)value, (void)out_expected, (void)size;                                  \
        ((app_options *)target)->member = state;                                      \
        return 0;                                                                     \
    }
SWITCH(set_wait_for_client, wait_for_client, true)
SWITCH(set_exit_at_end, exit_at_end, true)
SWITCH(set_loop, loops, true)
SWITCH(set_overwrite, overwrites, true)
SWITCH(set_check_config, action, APP_CHECK_CONFIG)
SWITCH(set_version, action, APP_VERSION)
SWITCH(set_help, action, APP_HELP)

static const flag flags[] = {
    {"config", "FILE",
     "settings in JSON; default, if it exists:\n"
     "$XDG_CONFIG_HOME/clashd/config.json, or the same\n"
     "below ~/.config",
     set_config},
    {"socket", "PATH", "where clients connect; default:\n$XDG_RUNTIME_DIR/clashd/clashd.sock", set_socket},
    {"tcp", "ADDRESS", "HOST:PORT or PORT for clients over TCP too, who\nhave to show the token beside the socket",
     set_tcp},
    {"websocket", "ADDRESS", "the same for web pages, and all that speaks\nWebSocket", set_websocket},
    {"source", "SOURCE",
     "where poses come from: openxr (the default),\n"
     "replay:FILE (a recording), or none",
     set_source},
    {"speed", "N|max", "replay N times as fast as recorded, or as fast as\nit goes; default 1", set_speed},
    {"wait-for-client", NULL, "begin the replay when a client has subscribed", set_wait_for_client},
    {"exit-at-end", NULL, "stop when the replay has ended and clients have what\nwaited for them", set_exit_at_end},
    {"loop", NULL, "begin the replay again at its end, for ever", set_loop},
    {"record", "FILE",
     "write poses and events to FILE, from the first pose\non, compressed where it ends in .zst, and not to\n"
     "record.directory",
     set_record},
    {"overwrite", NULL, "replace FILE where it is there already; else that is\nan error", set_overwrite},
    {"rate", "HZ", "ask OpenXR for poses that often; default 500", set_rate},
    {"log-level", "LEVEL", "error, warning, info (the default) or debug", set_log_level},
    {"check-config", NULL, "say whether the settings are right, and stop", set_check_config},
    {"version", NULL, "print the version, and stop", set_version},
    {"help", NULL, "print this, and stop", set_help},
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

static int check_together(const app_options *options, char *out_expected, size_t size)
{
    if (options->source != APP_SOURCE_REPLAY) {
        const char *name = options->speed_given       ? "speed"
                           : options->wait_for_client ? "wait-for-client"
                           : options->exit_at_end     ? "exit-at-end"
                           : options->loops           ? "loop"
                                                      : NULL;
        if (name)
            return EXPECT("--%s is for recordings: give --source replay:FILE too", name);
    }
    if (options->overwrites && !options->record_path)
        return EXPECT("--overwrite is for --record FILE: give that too");
    if (options->loops && options->exit_at_end)
        return EXPECT("--exit-at-end and --loop: a replay that begins again has no end");
    if (options->rate_hz > 0.0 && (options->source == APP_SOURCE_REPLAY || options->source == APP_SOURCE_NONE))
        return EXPECT("--rate is for OpenXR: leave it out, or give --source openxr");
    return 0;
}

int app_options_parse(int argc, char **argv, app_options *out_options, char *out_error, size_t size)
{
    int rest;

    *out_options = (app_options){.speed = 1.0, .level = LOG_LEVEL_INFO};
    if (flags_parse(&table, argc, argv, out_options, &rest, out_error, size) < 0)
        return -1;
    if (rest < argc) {
        snprintf(out_error, size, "unexpected argument '%s': everything is given by options", argv[rest]);
        return -1;
    }
    if (out_options->action == APP_HELP || out_options->action == APP_VERSION)
        return 0;
    return check_together(out_options, out_error, size);
}

void app_options_help(void)
{
    printf("usage: clashd [OPTION..]\n\n"
           "Finds the first instant at which two VR blades touch, and streams it as JSON\n"
           "lines over a local socket: where, when, how hard. Watch with `clashctl watch`.\n\n");
    flags_print(&table);
    printf("\nSIGINT and SIGTERM stop it cleanly. With --source openxr it waits for a runtime\n"
           "and a headset for as long as it takes, and serves its clients meanwhile.\n"
           "\nexit status: 0 done, 1 the end of a recording could not be written,\n"
           "2 bad usage, settings or input, or the socket cannot be had\n");
}

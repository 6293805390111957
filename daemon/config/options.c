/* clashd's command line; see options.h. One row for each flag; flags that exclude each other are checked at the end. */
#include "options.h"

#include "cli/flags.h"
#include "cli/help.h"
#include "ipc/address.h"
#include "log/log_output.h"

#include <stdio.h>
#include <string.h>

/* Faster than this no recording is a useful rehearsal; use --speed max. */
#define SPEED_MAX 1000.0
#define SPEED_MIN 0.001
#define RATE_MAX 2000.0

#define SOURCE_LISTED(kind, name, colon, argument, ...) ", " #name colon argument
#define SOURCE_WORD(kind, name, colon, ...) #name colon " "
#define SOURCE_HELP(kind, name, colon, argument, help, ...) "\n" #name colon argument " (" help ")"

static int set_address(void *member, const char *value, failure *out_expected)
{
    address a;

    *(const char **)member = value;
    return address_parse(value, &a, out_expected);
}

/* clashctl's --socket takes other addresses, too. */
static int set_socket(void *member, const char *value, failure *out_expected)
{
    static const char prefix[] = "unix:";
    const char *path = strncmp(value, prefix, sizeof prefix - 1) == 0 ? value + sizeof prefix - 1 : value;

    *(const char **)member = path;
    if (strncmp(path, "tcp:", 4) == 0 || strncmp(path, "ws://", 5) == 0)
        return fail_int(out_expected, "expected the path of a Unix socket; for clients over %s give --%s HOST:PORT",
                        path[0] == 't' ? "TCP" : "WebSocket", path[0] == 't' ? "tcp" : "websocket");
    return path[0] ? 0 : fail_int(out_expected, "expected the path of a file");
}

static int set_setting(void *member, const char *value, failure *out_expected)
{
    config_sets *sets = member;

    if (!strchr(value, '='))
        return fail_int(out_expected, "expected KEY=VALUE, as in contact.margin=0.01");
    if (sets->count == CONFIG_SETS_MAX)
        return fail_int(out_expected, "at most %d of these", CONFIG_SETS_MAX);
    sets->texts[sets->count++] = value;
    return 0;
}

static int set_source(void *target, const char *value, failure *out_expected)
{
    config_options *options = target;
    const size_t length = strcspn(value, ":");
    const char *argument = value[length] == ':' ? value + length + 1 : NULL;

    options->has_source = true;
    for (config_source_kind kind = CONFIG_SOURCE_DEFAULT + 1; kind < CONFIG_SOURCE_KINDS; kind++) {
        const config_source *one = &config_sources[kind];

        if (strncmp(value, one->name, length) != 0 || one->name[length] ||
            (one->takes_argument ? !argument || !argument[0] : argument != NULL))
            continue;
        options->source = kind;
        options->source_argument = argument;
        return 0;
    }
    return fail_int(out_expected, "expected one of these: %s", &CONFIG_SOURCES(SOURCE_LISTED)[2]);
}

static int set_rate(void *member, const char *value, failure *out_expected)
{
    double *rate_hz = member;

    if (!flags_parse_number(value, rate_hz) || *rate_hz < 1.0 || *rate_hz > RATE_MAX)
        return fail_int(out_expected, "expected a number of Hz from 1 to %g", RATE_MAX);
    return 0;
}

static int set_log_level(void *member, const char *value, failure *out_expected)
{
    config_level *level = member;

    if (log_level_parse(value, &level->is) < 0)
        return fail_int(out_expected, "expected error, warning, info or debug");
    level->is_given = true;
    return 0;
}

static const flag flags[] = {
    FLAG_PATH("config", "FILE", config_options, config_path,
              "settings in JSON; default, if it exists:\n"
              "$XDG_CONFIG_HOME/clashd/config.json, or the same\n"
              "below ~/.config"),
    FLAG_OTHER("set", "KEY=VALUE", config_options, sets, set_setting,
               "one setting, in place of the file's; may be\nrepeated: --set contact.margin=0.01"),
    FLAG_OTHER("socket", "PATH", config_options, socket_path, set_socket,
               "where clients connect; default:\n$XDG_RUNTIME_DIR/clashd/clashd.sock"),
    FLAG_OTHER("tcp", "ADDRESS", config_options, tcp, set_address,
               "HOST:PORT or PORT for clients over TCP too, who\nmust show the token beside the socket"),
    FLAG_OTHER("websocket", "ADDRESS", config_options, websocket, set_address,
               "the same over WebSocket, for web pages and others"),
    {"source", "SOURCE", "where poses come from:" CONFIG_SOURCES(SOURCE_HELP), FLAG_IS_OTHER, 0, 0, 0, set_source,
     CONFIG_SOURCES(SOURCE_WORD)},
    FLAG_NUMBER_OR_MAX("speed", "N|max", config_options, speed, SPEED_MIN, SPEED_MAX,
                       "replay N times as fast as recorded, or as fast as\npossible; default 1"),
    FLAG_SWITCH("wait-for-client", config_options, wait_for_client, "start the replay when a client has subscribed"),
    FLAG_SWITCH("exit-at-end", config_options, exit_at_end,
                "stop when the replay has ended and clients have\nreceived everything"),
    FLAG_SWITCH("loop", config_options, loops, "repeat the replay for ever"),
    FLAG_PATH("record", "FILE", config_options, record_path,
              "record poses and events to FILE from the first pose\non, compressed if it ends in .zst, instead of to\n"
              "record.directory"),
    FLAG_SWITCH("overwrite", config_options, overwrites, "replace FILE if it exists; otherwise that is an\nerror"),
    FLAG_OTHER("rate", "HZ", config_options, rate_hz, set_rate,
               "ask OpenXR for poses that often; default: 500 while\nblades may meet, else 90"),
    FLAG_WORDS("log-level", "LEVEL", "error warning info debug", config_options, level, set_log_level,
               "error, warning, info (the default) or debug"),
    FLAG_CHOICE("check-config", config_options, action, CONFIG_CHECK, "check the settings, and stop"),
    FLAG_CHOICE("version", config_options, action, CONFIG_VERSION, "print the version, and stop"),
    FLAG_CHOICE("help", config_options, action, CONFIG_HELP, "print this, and stop"),
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

static int check_together(const config_options *options, failure *out_failure)
{
    if (options->source != CONFIG_SOURCE_REPLAY) {
        const char *name = options->speed >= 0.0      ? "speed"
                           : options->wait_for_client ? "wait-for-client"
                           : options->exit_at_end     ? "exit-at-end"
                           : options->loops           ? "loop"
                                                      : NULL;
        if (name)
            return fail_int(out_failure, "--%s is for recordings: give --source replay:FILE too", name);
    }
    if (options->overwrites && !options->record_path)
        return fail_int(out_failure, "--overwrite is for --record FILE: give that too");
    if (options->loops && options->exit_at_end)
        return fail_int(out_failure, "--exit-at-end and --loop: a replay that begins again has no end");
    if (options->rate_hz > 0.0 && options->source != CONFIG_SOURCE_DEFAULT && options->source != CONFIG_SOURCE_OPENXR)
        return fail_int(out_failure, "--rate is for OpenXR: leave it out, or give --source openxr");
    return 0;
}

int config_options_parse(int argc, char **argv, config_options *out_options, failure *out_failure)
{
    int rest;

    *out_options = (config_options){.speed = -1.0};
    if (flags_parse(&table, argc, argv, out_options, &rest, out_failure) < 0)
        return -1;
    if (rest < argc)
        return fail_int(out_failure,
                        "unexpected argument '%s': clashd takes options only, and commands are clashctl's: "
                        "'clashctl help' lists them",
                        argv[rest]);
    if (out_options->action != CONFIG_HELP && out_options->action != CONFIG_VERSION &&
        check_together(out_options, out_failure) < 0)
        return -1;
    out_options->speed = out_options->speed < 0.0 ? 1.0 : out_options->speed;
    return 0;
}

void config_options_help(void)
{
    help_print(&(help_page){
        .program = "clashd",
        .arguments = "[OPTION..]",
        .text = "Finds the first instant at which two VR blades touch, and streams it as JSON\n"
                "lines over a local socket: where, when, how hard. Watch with `clashctl watch`.\n",
        .table = &table,
        .after = "SIGINT and SIGTERM stop it cleanly. With --source openxr it waits for a runtime\n"
                 "and a headset for as long as it takes, and serves its clients meanwhile.\n"
                 "\nexit status: 0 done, 1 the end of a recording could not be written,\n"
                 "2 bad usage, settings or input, or the socket is not available\n",
    });
}

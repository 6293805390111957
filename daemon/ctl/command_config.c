/* clashctl config: show the settings in force in a running clashd, and where each came from. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <stdio.h>
#include <string.h>

#define COMMAND "config"
#define REQUEST "{\"type\":\"config\",\"id\":\"config\"}"
#define KEY_WIDTH 29
#define VALUE_WIDTH 31

typedef struct config_command {
    talk_place place;
    bool json, changed, help;
} config_command;

static const flag flags[] = {
    TALK_FLAGS(config_command, place),
    FLAG_SWITCH("changed", config_command, changed, "only settings that differ from the default"),
    FLAG_SWITCH("json", config_command, json, "print the line as clashd sends it"),
    FLAG_HELP(config_command),
};

static const char *in_words(const char *source)
{
    static const char *const words[][2] = {
        {"set", "--set"},
        {"flag", "a flag"},
        {"file", "the file"},
        {"recording", "the recording"},
        {"manager", "the service manager"},
        {"environment", "$XDG_RUNTIME_DIR"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(source, words[i][0]) == 0)
            return words[i][1];
    return source;
}

static void print_setting(const cJSON *setting)
{
    char *value = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(setting, "value"));
    char key[128];

    snprintf(key, sizeof key, "%s", output_text(message_string(setting, "key")));
    printf("%-*s %-*s %s\n", KEY_WIDTH, key, VALUE_WIDTH, value ? output_text(value) : "",
           output_text(in_words(message_string(setting, "source"))));
    cJSON_free(value);
}

static void print_config(const config_command *c, const cJSON *message)
{
    const char *file = message_string(message, "file");
    const cJSON *setting;

    printf("%-*s %s\n", KEY_WIDTH, "file", file[0] ? output_text(file) : "none");
    cJSON_ArrayForEach(setting, cJSON_GetObjectItemCaseSensitive(message, "settings"))
    {
        if (!c->changed || strcmp(message_string(setting, "source"), "default") != 0)
            print_setting(setting);
    }
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    const config_command *c = t->context;
    const char *type = message_string(message, "type");

    if (strcmp(type, "error") == 0)
        return talk_refused(t, message);
    if (strcmp(type, COMMAND) != 0)
        return true;
    t->code = CTL_DONE;
    if (c->json)
        output_json(line);
    else
        print_config(c, message);
    return false;
}

static int run(void *target, char **words)
{
    config_command *c = target;

    (void)words;
    return talk_run(
        &(talk){.command = COMMAND, .place = c->place, .on_line = on_line, .context = c, .code = CTL_ABSENT}, REQUEST);
}

const ctl_command ctl_config = {
    .name = COMMAND,
    .summary = "show the settings in force, and where each came from",
    .arguments = "[OPTION..]",
    .text = "Shows the settings in force in a running clashd, and where each came from:\n"
            "the default, the file, --set, a flag, the recording that is played.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(config_command),
    .run = run,
};

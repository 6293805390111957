/* clashctl reload: ask a running clashd to read its settings again, and say whether they apply now. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <stdio.h>
#include <string.h>

#define COMMAND "reload"
/* Each file of a mesh may take 60 s. */
#define RELOAD_SILENCE_MS (10 * 60 * 1000)
#define REQUEST "{\"type\":\"reload\",\"id\":\"reload\"}"

typedef struct reload_command {
    talk_place place;
    bool help;
} reload_command;

static const flag flags[] = {
    TALK_FLAGS(reload_command, place),
    FLAG_HELP(reload_command),
};

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    const char *type = message_string(message, "type");

    (void)line;
    if (strcmp(type, "error") == 0) {
        t->code = CTL_USAGE;
        output_error(COMMAND, "the settings are refused, and all stays as it was: %s",
                     message_string(message, "message"));
        return false;
    }
    if (strcmp(type, "ok") != 0 || strcmp(message_string(message, "id"), COMMAND) != 0)
        return true;
    t->code = CTL_DONE;
    printf("the settings apply\n");
    return false;
}

static int run(void *target, char **words)
{
    const reload_command *r = target;

    (void)words;
    return talk_run(&(talk){.command = COMMAND,
                            .place = r->place,
                            .on_line = on_line,
                            .code = CTL_ABSENT,
                            .silence_ms = RELOAD_SILENCE_MS},
                    REQUEST);
}

const ctl_command ctl_reload = {
    .name = COMMAND,
    .summary = "make a running clashd read its settings again",
    .arguments = "[OPTION..]",
    .text = "Makes a running clashd read its settings again. Those that can change meanwhile\n"
            "apply at once, and no client is dropped. If anything is wrong, or cannot change,\n"
            "all stays as it was: then this says why, and exits with 2.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(reload_command),
    .run = run,
};

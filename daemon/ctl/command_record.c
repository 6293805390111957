/* clashctl record: ask a running clashd to start, stop or change the file that it records to, or to put a mark into
 * it. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "record"

typedef struct record_command {
    const char *socket;
    bool help;
    const char *action, *text;
} record_command;

static const flag flags[] = {
    FLAG_TEXT("socket", "PATH", record_command, socket, "where clashd listens; default: as for clashd"),
    FLAG_HELP(record_command),
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

/* Return the request, for the caller to free. NULL when out of memory. */
static char *make_request(const record_command *r)
{
    cJSON *request = cJSON_CreateObject();
    char *text = NULL;

    if (cJSON_AddStringToObject(request, "type", "record") && cJSON_AddStringToObject(request, "id", COMMAND) &&
        cJSON_AddStringToObject(request, "action", r->action) &&
        (!r->text || cJSON_AddStringToObject(request, "text", r->text)))
        text = cJSON_PrintUnformatted(request);
    cJSON_Delete(request);
    return text;
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    (void)line;
    if (strcmp(message_string(message, "type"), "error") == 0) {
        t->code = CTL_USAGE;
        output_error(COMMAND, "clashd refuses: %s", message_string(message, "message"));
        return false;
    }
    if (strcmp(message_string(message, "id"), COMMAND) != 0 || strcmp(message_string(message, "type"), "ok") != 0)
        return true;
    t->code = CTL_DONE;
    if (message_string(message, "file")[0])
        printf("%s\n", output_text(message_string(message, "file")));
    return false;
}

/* Return 0, or -1 if the words are not a command. */
static int take_words(record_command *r, int count, char **words)
{
    static const char *const actions[] = {"start", "stop", "rotate", "mark"};
    bool has_text;

    if (count < 1)
        return -1;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(words[0], actions[i]) == 0)
            r->action = actions[i];
    has_text = r->action && strcmp(r->action, "mark") == 0;
    r->text = has_text && count == 2 ? words[1] : NULL;
    return r->action && count == 1 + has_text ? 0 : -1;
}

int ctl_record(int argc, char **argv)
{
    record_command r = {0};
    failure error = {0};
    char *request;
    int rest, code;

    if (flags_parse(&table, argc, argv, &r, &rest, &error) < 0)
        return output_usage_error(COMMAND, error.text);
    if (r.help) {
        output_help(COMMAND, "start|stop|rotate|mark TEXT [OPTION..]",
                    "Starts or stops the recording of a running clashd, continues in another file,\n"
                    "or marks the present time with a text. Prints the file. The settings say where\n"
                    "recordings go: record.directory.\n",
                    &table);
        return CTL_DONE;
    }
    if (take_words(&r, argc - rest, argv + rest) < 0)
        return output_usage_error(COMMAND, "expected start, stop, rotate, or mark and one TEXT");
    request = make_request(&r);
    if (!request) {
        output_error(COMMAND, "out of memory");
        return CTL_USAGE;
    }
    code = talk_run(&(talk){.command = COMMAND, .socket = r.socket, .on_line = on_line, .code = CTL_ABSENT}, request);
    cJSON_free(request);
    return code;
}

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
#define EXPECTED "expected start, stop, rotate, or mark and one TEXT"

typedef struct record_command {
    talk_place place;
    bool help;
    const char *action, *text;
} record_command;

static const flag flags[] = {
    TALK_FLAGS(record_command, place),
    FLAG_HELP(record_command),
};

/* Return the request, for the caller to free. Return NULL when out of memory. */
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
    if (strcmp(message_string(message, "type"), "error") == 0)
        return talk_refused(t, message);
    if (strcmp(message_string(message, "id"), COMMAND) != 0 || strcmp(message_string(message, "type"), "ok") != 0)
        return true;
    t->code = CTL_DONE;
    if (message_string(message, "file")[0])
        printf("%s\n", output_text(message_string(message, "file")));
    return false;
}

static bool take_words(record_command *r, char **words)
{
    static const char *const actions[] = {"start", "stop", "rotate", "mark"};
    bool has_text;

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(words[0], actions[i]) == 0)
            r->action = actions[i];
    has_text = r->action && strcmp(r->action, "mark") == 0;
    r->text = words[1];
    return r->action && has_text == (r->text != NULL);
}

static int run(void *target, char **words)
{
    record_command *r = target;
    char *request;
    int code;

    if (!take_words(r, words))
        return output_usage_error(COMMAND, EXPECTED);
    request = make_request(r);
    if (!request)
        return output_refuse(COMMAND, "out of memory");
    code = talk_run(&(talk){.command = COMMAND, .place = r->place, .on_line = on_line, .code = CTL_ABSENT}, request);
    cJSON_free(request);
    return code;
}

const ctl_command ctl_record = {
    .name = COMMAND,
    .summary = "start and stop recordings, and set marks in them",
    .arguments = "start|stop|rotate|mark TEXT [OPTION..]",
    .text = "Starts or stops the recording of a running clashd, continues in another file,\n"
            "or marks the present time with a text. Prints the file. The settings say where\n"
            "recordings go: record.directory.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 2, .first = "start stop rotate mark"},
    .expected = EXPECTED,
    .size = sizeof(record_command),
    .run = run,
};

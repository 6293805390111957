/* clashctl watch: subscribe and show what comes, for people or as it is. */
#include "cli/nearest_word.h"
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "watch"
#define EVENTS_DEFAULT "clash,release,tracking,space_changed"
#define SUBSCRIBE_ID "watch"

typedef struct watch {
    talk_place place;
    const char *events;
    double min_closing_speed, min_peak_speed, min_apart_ms; /* 0: all */
    bool json, once, help, is_greeted;
    unsigned long count; /* 0: no end */
    unsigned long seen;
    event_text text;
} watch;

#define EVENTS "clash hold release tracking space_changed poses"

/* A name that is not known may be a later clashd's, so only those near to a known one are refused here. */
static int set_events(void *member, const char *value, failure *out_expected)
{
    char name[64];

    if (value[0] == '\0' || strpbrk(value, "\"\\ "))
        return fail_int(out_expected, "expected names of events with commas between them, as in clash,release");
    for (const char *at = value; *at; at += *at == ',') {
        failure near = {0};
        const size_t length = strcspn(at, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        if (!nearest_word_is_in(name, EVENTS " replay recorder"))
            nearest_word_add(name, EVENTS, &near);
        if (near.text[0])
            return fail_int(out_expected, "no event is called '%s'%s", name, near.text);
    }
    *(const char **)member = value;
    return 0;
}

static int set_count(void *member, const char *value, failure *out_expected)
{
    double number;

    if (!flags_parse_number(value, &number) || number < 1.0 || number > 1e9 || number != (double)(long)number)
        return fail_int(out_expected, "expected a whole number from 1");
    *(unsigned long *)member = (unsigned long)number;
    return 0;
}

static const flag flags[] = {
    TALK_FLAGS(watch, place),
    FLAG_WORDS("events", "A,B,..", EVENTS, watch, events, set_events,
               "which: clash, hold, release, tracking,\n"
               "space_changed, poses; default: all but hold, poses"),
    FLAG_NUMBER("min-closing-speed", "M/S", watch, min_closing_speed, 0, 1000,
                "only contacts that begin at least this fast"),
    FLAG_NUMBER("min-peak-speed", "M/S", watch, min_peak_speed, 0, 1000,
                "only contacts that become at least this fast"),
    FLAG_NUMBER("min-apart", "MS", watch, min_apart_ms, 0, 60000,
                "no contact sooner than this after the same two\nblades separated"),
    FLAG_OTHER("count", "N", watch, count, set_count, "stop after N of them"),
    FLAG_SWITCH("once", watch, once, "stop when clashd ends, instead of waiting"),
    FLAG_SWITCH("json", watch, json, "print the lines as clashd sends them, hello first"),
    FLAG_HELP(watch),
};

static void add_number(char *out, size_t size, const char *key, double number)
{
    const size_t used = strlen(out);

    if (number > 0.0)
        snprintf(out + used, size - used, ",\"%s\":%.9g", key, number);
}

/* Write a subscribe request; false if "a,b,.." does not fit. */
static bool make_request(const watch *w, char *out, size_t size)
{
    const char *events = w->events;
    char numbers[160] = "";
    int used = snprintf(out, size, "{\"type\":\"subscribe\",\"id\":\"" SUBSCRIBE_ID "\",\"events\":[\"");

    for (; *events; events++) {
        if ((size_t)used + sizeof numbers + 8 >= size)
            return false;
        used += snprintf(out + used, size - (size_t)used, *events == ',' ? "\",\"" : "%c", *events);
    }
    add_number(numbers, sizeof numbers, "min_closing_speed", w->min_closing_speed);
    add_number(numbers, sizeof numbers, "min_peak_speed", w->min_peak_speed);
    add_number(numbers, sizeof numbers, "min_apart_ms", w->min_apart_ms);
    snprintf(out + used, size - (size_t)used, "\"]%s}", numbers);
    return true;
}

static bool show_event(talk *t, const cJSON *message, const char *line)
{
    watch *w = t->context;
    char text[4096];
    bool more;

    if (w->json) {
        more = output_json(line);
    } else {
        size_t written = event_text_format(&w->text, message, text, sizeof text);

        if (written == 0)
            return true;
        more = output_write(text, written) && output_write("\n", 1);
    }
    if (strcmp(message_string(message, "type"), "lagged") != 0)
        w->seen++;
    more = more && (w->count == 0 || w->seen < w->count);
    if (!more)
        t->code = CTL_DONE;
    return more;
}

/* Standard error has it, so that standard output has one line for each event. */
static bool greet(watch *w, const cJSON *hello, const char *line)
{
    char header[512];

    event_text_init(&w->text, hello);
    if (w->json)
        return output_json(line);
    if (!w->is_greeted) {
        event_text_header(&w->text, header, sizeof header);
        fprintf(stderr, "Connected to clashd %s; waiting for contacts, until Ctrl-C.\n%s\n",
                output_text(message_string(hello, "version")), header);
    }
    w->is_greeted = true;
    return true;
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    watch *w = t->context;
    const char *type = message_string(message, "type");

    if (strcmp(type, "hello") == 0)
        return greet(w, message, line);
    if (strcmp(type, "error") == 0)
        return talk_refused(t, message);
    return strcmp(type, "ok") == 0 || show_event(t, message, line);
}

static int run(void *target, char **words)
{
    watch *w = target;
    char request[1024];

    (void)words;
    if (!make_request(w, request, sizeof request))
        return output_usage_error(COMMAND, "--events: too many");
    return talk_run(&(talk){.command = COMMAND,
                            .place = w->place,
                            .on_line = on_line,
                            .context = w,
                            .code = w->count > 0 ? CTL_ABSENT : CTL_DONE,
                            .live = true,
                            .comes_back = !w->once},
                    request);
}

const ctl_command ctl_watch = {
    .name = COMMAND,
    .summary = "show clashes as they happen",
    .arguments = "[OPTION..]",
    .text = "Shows clashes as they happen, one a line, until interrupted. If clashd ends,\n"
            "it waits for the next one.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(watch),
    .defaults = &(watch){.events = EVENTS_DEFAULT},
    .run = run,
};

/* Parse CLASH_RUNTIME_FAULTS. Numbers are parsed by hand: strtod would follow the host program's locale. Refuse every
 * mistake and name the right form: a test that asks for a fault must not silently run without it. */
#include "runtime/faults.h"
#include "runtime/profiles.h"
#include "runtime/timebase.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e6
#define METRES_MAX 1e3
#define COUNT_MAX 1e6

typedef enum part { NEVER, MAYBE, ALWAYS } part;
typedef enum argument { NO_ARGUMENT, HAND, ORIGIN, PROFILE, COUNT, CALL } argument;

typedef struct form {
    const char *name;
    part time, duration;
    argument argument;
    const char *text; /* for messages */
} form;

static const form forms[FAULT_KINDS] = {
    [FAULT_LOST] = {"lost", ALWAYS, ALWAYS, HAND, "lost@TIME+DURATION[:left|:right]"},
    [FAULT_UNTRACKED] = {"untracked", ALWAYS, ALWAYS, HAND, "untracked@TIME+DURATION[:left|:right]"},
    [FAULT_INACTIVE] = {"inactive", ALWAYS, ALWAYS, HAND, "inactive@TIME+DURATION[:left|:right]"},
    [FAULT_UNFOCUSED] = {"unfocused", ALWAYS, ALWAYS, NO_ARGUMENT, "unfocused@TIME+DURATION"},
    [FAULT_RECENTRE] = {"recentre", ALWAYS, NEVER, ORIGIN, "recentre@TIME:X/Y/Z[:YAWdeg]"},
    [FAULT_PROFILE] = {"profile", ALWAYS, NEVER, PROFILE, "profile@TIME:/interaction_profiles/VENDOR/NAME"},
    [FAULT_STALL] = {"stall", ALWAYS, ALWAYS, NO_ARGUMENT, "stall@TIME+DURATION"},
    [FAULT_THREAD_END] = {"thread_end", ALWAYS, NEVER, NO_ARGUMENT, "thread_end@TIME"},
    [FAULT_CRASH] = {"crash", MAYBE, NEVER, CALL, "crash@TIME, crash:create or crash:system"},
    [FAULT_NO_END] = {"no_end", MAYBE, MAYBE, COUNT, "no_end@TIME+DURATION or no_end:COUNT"},
    [FAULT_EXIT] = {"exit", ALWAYS, NEVER, NO_ARGUMENT, "exit@TIME"},
    [FAULT_SESSION_LOSS] = {"session_loss", ALWAYS, NEVER, NO_ARGUMENT, "session_loss@TIME"},
    [FAULT_INSTANCE_LOSS] = {"instance_loss", ALWAYS, MAYBE, COUNT, "instance_loss@TIME[+DURATION][:COUNT]"},
    [FAULT_NO_HEADSET] = {"no_headset", MAYBE, MAYBE, COUNT, "no_headset@TIME+DURATION or no_headset:COUNT"},
    [FAULT_REFUSE] = {"refuse", MAYBE, MAYBE, COUNT, "refuse@TIME+DURATION or refuse:COUNT"},
};

/* Read digits with at most one point among them. */
static bool read_decimal(const char **cursor, bool may_be_negative, double *out_value)
{
    const char *p = *cursor;
    bool negative = may_be_negative && *p == '-';
    p += negative;
    double value = 0, scale = 1;
    int digits = 0;
    for (bool point = false; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        digits++;
        value = value * 10 + (*p - '0');
        scale *= point ? 10 : 1;
    }
    if (digits == 0 || digits > 15)
        return false;
    *out_value = (negative ? -value : value) / scale;
    *cursor = p;
    return true;
}

static bool read_time(const char **cursor, int64_t *out_ns)
{
    double value;
    if (!read_decimal(cursor, false, &value))
        return false;
    if (strncmp(*cursor, "ms", 2) == 0) {
        *cursor += 2;
        value /= 1000;
    } else if (**cursor == 's') {
        *cursor += 1;
    } else {
        return false;
    }
    *out_ns = (int64_t)llround(value * NS_PER_S);
    return value <= SECONDS_MAX;
}

static bool read_origin(const char **cursor, XrPosef *out_origin)
{
    double metres[3], degrees = 0;
    for (int i = 0; i < 3; i++) {
        if (!read_decimal(cursor, true, &metres[i]) || fabs(metres[i]) > METRES_MAX)
            return false;
        if (i < 2 && *(*cursor)++ != '/')
            return false;
    }
    if (**cursor == ':') {
        ++*cursor;
        if (!read_decimal(cursor, true, &degrees) || fabs(degrees) > 360 || strncmp(*cursor, "deg", 3) != 0)
            return false;
        *cursor += 3;
    }
    double half = degrees / 180 * acos(-1) / 2;
    out_origin->position = (XrVector3f){(float)metres[0], (float)metres[1], (float)metres[2]};
    out_origin->orientation = (XrQuaternionf){0, (float)sin(half), 0, (float)cos(half)};
    return true;
}

static bool read_argument(const char **cursor, argument kind, fault *item)
{
    double count;
    char profile[XR_MAX_PATH_LENGTH];
    switch (kind) {
    case HAND:
        item->hands = strncmp(*cursor, "left", 4) == 0 ? 1 : strncmp(*cursor, "right", 5) == 0 ? 2 : 0;
        *cursor += item->hands == 1 ? 4 : 5;
        return item->hands != 0;
    case ORIGIN:
        return read_origin(cursor, &item->origin);
    case PROFILE:
        snprintf(profile, sizeof profile, "%s", *cursor);
        item->profile = profiles_find(profile);
        *cursor += strlen(profile);
        return item->profile >= 0;
    case COUNT:
        if (!read_decimal(cursor, false, &count) || count < 1 || count > COUNT_MAX || count != floor(count))
            return false;
        item->count = (uint32_t)count;
        return true;
    case CALL:
        item->call = strcmp(*cursor, "create") == 0   ? CALL_CREATE
                     : strcmp(*cursor, "system") == 0 ? CALL_SYSTEM
                                                      : CALL_NONE;
        *cursor += strlen(*cursor);
        return item->call != CALL_NONE;
    case NO_ARGUMENT:
        break;
    }
    return false;
}

/* Read the rest of an item after its name; the item has no blanks around it. */
static bool read_rest(const char *p, const form *f, fault *item)
{
    bool duration = false, argued = false;
    item->hands = 3;
    if (*p == '@') {
        p++;
        item->timed = true;
        if (f->time == NEVER || !read_time(&p, &item->at_ns))
            return false;
    }
    if (*p == '+') {
        p++;
        duration = true;
        if (!item->timed || f->duration == NEVER || !read_time(&p, &item->duration_ns))
            return false;
    }
    if (*p == ':') {
        p++;
        argued = true;
        if (!read_argument(&p, f->argument, item))
            return false;
    }
    if (*p)
        return false;
    if (f->time == MAYBE) /* either a time, perhaps with a duration, or an argument; never both */
        return item->timed ? (duration || f->duration == NEVER) && !argued : argued;
    return item->timed && (duration || f->duration != ALWAYS) &&
           (argued || (f->argument != ORIGIN && f->argument != PROFILE));
}

static int describe_names(failure *out_failure, const char *item)
{
    char names[512] = "";
    size_t length = 0;
    for (int i = 0; i < FAULT_KINDS && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s %s", i ? "," : "", forms[i].name);
    return fail_int(out_failure, "'%s': no such fault, expected one of%s", item, names);
}

static int parse_item(const char *text, fault *out_item, failure *out_failure)
{
    size_t name = strcspn(text, "@+:");
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        const form *f = &forms[kind];
        if (strlen(f->name) != name || strncmp(f->name, text, name) != 0)
            continue;
        *out_item = (fault){.kind = (fault_kind)kind};
        if (read_rest(text + name, f, out_item))
            return 0;
        return fail_int(out_failure, "'%s': expected %s, where TIME and DURATION are like 2s or 500ms", text, f->text);
    }
    return describe_names(out_failure, text);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

int faults_parse(const char *text, faults *out, failure *out_failure)
{
    char copy[FAULTS_TEXT_MAX];
    faults parsed = {0};
    size_t size = strlen(text) + 1;
    if (size > sizeof copy) {
        return fail_int(out_failure, "longer than %d characters", FAULTS_TEXT_MAX - 1);
    }
    memcpy(parsed.text, text, size);
    memcpy(copy, text, size);
    if (!*trim(copy)) {
        *out = parsed;
        return 0;
    }
    for (char *rest = copy, *item; (item = strsep(&rest, ","));) {
        if (parsed.count == FAULTS_MAX) {
            return fail_int(out_failure, "more than %d faults", FAULTS_MAX);
        }
        if (parse_item(trim(item), &parsed.list[parsed.count++], out_failure) != 0)
            return -1;
    }
    *out = parsed;
    return 0;
}

/* clashctl status: ask once and show the answer, for people or as it is. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <stdio.h>
#include <string.h>

#define COMMAND "status"
#define REQUEST "{\"type\":\"status\",\"id\":\"status\"}"

typedef struct status {
    talk_place place;
    bool all, json, help;
    cJSON *hello;
} status;

static const flag flags[] = {
    TALK_FLAGS(status, place),
    FLAG_SWITCH("all", status, all, "show all counters, also those that are 0"),
    FLAG_SWITCH("json", status, json, "print the line as clashd sends it"),
    FLAG_HELP(status),
};

static void print_uptime(double time_ns)
{
    unsigned long long seconds = (unsigned long long)(time_ns * 1e-9);

    if (seconds >= 3600)
        printf("%llu h %llu min", seconds / 3600, seconds / 60 % 60);
    else if (seconds >= 60)
        printf("%llu min %llu s", seconds / 60, seconds % 60);
    else
        printf("%llu s", seconds);
}

static void print_source(const cJSON *message)
{
    const char *runtime = output_text(message_string(message, "runtime"));
    const char *detail = output_text(message_string(message, "detail"));

    printf("source    %s, %s%s%s\n", output_text(message_string(message, "source")),
           output_text(message_string(message, "state")), runtime[0] ? ", " : "", runtime);
    if (detail[0])
        printf("          %s\n", detail);
    if (message_number(message, "clock_error_ns") > 0.0)
        printf("          its times may be wrong by %.3f ms\n", message_number(message, "clock_error_ns") * 1e-6);
}

static void print_devices(const cJSON *devices)
{
    const cJSON *device;
    const char *title = "devices";

    cJSON_ArrayForEach(device, devices)
    {
        bool tracked = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "tracked"));

        const char *reason = output_text(event_text_reason(message_string(device, "reason")));

        printf("%-9s %-20s %s%s%s\n", title, output_text(message_string(device, "device")),
               tracked ? "tracked" : "not tracked", !tracked && reason[0] ? ": " : "", tracked ? "" : reason);
        title = "";
    }
}

static void print_players(const cJSON *players)
{
    const cJSON *player;
    const char *title = "players";

    cJSON_ArrayForEach(player, players)
    {
        printf("%-9s %-20s %s", title, output_text(message_string(player, "player")),
               cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(player, "muted"))  ? "not listened to"
               : cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(player, "here")) ? "here"
                                                                                : "gone");
        if (cJSON_GetObjectItemCaseSensitive(player, "clock_error_ns"))
            printf(", clock known to %.3f ms", message_number(player, "clock_error_ns") * 1e-6);
        if (cJSON_GetObjectItemCaseSensitive(player, "delay_ns"))
            printf(", %.1f ms away", message_number(player, "delay_ns") * 1e-6);
        printf(", %.0f samples, %.0f lost\n", message_number(player, "samples"), message_number(player, "lost"));
        title = "";
    }
}

/* Return the bound at or below which that share of them is; negative if above the last bound. */
static double find_bound_ns(const cJSON *bounds, const cJSON *counts, double wanted)
{
    int bucket = 0;

    for (const cJSON *count = counts ? counts->child : NULL; count; count = count->next, bucket++) {
        wanted -= count->valuedouble;
        if (wanted <= 0.0)
            break;
    }
    bounds = cJSON_GetArrayItem(bounds, bucket);
    return bounds ? bounds->valuedouble : -1.0;
}

static void print_latency(const cJSON *latency, const char *name, const char *title)
{
    const cJSON *histogram = cJSON_GetObjectItemCaseSensitive(latency, name);
    const cJSON *bounds = cJSON_GetObjectItemCaseSensitive(latency, "bounds_ns");
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(histogram, "counts");
    const double count = message_number(histogram, "count");
    const double shares[] = {0.5, 0.99};

    if (count <= 0.0)
        return;
    printf("latency   %s:", title);
    for (size_t i = 0; i < 2; i++) {
        double bound_ns = find_bound_ns(bounds, counts, shares[i] * count);

        if (bound_ns >= 0.0)
            printf(" %g %% within %g ms,", 100.0 * shares[i], bound_ns * 1e-6);
        else
            printf(" %g %% over 1 s,", 100.0 * shares[i]);
    }
    printf(" of %.0f\n", count);
}

/* ---- counters ---- */

/* The first group with a prefix of a counter's name has it; what no group has is shown last. */
static const struct group {
    const char *title;
    const char *prefixes[10];
} groups[] = {
    {"samples", {"samples", "refused_", "invalid", "untracked", "replaced", "cuts", "overruns"}},
    {"contacts", {"contacts", "events", "definitions", "sweeps", "proved", "starved", "resolved_"}},
    {"source", {"source_", "feed_"}},
    {"clients", {"clients_", "handshakes_", "accept_", "requests", "bad_requests", "pages_", "reads_"}},
    {"output", {"lines_", "events_", "lagged_", "poses_", "queued_", "longest_queue"}},
    {"pushes", {"pushed_", "push_"}},
    {"settings", {"reloads"}},
    {"recording", {"record"}},
    {"osc", {"osc_"}},
    {"mqtt", {"mqtt_", "room_"}},
};
#define GROUP_COUNT (sizeof groups / sizeof groups[0])

/* Names in full go before prefixes: events_dropped is not among the contacts. */
static size_t group_of(const char *name)
{
    size_t found = GROUP_COUNT;

    for (size_t g = 0; g < GROUP_COUNT; g++)
        for (const char *const *prefix = groups[g].prefixes; *prefix; prefix++) {
            if (strcmp(name, *prefix) == 0)
                return g;
            if (found == GROUP_COUNT && (*prefix)[strlen(*prefix) - 1] == '_' &&
                strncmp(name, *prefix, strlen(*prefix)) == 0)
                found = g;
        }
    for (size_t g = 0; g < GROUP_COUNT && found == GROUP_COUNT; g++)
        for (const char *const *prefix = groups[g].prefixes; *prefix; prefix++)
            if (strncmp(name, *prefix, strlen(*prefix)) == 0 && found == GROUP_COUNT)
                found = g;
    return found;
}

static void print_counters(const cJSON *counters)
{
    const cJSON *counter;

    for (size_t g = 0; g <= GROUP_COUNT; g++) {
        const char *title = g < GROUP_COUNT ? groups[g].title : "others";

        cJSON_ArrayForEach(counter, counters)
        {
            if (group_of(counter->string) != g)
                continue;
            printf("%-9s %-22s %.0f\n", title, output_text(counter->string), counter->valuedouble);
            title = "";
        }
    }
}

/* What a person should know of if it is not 0. */
static const char *const troubles[][2] = {
    {"events_dropped", "events dropped, because a client reads too slowly"},
    {"lines_not_encoded", "messages too long to send"},
    {"refused_late", "samples refused, not later than the one before"},
    {"refused_not_finite", "samples refused, a number is not finite"},
    {"refused_too_far", "samples refused, too far away"},
    {"refused_not_unit", "samples refused, the orientation is not of unit length"},
    {"refused_unknown", "samples refused, of too many devices"},
    {"overruns", "samples lost, because clashd was too slow"},
    {"source_dropped", "frames of the source lost, because clashd was too slow"},
    {"source_left_behind", "OpenXR runtimes that did not end"},
    {"resolved_given_up", "blades for which no place outside was found"},
    {"clients_refused", "connections refused"},
    {"handshakes_refused", "connections refused, a token or header was wrong"},
    {"clients_stalled", "connections ended, because the client did not read"},
    {"accept_errors", "connections that the system refused"},
    {"bad_requests", "requests refused, malformed or not allowed"},
    {"push_refused_late", "poses of clients refused, too late"},
    {"push_refused_future", "poses of clients refused, ahead of the clock"},
    {"push_refused_pose", "poses of clients refused, malformed"},
    {"push_refused_limit", "poses of clients refused, too many"},
    {"reloads_refused", "reloads refused"},
};

static void print_troubles(const cJSON *counters)
{
    const char *title = "trouble";

    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        const double count = message_number(counters, troubles[i][0]);

        if (count <= 0.0)
            continue;
        printf("%-9s %s: %.0f (%s)\n", title, troubles[i][1], count, troubles[i][0]);
        title = "";
    }
}

static void print_short(const cJSON *message)
{
    const cJSON *counters = cJSON_GetObjectItemCaseSensitive(message, "counters");
    const char *websocket = message_string(message, "websocket");

    if (websocket[0])
        printf("page      at %s: clashctl view\n", output_text(websocket));
    printf("contacts  %.0f, in %.0f samples\n", message_number(counters, "contacts"),
           message_number(counters, "samples"));
    print_troubles(counters);
    printf("\nAll counters: clashctl status --all\n");
}

static void print_status(const status *s, const cJSON *message)
{
    const cJSON *hello = s->hello;

    printf("clashd    %s, session %s, up ", output_text(message_string(hello, "version")),
           output_text(message_string(hello, "session")));
    print_uptime(message_number(message, "time_ns"));
    printf("\n");
    print_source(message);
    print_devices(cJSON_GetObjectItemCaseSensitive(message, "devices"));
    print_players(cJSON_GetObjectItemCaseSensitive(message, "players"));
    printf("clients   %.0f\n", message_number(message, "clients"));
    print_latency(cJSON_GetObjectItemCaseSensitive(message, "latency"), "sample_to_queue", "poses to queue");
    print_latency(cJSON_GetObjectItemCaseSensitive(message, "latency"), "sample_to_write", "poses to write");
    if (s->all)
        print_counters(cJSON_GetObjectItemCaseSensitive(message, "counters"));
    else
        print_short(message);
}

/* keep hello for what only it says; other lines are not for us */
static bool on_line(talk *t, const cJSON *message, const char *line)
{
    status *s = t->context;
    const char *type = message_string(message, "type");

    if (strcmp(type, "hello") == 0 && !s->hello) {
        s->hello = cJSON_Duplicate(message, true);
    } else if (strcmp(type, "status") == 0) {
        t->code = CTL_DONE;
        if (s->json)
            output_json(line);
        else
            print_status(s, message);
    } else if (strcmp(type, "error") == 0) {
        return talk_refused(t, message);
    }
    return t->code != CTL_DONE;
}

static int run(void *target, char **words)
{
    status *s = target;
    int code;

    (void)words;
    code = talk_run(
        &(talk){.command = COMMAND, .place = s->place, .on_line = on_line, .context = s, .code = CTL_ABSENT}, REQUEST);
    cJSON_Delete(s->hello);
    return code;
}

const ctl_command ctl_status = {
    .name = COMMAND,
    .summary = "show what a running clashd is doing",
    .arguments = "[OPTION..]",
    .text = "Shows what a running clashd is doing: its source, its devices, its clients, how\n"
            "many contacts it has found, and what went wrong.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(status),
    .run = run,
};

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
    bool json, help;
    cJSON *hello;
} status;

static const flag flags[] = {
    TALK_FLAGS(status, place),
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

static void print_counters(const cJSON *counters)
{
    const cJSON *counter;
    const char *title = "counters";

    cJSON_ArrayForEach(counter, counters)
    {
        printf("%-9s %-20s %.0f\n", title, output_text(counter->string), counter->valuedouble);
        title = "";
    }
}

static void print_status(const cJSON *hello, const cJSON *message)
{
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
    print_counters(cJSON_GetObjectItemCaseSensitive(message, "counters"));
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
            print_status(s->hello, message);
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
    .text = "Shows what a running clashd is doing.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(status),
    .run = run,
};

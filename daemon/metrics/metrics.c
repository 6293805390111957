/* Print the page, metric by metric: all samples of one below its HELP and TYPE, as the format demands. Seconds are
 * printed exactly from whole nanoseconds. See metrics.h. */
#include "metrics.h"

#include <clash/base.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { COUNTER, GAUGE, HISTOGRAM } kind;

#define NS_PER_S UINT64_C(1000000000)

typedef struct page {
    char *bytes; /* NULL when out of memory */
    size_t length, capacity;
} page;

static bool reserve(page *p, size_t more)
{
    char *grown;

    if (!p->bytes)
        return false;
    if (p->length + more <= p->capacity)
        return true;
    while (p->capacity < p->length + more)
        p->capacity *= 2;
    grown = realloc(p->bytes, p->capacity);
    if (!grown)
        free(p->bytes);
    p->bytes = grown;
    return grown != NULL;
}

static void put_bytes(page *p, const char *bytes, size_t length)
{
    if (!reserve(p, length))
        return;
    memcpy(p->bytes + p->length, bytes, length);
    p->length += length;
}

static void put(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(page *p, const char *format, ...)
{
    char text[512];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_bytes(p, text, length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void put_head(page *p, const char *name, kind of, const char *help)
{
    static const char *const kinds[] = {"counter", "gauge", "histogram"};

    put(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kinds[of]);
}

/* Print a label; in its value three characters are escaped. */
static void put_label(page *p, const char *name, const char *value)
{
    put(p, "%s=\"", name);
    for (const char *at = value; *at; at++) {
        if (*at == '\n')
            put_bytes(p, "\\n", 2);
        else if (*at == '"' || *at == '\\')
            put(p, "\\%c", *at);
        else
            put_bytes(p, at, 1);
    }
    put_bytes(p, "\"", 1);
}

static void put_seconds(page *p, uint64_t ns)
{
    put(p, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

/* Rows of one metric differ in their labels and follow each other. */
static void put_counters(page *p, const counter_list *list)
{
    const char *before = "";

    for (size_t i = 0; i < list->count; i++) {
        const counter_row *c = &list->rows[i];
        const size_t length = strcspn(c->metric, "{");
        const bool is_total = length > 6 && memcmp(c->metric + length - 6, "_total", 6) == 0;
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)length, c->metric);
        if (strncmp(before, name, length) != 0 || before[length] != c->metric[length])
            put_head(p, name, is_total ? COUNTER : GAUGE, c->help);
        before = c->metric;
        put(p, "%s %" PRIu64 "\n", c->metric, c->value);
    }
}

static void put_device(page *p, const char *name, const char *device)
{
    put(p, "%s{", name);
    put_label(p, "device", device);
    put(p, "} ");
}

static void put_devices(page *p, const protocol_status *status)
{
    static const char tracked[] = "clashd_device_tracked", lost[] = "clashd_device_tracking_lost_seconds_total";

    if (status->device_count == 0)
        return;
    put_head(p, tracked, GAUGE, "Whether the device's poses are used now.");
    for (size_t i = 0; i < status->device_count; i++) {
        put_device(p, tracked, status->devices[i].device);
        put(p, "%d\n", status->devices[i].tracked);
    }
    put_head(p, lost, COUNTER, "For how long the device has not been tracked since it first was.");
    for (size_t i = 0; i < status->device_count; i++) {
        put_device(p, lost, status->devices[i].device);
        put_seconds(p, (uint64_t)status->devices[i].lost_ns);
        put(p, "\n");
    }
}

/* ---- players of a room ---- */

static void put_head_of_players(page *p, const protocol_status *status, const char *name, kind of, const char *help)
{
    if (status->player_count > 0)
        put_head(p, name, of, help);
}

static void put_player(page *p, const char *name, const char *player)
{
    put(p, "%s{", name);
    put_label(p, "player", player);
    put(p, "} ");
}

static void put_player_seconds(page *p, const char *name, const char *player, int64_t ns)
{
    put_player(p, name, player);
    if (ns < 0)
        put(p, "-");
    put_seconds(p, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
    put(p, "\n");
}

static void put_clocks(page *p, const protocol_status *status)
{
    static const struct {
        const char *name, *help;
        size_t at; /* of an int64_t, ns */
    } rows[] = {
        {"clashd_room_player_clock_offset_seconds",
         "By how much the player's session's time is ahead of this one's, as its samples are placed.",
         offsetof(protocol_status_player, clock_offset_ns)},
        {"clashd_room_player_clock_drift_ratio",
         "By how much the player's clock runs faster than this one now, as its samples are placed.",
         offsetof(protocol_status_player, clock_drift_ppb)}, /* billionths, as ns are of seconds */
        {"clashd_room_player_clock_error_seconds",
         "By how much that may be wrong, in 99 of 100 cases, if delays are alike both ways.",
         offsetof(protocol_status_player, clock_error_ns)},
        {"clashd_room_player_delay_seconds", "From the time of the player's newest sample until it was here.",
         offsetof(protocol_status_player, delay_ns)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool is_delay = rows[i].at == offsetof(protocol_status_player, delay_ns);

        put_head_of_players(p, status, rows[i].name, GAUGE, rows[i].help);
        for (size_t k = 0; k < status->player_count; k++) {
            const protocol_status_player *player = &status->players[k];
            int64_t ns;

            memcpy(&ns, (const char *)player + rows[i].at, sizeof ns);
            if (is_delay ? ns >= 0 : player->is_placed)
                put_player_seconds(p, rows[i].name, player->player, ns);
        }
    }
}

static void put_players(page *p, const protocol_status *status)
{
    static const struct {
        const char *name, *help;
        size_t at; /* of a uint64_t */
    } rows[] = {
        {"clashd_room_player_samples_total", "Samples of the player that were taken.",
         offsetof(protocol_status_player, samples)},
        {"clashd_room_player_samples_repeated_total", "Samples of the player that had come before.",
         offsetof(protocol_status_player, repeated)},
        {"clashd_room_player_samples_lost_total", "Samples of the player that never came.",
         offsetof(protocol_status_player, lost)},
        {"clashd_room_player_samples_late_total", "Samples of the player that came too late.",
         offsetof(protocol_status_player, late)},
        {"clashd_room_player_refused_total", "Messages or samples of the player that were not taken.",
         offsetof(protocol_status_player, refused)},
    };

    put_clocks(p, status);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_head_of_players(p, status, rows[i].name, COUNTER, rows[i].help);
        for (size_t k = 0; k < status->player_count; k++) {
            uint64_t value;

            memcpy(&value, (const char *)&status->players[k] + rows[i].at, sizeof value);
            put_player(p, rows[i].name, status->players[k].player);
            put(p, "%" PRIu64 "\n", value);
        }
    }
}

/* In this format each bucket also counts all smaller ones. */
static void put_histogram(page *p, const char *name, const char *help, const int64_t *bounds_ns,
                          const protocol_histogram *h)
{
    uint64_t count = 0;

    put_head(p, name, HISTOGRAM, help);
    for (size_t i = 0; i < PROTOCOL_HISTOGRAM_BOUNDS; i++) {
        count += h->counts[i];
        put(p, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, (double)bounds_ns[i] / (double)NS_PER_S, count);
    }
    count += h->counts[PROTOCOL_HISTOGRAM_BOUNDS];
    put(p, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum ", name, count, name);
    put_seconds(p, h->sum_ns);
    put(p, "\n%s_count %" PRIu64 "\n", name, count);
}

static void put_info(page *p, const protocol_status *status)
{
    put_head(p, "clashd_build_info", GAUGE, "Always 1; the version is the label's.");
    put(p, "clashd_build_info{version=\"%s\"} 1\n", CLASH_VERSION_STRING);
    put_head(p, "clashd_uptime_seconds", GAUGE, "Since clashd's start.");
    put(p, "clashd_uptime_seconds ");
    put_seconds(p, (uint64_t)status->time_ns);
    put(p, "\n");
    put_head(p, "clashd_source_info", GAUGE, "Always 1; where poses come from, and how that is, are the labels'.");
    put(p, "clashd_source_info{");
    put_label(p, "source", status->source);
    put(p, ",");
    put_label(p, "state", status->state);
    put(p, ",");
    put_label(p, "runtime", status->runtime);
    put(p, "} 1\n");
    put_head(p, "clashd_clients", GAUGE, "Clients that are connected now.");
    put(p, "clashd_clients %" PRIu64 "\n", status->clients);
}

char *metrics_format(const protocol_status *status, const counter_list *counters, size_t *out_length)
{
    page p = {.bytes = malloc(16384), .capacity = 16384};

    put_info(&p, status);
    put_counters(&p, counters);
    put_devices(&p, status);
    put_players(&p, status);
    if (status->latency) {
        put_histogram(&p, "clashd_sample_to_queue_seconds",
                      "From the time of poses until all events they cause are in the queues of clients.",
                      status->latency->bounds_ns, status->latency->sample_to_queue);
        put_histogram(&p, "clashd_sample_to_write_seconds",
                      "From the time of poses until the kernel has lines that they cause, by the first of each write.",
                      status->latency->bounds_ns, status->latency->sample_to_write);
    }
    *out_length = p.length;
    return p.bytes;
}

/* clashctl trace: how late a running clashd's lines arrive here, line by line, and what it reports of itself meanwhile.
 * What only clashd knows (when a line was queued and written) it reports as histograms in `status`: of these the means
 * of the new entries are drawn. Times are the session's, which are this machine's CLOCK_MONOTONIC. */
#include "cli/array.h"
#include "cli/output.h"
#include "config/config.h"
#include "ctl.h"
#include "event_text.h"
#include "platform/monotonic.h"
#include "talk.h"
#include "trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "trace"
#define SECONDS_DEFAULT 10.0
#define HELLO_NS INT64_C(10000000000)
#define STATUS_NS INT64_C(250000000)
#define STATUS_REQUEST "{\"type\":\"status\",\"id\":\"status\"}"
#define SUBSCRIBE "{\"type\":\"subscribe\",\"id\":\"trace\",\"events\":[\"clash\",\"hold\",\"release\",\"poses\"]}"
#define CONTACTS_MAX 256

typedef struct latencies {
    int64_t *values; /* ns */
    size_t count, capacity;
} latencies;

typedef struct mean {
    double count, sum_ns; /* so far */
} mean;

typedef struct trace {
    talk_place place;
    const char *file;
    double seconds;
    bool help, is_begun, is_refused;
    int64_t epoch_ns, began_ns, asked_ns; /* CLOCK_MONOTONIC; asked_ns: 0 while no answer is awaited */
    int64_t next_ns;                      /* next status */
    trace_file out;
    FILE *stream;
    latencies poses, clashes;
    mean to_queue, to_write;
    size_t open_count;
    struct {
        double id;
        int64_t time_ns;
    } open[CONTACTS_MAX];
} trace;

static const flag flags[] = {
    TALK_FLAGS(trace, place),
    FLAG_NUMBER("seconds", "S", trace, seconds, 0.1, 3600, "how long; default: 10"),
    FLAG_HELP(trace),
};

/* ---- numbers ---- */

/* Without memory it is drawn all the same. */
static void add_latency(latencies *l, int64_t ns)
{
    if (array_grow(&l->values, l->count, &l->capacity, sizeof *l->values))
        l->values[l->count++] = ns;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Return the percentile of sorted values by nearest rank, ms. */
static double rank_ms(const latencies *l, size_t percent)
{
    const size_t rank = (l->count * percent + 99) / 100;

    return (double)l->values[rank - 1] * 1e-6;
}

static void print_latency(const char *what, latencies *l)
{
    if (l->count == 0) {
        output_error(COMMAND, "no %s came", what);
        return;
    }
    qsort(l->values, l->count, sizeof *l->values, compare);
    output_error(COMMAND, "%zu %s: median %.3f ms, 99 %% within %.3f ms, the latest %.3f ms", l->count, what,
                 rank_ms(l, 50), rank_ms(l, 99), rank_ms(l, 100));
}

/* ---- lines ---- */

/* Poses may lie in the future if the runtime predicts them. */
static void draw_arrival(trace *c, const char *row, const char *name, int64_t time_ns, int64_t here_ns,
                         const trace_note *notes)
{
    if (here_ns >= time_ns)
        trace_span(&c->out, row, name, time_ns, here_ns, notes);
    else
        trace_span(&c->out, row, "ahead of its time", here_ns, time_ns, notes);
}

static void take_poses(trace *c, const cJSON *message, int64_t here_ns)
{
    const int64_t time_ns = (int64_t)message_number(message, "time_ns");
    const double ms = (double)(here_ns - time_ns) * 1e-6;

    add_latency(&c->poses, here_ns - time_ns);
    draw_arrival(c, "poses: sample to here", "poses", time_ns, here_ns, (const trace_note[]){{"latency_ms", ms}, {0}});
    trace_counter(&c->out, "poses: sample to here, ms", here_ns, ms);
}

static void end_contact(trace *c, double id, int64_t time_ns)
{
    char name[64];

    for (size_t i = 0; i < c->open_count; i++) {
        if (c->open[i].id != id)
            continue;
        snprintf(name, sizeof name, "contact %.0f", id);
        trace_span(&c->out, "contacts: clash to release", name, c->open[i].time_ns, time_ns, (const trace_note[]){{0}});
        c->open[i] = c->open[--c->open_count];
        return;
    }
}

static void take_event(trace *c, const cJSON *message, const char *type, int64_t here_ns)
{
    const int64_t time_ns = (int64_t)message_number(message, "time_ns");
    const double id = message_number(message, "id");
    const trace_note notes[] = {{"latency_ms", (double)(here_ns - time_ns) * 1e-6},
                                {"contact", id},
                                {"closing_speed", message_number(message, "closing_speed")},
                                {"interval_ms", message_number(message, "interval_ns") * 1e-6},
                                {0}};

    draw_arrival(c, "events: instant to here", type, time_ns, here_ns, notes);
    if (strcmp(type, "release") == 0)
        end_contact(c, id, time_ns);
    if (strcmp(type, "clash") != 0)
        return;
    add_latency(&c->clashes, here_ns - time_ns);
    trace_counter(&c->out, "clashes: contact to here, ms", here_ns, (double)(here_ns - time_ns) * 1e-6);
    if (c->open_count == CONTACTS_MAX)
        return;
    c->open[c->open_count].id = id;
    c->open[c->open_count++].time_ns = time_ns;
}

/* Draw the mean of what is new since the last answer. */
static void draw_mean(trace *c, const cJSON *latency, const char *key, const char *name, mean *m, int64_t here_ns)
{
    const cJSON *histogram = cJSON_GetObjectItemCaseSensitive(latency, key);
    const double count = message_number(histogram, "count"), sum_ns = message_number(histogram, "sum_ns");
    const bool is_first = m->count == 0.0 && m->sum_ns == 0.0;

    if (!is_first && count > m->count)
        trace_counter(&c->out, name, here_ns, (sum_ns - m->sum_ns) / (count - m->count) * 1e-6);
    *m = (mean){count, sum_ns};
}

static void take_status(trace *c, const cJSON *message, int64_t here_ns)
{
    const cJSON *latency = cJSON_GetObjectItemCaseSensitive(message, "latency");
    const cJSON *counters = cJSON_GetObjectItemCaseSensitive(message, "counters");

    trace_span(&c->out, "status: asked to answered", "status", c->asked_ns, here_ns, (const trace_note[]){{0}});
    draw_mean(c, latency, "sample_to_queue", "clashd: sample to queue, mean, ms", &c->to_queue, here_ns);
    draw_mean(c, latency, "sample_to_write", "clashd: sample to write, mean, ms", &c->to_write, here_ns);
    trace_counter(&c->out, "clashd: queued_bytes", here_ns, message_number(counters, "queued_bytes"));
    trace_counter(&c->out, "clashd: events_dropped", here_ns, message_number(counters, "events_dropped"));
    c->asked_ns = 0;
}

static bool is_replay(const cJSON *hello)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(hello, "capabilities");
    bool found = false;

    for (const cJSON *one = list ? list->child : NULL; one; one = one->next)
        found = found || (cJSON_IsString(one) && strcmp(one->valuestring, "replay") == 0);
    return found;
}

static bool take_hello(trace *c, const cJSON *hello)
{
    char process[200];

    if (is_replay(hello)) {
        output_error(COMMAND, "clashd plays a recording, whose times are not the clock's: nothing comes late or early");
        c->is_refused = true;
        return false;
    }
    c->epoch_ns = strtoll(message_string(hello, "epoch_monotonic_ns"), NULL, 10);
    snprintf(process, sizeof process, "clashd %.40s, session %.64s", message_string(hello, "version"),
             message_string(hello, "session"));
    trace_begin(&c->out, c->stream, process);
    c->began_ns = c->next_ns = monotonic_ns() - c->epoch_ns;
    c->is_begun = true;
    return true;
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    trace *c = t->context;
    const int64_t here_ns = monotonic_ns() - c->epoch_ns;
    const char *type = message_string(message, "type");

    (void)line;
    if (strcmp(type, "hello") == 0 && !c->is_begun)
        return take_hello(c, message);
    if (strcmp(type, "poses") == 0)
        take_poses(c, message, here_ns);
    else if (strcmp(type, "clash") == 0 || strcmp(type, "hold") == 0 || strcmp(type, "release") == 0)
        take_event(c, message, type, here_ns);
    else if (strcmp(type, "status") == 0)
        take_status(c, message, here_ns);
    else if (strcmp(type, "error") == 0)
        return talk_refused(t, message);
    return c->out.error == 0;
}

static bool on_tick(talk *t)
{
    trace *c = t->context;
    const int64_t now_ns = monotonic_ns() - c->epoch_ns;
    char text[CONFIG_PATH_MAX];

    if (!c->is_begun) {
        if (now_ns - c->began_ns < HELLO_NS)
            return true;
        output_error(COMMAND, "%s does not answer: clashd hangs, or another program listens there",
                     talk_place_text(&c->place, text, sizeof text));
        return false;
    }
    if ((double)(now_ns - c->began_ns) * 1e-9 >= c->seconds) {
        t->code = CTL_DONE;
        return false;
    }
    if (now_ns >= c->next_ns && c->asked_ns == 0) {
        c->asked_ns = now_ns;
        c->next_ns = now_ns + STATUS_NS;
        talk_send(t, STATUS_REQUEST);
    }
    return true;
}

/* ---- the command ---- */

static int finish(trace *c, int code)
{
    const int64_t now_ns = monotonic_ns() - c->epoch_ns;

    while (c->open_count > 0)
        end_contact(c, c->open[0].id, now_ns);
    if (trace_end(&c->out) != 0 && !(c->stream == stdout && c->out.error == EPIPE))
        return output_refuse(COMMAND, "%s: %s", c->stream == stdout ? "standard output" : c->file,
                             strerror(c->out.error));
    print_latency("lines of poses", &c->poses);
    print_latency("clashes", &c->clashes);
    return code;
}

static int run(void *target, char **words)
{
    trace *c = target;
    const bool to_standard = strcmp(words[0], "-") == 0;
    int code;

    c->file = words[0];
    c->began_ns = monotonic_ns();
    c->stream = to_standard ? stdout : fopen(c->file, "wxe");
    if (!c->stream)
        return output_refuse(COMMAND, "%s: %s", c->file, strerror(errno));
    code = talk_run(&(talk){.command = COMMAND,
                            .place = c->place,
                            .on_line = on_line,
                            .on_tick = on_tick,
                            .context = c,
                            .code = CTL_ABSENT,
                            .live = to_standard},
                    SUBSCRIBE);
    if (c->is_begun)
        code = finish(c, code);
    if (!to_standard && fclose(c->stream) != 0 && code == CTL_DONE) {
        output_error(COMMAND, "%s: %s", c->file, strerror(errno));
        code = CTL_USAGE;
    }
    if (!c->is_begun && !to_standard)
        remove(c->file);
    free(c->poses.values);
    free(c->clashes.values);
    return c->is_refused ? CTL_USAGE : code;
}

const ctl_command ctl_trace = {
    .name = COMMAND,
    .summary = "measure how late a running clashd's lines come, for Perfetto",
    .arguments = "NEW_FILE [OPTION..]",
    .text = "Listens to a running clashd, and writes how late each of its lines came here:\n"
            "poses since their sample, clashes since their contact; how long contacts lasted;\n"
            "and what clashd says of its own latencies and queues. NEW_FILE, JSON, opens in\n"
            "https://ui.perfetto.dev; - is standard output.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 1},
    .expected = "expected the name of the new file",
    .size = sizeof(trace),
    .defaults = &(trace){.seconds = SECONDS_DEFAULT},
    .run = run,
};

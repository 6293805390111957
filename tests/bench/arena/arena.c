/* arena PORT PLAYERS SECONDS [bare | echo]: simulated players at a broker on this machine, and how long after a sample was sent the clash
 * that it shows is received; see arena.h. Prints one line of JSON. `bare` where the referee is `arena PORT 0 0 echo`. */
#include "arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LATENCIES_MAX 1000000
/* Not counted: until the referee has everybody's blades, and after the last frames were sent. */
#define WARM_UP_NS INT64_C(2000000000)
#define REST_NS INT64_C(500000000)
/* So late a frame is left out. */
#define LATE_NS INT64_C(100000000)

typedef struct arena {
    const arena_options *options;
    arena_link watch; /* hears the referee */
    arena_clock clock;
    arena_player players[ARENA_PLAYERS_MAX];
    arena_link *links[ARENA_PLAYERS_MAX + 1];
    int64_t begin_ns;
    uint64_t messages, skipped, bytes, event_bytes, events, unknown;
    double latencies_ms[LATENCIES_MAX], late_ms[LATENCIES_MAX];
    size_t latency_count, late_count;
} arena;

/* ---- what the referee says ---- */

static const char *after(const char *text, const char *key)
{
    const char *found = text ? strstr(text, key) : NULL;

    return found ? found + strlen(key) : NULL;
}

static void take_hello(arena *a, const char *text)
{
    const char *epoch = after(text, "\"epoch_monotonic_ns\":\"");

    a->clock.epoch_ns = epoch ? strtoll(epoch, NULL, 10) : 0;
}

/* It says so when it has begun the room's time, which is then its session's. */
static void take_peer(arena *a, const char *text)
{
    const char *clock = after(text, "\"clock\":\"");

    if (clock)
        snprintf(a->clock.session, sizeof a->clock.session, "%.*s", (int)strcspn(clock, "\""), clock);
}

static arena_player *player_of(arena *a, const char *text)
{
    const unsigned long number = text ? strtoul(text, NULL, 10) : a->options->players;

    return number < a->options->players ? &a->players[number] : NULL;
}

/* The message from which the referee could know of it: the later one of both players'. */
static int64_t sent_ns_of_clash(arena *a, const char *text)
{
    const char *time = after(text, "\"time_ns\":"), *first = after(text, "\"blades\":[\"p"),
               *second = after(first, "\",\"p");
    const int64_t at_ns = time ? strtoll(time, NULL, 10) + a->clock.epoch_ns : 0;
    const arena_player *const one = player_of(a, first), *const other = player_of(a, second);
    int64_t x, y;

    if (!one || !other)
        return 0;
    x = arena_player_sent_ns(one, at_ns);
    y = arena_player_sent_ns(other, at_ns);
    return x == 0 || y == 0 ? 0 : x > y ? x : y;
}

/* `first` of a message is of its oldest frame, three before the one that it was sent for. */
static int64_t sent_ns_of_echo(arena *a, const char *text)
{
    const char *first = after(text, "\"first\":");
    const arena_player *player = player_of(a, after(text, "\"session\":\"s"));
    const uint64_t count = first ? strtoull(first, NULL, 10) / 2 + 3 : 0;

    return player && count > 3 && count < player->count ? player->counted_ns[count % ARENA_SENT_MAX] : 0;
}

static void take_event(arena *a, const char *text)
{
    const int64_t now_ns = arena_now_ns();
    const int64_t sent_ns = a->options->is_bare ? sent_ns_of_echo(a, text) : sent_ns_of_clash(a, text);

    if (now_ns < a->begin_ns + WARM_UP_NS)
        return;
    a->events++;
    a->event_bytes += strlen(text);
    if (sent_ns == 0)
        a->unknown++;
    else if (a->latency_count < LATENCIES_MAX)
        a->latencies_ms[a->latency_count++] = (double)(now_ns - sent_ns) * 1e-6;
}

/* libmosquitto ends payloads with a zero. */
static void on_message(void *context, const struct mosquitto_message *message)
{
    arena *a = context;

    if (!message->payload) /* nothing is retained any more */
        return;
    if (strstr(message->topic, "/hello"))
        take_hello(a, message->payload);
    else if (strstr(message->topic, "/peer"))
        take_peer(a, message->payload);
    else
        take_event(a, message->payload);
}

/* ---- the run ---- */

static void watch(arena *a)
{
    static const char *const what[] = {"hello", "peer", "events/clash"};
    char topic[ARENA_TOPIC_MAX];

    a->watch = (arena_link){.received = on_message, .context = a};
    arena_link_open(&a->watch, a->options);
    for (size_t i = 0; i < 3; i++) {
        snprintf(topic, sizeof topic, "clashd/%s/%s/%s", a->options->room, a->options->referee, what[i]);
        mosquitto_subscribe(a->watch.mosq, NULL, topic, 1);
    }
    while (!a->clock.session[0] || (a->clock.epoch_ns == 0 && !a->options->is_bare))
        arena_link_run((arena_link *[]){&a->watch}, 1, arena_now_ns() + 100000000);
}

/* Frames of the players are spread over the period, as nobody's headset waits for another's. */
static void enter(arena *a)
{
    const unsigned count = a->options->players;

    a->links[count] = &a->watch;
    for (unsigned i = 0; i < count; i++) {
        arena_player *p = &a->players[i];

        p->number = i;
        a->links[i] = &p->link;
        arena_link_open(&p->link, a->options);
        arena_player_introduce(p, a->options, &a->clock);
    }
    a->begin_ns = arena_now_ns() + 100000000;
    for (unsigned i = 0; i < count; i++)
        a->players[i].begin_ns = a->begin_ns + ARENA_PERIOD_NS * i / count;
}

static void play(arena *a)
{
    const int64_t end_ns = a->begin_ns + WARM_UP_NS + (int64_t)(a->options->seconds * 1e9);
    const unsigned count = a->options->players;
    unsigned next = 0;

    while (arena_player_due_ns(&a->players[next]) < end_ns) {
        arena_player *p = &a->players[next];
        const int64_t due_ns = arena_player_due_ns(p), late_ns = arena_now_ns() - due_ns;

        if (late_ns < 0) {
            arena_link_run(a->links, count + 1, due_ns);
            continue;
        }
        if (late_ns > LATE_NS) { /* this program, or the broker that it waits for, is what gives first */
            arena_player_skip(p);
            a->skipped++;
        } else {
            a->bytes += arena_player_send(p, &a->clock);
            a->messages++;
        }
        if (due_ns > a->begin_ns + WARM_UP_NS && a->late_count < LATENCIES_MAX)
            a->late_ms[a->late_count++] = (double)late_ns * 1e-6;
        next = (next + 1) % count;
        if (next == 0)
            arena_link_run(a->links, count + 1, 0);
    }
    while (arena_now_ns() < end_ns + REST_NS)
        arena_link_run(a->links, count + 1, end_ns + REST_NS);
}

static void leave(arena *a)
{
    for (unsigned i = 0; i < a->options->players; i++) {
        arena_player_leave(&a->players[i], a->options);
        arena_link_close(&a->players[i].link);
    }
    arena_link_close(&a->watch);
}

/* ---- what is printed ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(double *values, size_t count, double at)
{
    qsort(values, count, sizeof *values, compare);
    return count == 0 ? 0.0 : values[(size_t)((double)(count - 1) * at)];
}

static void print(arena *a)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    printf(
        "{\"players\":%u,\"messages\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"message_bytes\":%.1f,\"events\":%" PRIu64
        ",\"event_bytes\":%.1f,\"unknown\":%" PRIu64
        ",\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"late_p99_ms\":%.3f,\"own_cpu_s\":%.3f}\n",
        a->options->players, a->messages, a->skipped, (double)a->bytes / (double)(a->messages ? a->messages : 1),
        a->events, (double)a->event_bytes / (double)(a->events ? a->events : 1), a->unknown,
        quantile(a->latencies_ms, a->latency_count, 0.5), quantile(a->latencies_ms, a->latency_count, 0.9),
        quantile(a->latencies_ms, a->latency_count, 0.99), quantile(a->latencies_ms, a->latency_count, 1.0),
        quantile(a->late_ms, a->late_count, 0.99),
        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
}

int main(int count, char **words)
{
    arena_options options = {.host = "127.0.0.1", .room = "arena", .referee = "referee"};
    static arena a;

    if (count < 4) {
        fputs("usage: arena PORT PLAYERS SECONDS [bare | echo]\n", stderr);
        return 2;
    }
    options.port = (int)strtol(words[1], NULL, 10);
    options.players = (unsigned)strtoul(words[2], NULL, 10);
    options.seconds = strtod(words[3], NULL);
    options.is_bare = count > 4 && strcmp(words[4], "bare") == 0;
    mosquitto_lib_init();
    if (count > 4 && strcmp(words[4], "echo") == 0)
        return arena_echo(&options);
    if (options.players < 1 || options.players > ARENA_PLAYERS_MAX) {
        fprintf(stderr, "arena: 1 to %d players\n", ARENA_PLAYERS_MAX);
        return 2;
    }
    a.options = &options;
    watch(&a);
    enter(&a);
    play(&a);
    leave(&a);
    print(&a);
    return 0;
}

/* The bare referee: see arena.h. What it answers is as long as a clash, and goes the same way. */
#include "arena.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct echo {
    arena_link link;
    char topic[ARENA_TOPIC_MAX];
} echo;

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

/* What follows a key, as a number. */
static uint64_t number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

static void on_samples(void *context, const struct mosquitto_message *message)
{
    echo *e = context;
    const char *text = message->payload ? message->payload : "";
    const uint64_t frame = number_after(text, "\"first\":") / 2, player = number_after(text, "\"session\":\"s");
    const size_t length =
        (size_t)message->payloadlen < ARENA_ECHO_BYTES ? (size_t)message->payloadlen : ARENA_ECHO_BYTES;

    if (length > 0 && (frame + player * ARENA_ECHO_APART) % ARENA_ECHO_EVERY == 0)
        arena_link_publish(&e->link, e->topic, message->payload, length, 1, false);
}

int arena_echo(const arena_options *options)
{
    echo e = {.link = {.received = on_samples, .context = &e}};
    arena_link *const links[] = {&e.link};
    static const char bare[] = "{\"clock\":\"bare\"}";
    char topic[ARENA_TOPIC_MAX];

    signal(SIGTERM, on_signal);
    snprintf(e.topic, sizeof e.topic, "clashd/%s/%s/events/clash", options->room, options->referee);
    snprintf(topic, sizeof topic, "clashd/%s/+/samples", options->room);
    arena_link_open(&e.link, options);
    mosquitto_subscribe(e.link.mosq, NULL, topic, 0);
    snprintf(topic, sizeof topic, "clashd/%s/%s/peer", options->room, options->referee);
    arena_link_publish(&e.link, topic, bare, sizeof bare - 1, 1, true);
    while (!is_over)
        arena_link_run(links, 1, arena_now_ns() + 100000000);
    arena_link_publish(&e.link, topic, "", 0, 1, true);
    arena_link_close(&e.link);
    return 0;
}

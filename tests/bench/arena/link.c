/* See arena.h. Polls all connections at once: 300 threads would measure the scheduler. */
#include "arena.h"

#include <mqtt_protocol.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t arena_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void must(int result, const char *what)
{
    if (result == MOSQ_ERR_SUCCESS)
        return;
    fprintf(stderr, "arena: %s: %s\n", what, mosquitto_strerror(result));
    exit(1);
}

static void on_connect(struct mosquitto *mosq, void *context, int reason)
{
    (void)mosq;
    must(reason, "the broker refuses");
    ((arena_link *)context)->is_connected = true;
}

static void on_subscribe(struct mosquitto *mosq, void *context, int mid, int count, const int *granted)
{
    (void)mosq, (void)mid, (void)count, (void)granted;
    ((arena_link *)context)->is_subscribed = true;
}

static void on_message(struct mosquitto *mosq, void *context, const struct mosquitto_message *message)
{
    arena_link *l = context;

    (void)mosq;
    if (l->received)
        l->received(l->context, message);
}

void arena_link_open(arena_link *l, const arena_options *options)
{
    l->mosq = mosquitto_new(NULL, true, l);
    if (!l->mosq)
        must(MOSQ_ERR_NOMEM, "a connection");
    must(mosquitto_int_option(l->mosq, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "MQTT 5");
    must(mosquitto_int_option(l->mosq, MOSQ_OPT_TCP_NODELAY, 1), "TCP_NODELAY");
    mosquitto_connect_callback_set(l->mosq, on_connect);
    mosquitto_subscribe_callback_set(l->mosq, on_subscribe);
    mosquitto_message_callback_set(l->mosq, on_message);
    must(mosquitto_connect(l->mosq, options->host, options->port, 60), "the broker");
    while (!l->is_connected)
        arena_link_run((arena_link *[]){l}, 1, arena_now_ns() + 100000000);
}

void arena_link_publish(arena_link *l, const char *topic, const char *payload, size_t length, int qos, bool retain)
{
    must(mosquitto_publish(l->mosq, NULL, topic, (int)length, payload, qos, retain), topic);
}

static void tend(arena_link *l, short found)
{
    int result = MOSQ_ERR_SUCCESS;

    if (found & (POLLIN | POLLHUP | POLLERR))
        result = mosquitto_loop_read(l->mosq, 1);
    if (result == MOSQ_ERR_SUCCESS && (found & POLLOUT))
        result = mosquitto_loop_write(l->mosq, 1);
    if (result == MOSQ_ERR_SUCCESS)
        result = mosquitto_loop_misc(l->mosq);
    must(result, "a connection ended");
}

void arena_link_run(arena_link *const *links, size_t count, int64_t until_ns)
{
    static struct pollfd polls[ARENA_PLAYERS_MAX + 2];
    const int64_t left_ns = until_ns - arena_now_ns();
    const struct timespec left = {.tv_sec = left_ns > 0 ? left_ns / 1000000000 : 0,
                                  .tv_nsec = left_ns > 0 ? left_ns % 1000000000 : 0};
    int found;

    for (size_t i = 0; i < count; i++)
        polls[i] = (struct pollfd){
            .fd = mosquitto_socket(links[i]->mosq),
            .events = (short)(POLLIN | (mosquitto_want_write(links[i]->mosq) ? POLLOUT : 0)),
        };
    found = ppoll(polls, count, &left, NULL);
    for (size_t i = 0; i < count && found > 0; i++)
        if (polls[i].revents) {
            tend(links[i], polls[i].revents);
            found--;
        }
}

void arena_link_close(arena_link *l)
{
    if (!l->mosq)
        return;
    mosquitto_disconnect(l->mosq);
    mosquitto_destroy(l->mosq);
    *l = (arena_link){0};
}
